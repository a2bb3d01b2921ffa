import type { BackendId } from "./backends.js";

/** How each backend is driven by hand, with the prompt on stdin: the plainest call that gives machine-readable output. */
export const RAW_ARGS: Record<BackendId, readonly string[]> = {
  claude: ["-p", "--output-format", "stream-json", "--verbose"],
  codex: ["exec", "--json", "-c", "analytics.enabled=false", "--skip-git-repo-check", "-"],
  copilot: ["--output-format", "json"],
};

/** The arguments under which each backend's shell tool writes a file without asking. */
export const RAW_ARGS_ALLOWING_TOOLS: Record<BackendId, readonly string[]> = {
  claude: [...RAW_ARGS.claude, "--permission-mode", "acceptEdits"],
  codex: ["exec", "--json", "-c", "analytics.enabled=false", "--skip-git-repo-check", "-s", "danger-full-access", "-"],
  copilot: [...RAW_ARGS.copilot, "--allow-all-tools"],
};

/**
 * The flags that hold a level even where the home's settings allow everything, as measured.
 *
 * claude: `--setting-sources ""` also drops `apiKeyHelper`, `env` and the memory files of the user, so read-only
 * takes the writing tools away instead; at workspace-write only that flag stops the user's own allow rules.
 * codex: `--ignore-rules`, because a command that the user's rules allow runs outside the sandbox.
 * copilot: only tools that do not exist are surely not used; directories that the user has allowed for good
 * (`allowed_directories` in `permissions-config.json`) stay writable even so.
 */
export const RAW_LEVEL_ARGS: Record<BackendId, Record<"read-only" | "workspace-write" | "full", readonly string[]>> = {
  claude: {
    "read-only": [...RAW_ARGS.claude, "--permission-mode", "default", "--tools", "Read,Glob,Grep", "--strict-mcp-config", "--settings", '{"disableAllHooks":true}'],
    "workspace-write": [...RAW_ARGS.claude, "--permission-mode", "acceptEdits", "--setting-sources", "", "--strict-mcp-config"],
    full: [...RAW_ARGS.claude, "--permission-mode", "bypassPermissions"],
  },
  codex: {
    "read-only": codexAt("read-only", ["--ignore-rules"]),
    "workspace-write": codexAt("workspace-write", ["--ignore-rules", "-c", "sandbox_workspace_write.writable_roots=[]", "-c", "sandbox_workspace_write.network_access=false"]),
    full: codexAt("danger-full-access", []),
  },
  copilot: {
    "read-only": [...RAW_ARGS.copilot, "--available-tools=view,grep,glob"],
    "workspace-write": [...RAW_ARGS.copilot, "--available-tools=view,grep,glob,create,edit", "--allow-tool=write"],
    full: [...RAW_ARGS.copilot, "--allow-all"],
  },
};

/** They widen what the flags narrow. */
export const RAW_LEVEL_VARIABLES_TO_REMOVE: readonly string[] = ["COPILOT_ALLOW_ALL", "COPILOT_ASSISTED_APPROVAL"];

function codexAt(sandbox: string, more: readonly string[]): readonly string[] {
  return ["exec", "--json", "-c", "analytics.enabled=false", "--skip-git-repo-check", "-s", sandbox, ...more, "-"];
}
