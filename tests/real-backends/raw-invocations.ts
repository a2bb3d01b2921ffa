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
