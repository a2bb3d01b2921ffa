import { resolve } from "node:path";

/** What stands on top of the caller's environment for one run. */
export interface ChildEnvOptions {
  /** Variables of the record and of the run. They win over everything except `PWD` and `JLGCLI_RUN_ID`. */
  readonly set?: Readonly<Record<string, string | undefined>>;
  /** Names that the record takes away. */
  readonly remove?: readonly string[];
  /** The id that marks every process of this run (see `kill-tree.ts`). */
  readonly runId: string;
  /** The folder that the child starts in. */
  readonly cwd: string;
  readonly platform?: NodeJS.Platform;
}

/** Marks every process of a run: the sweep after a run finds those that left the tree by it. */
export const RUN_ID_VARIABLE = "JLGCLI_RUN_ID";

/**
 * The complete environment of a child: the caller's own, without the marks of a surrounding agent and without colour
 * forcing, with the proxies in both cases, a true `PWD` and the run's id. Credentials and configuration stay.
 */
export function toChildEnv(
  base: Readonly<Record<string, string | undefined>>,
  { set = {}, remove = [], runId, cwd, platform = process.platform }: ChildEnvOptions,
): Record<string, string> {
  const env = createVariables(platform);
  for (const [name, value] of Object.entries(base)) env.set(name, value);
  for (const name of [...AGENT_MARKERS, ...COLOR_FORCERS, TRUST_VARIABLE, ...remove]) env.delete(name);
  if (platform !== "win32") fillProxies(env);
  for (const [name, value] of Object.entries({ ...PLAIN_OUTPUT, ...set })) env.set(name, value);
  env.set("PWD", resolve(cwd));
  env.set(RUN_ID_VARIABLE, runId);
  return env.toRecord();
}

/**
 * What agents set for the commands that they run, to tell them who started them and in which session. A backend that
 * inherits them refuses to start ("cannot be launched inside another session"), or takes the outer session for its own.
 * Seen in the tool environments of claude 2.1.197, codex 0.171.0 and copilot 1.0.102; the rest from the vendors' docs.
 */
export const AGENT_MARKERS: readonly string[] = [
  "AI_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_EXECPATH",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_EFFORT",
  "CODEX_CI",
  "CODEX_MANAGED_BY_BUN",
  "CODEX_MANAGED_BY_NPM",
  "CODEX_MANAGED_PACKAGE_ROOT",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_TOOL_CALL_ID",
  "CODEX_VERSION",
  "COPILOT_AGENT_SESSION_ID",
  "COPILOT_CLI",
  "COPILOT_CLI_BINARY_VERSION",
  "COPILOT_CLI_RESOLVED_DIST_DIR",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "OPENCODE",
  "QWEN_CODE",
];

/** Trust was given to this run: a jlgcli that an agent starts, perhaps elsewhere, has to be given its own. */
const TRUST_VARIABLE = "JLGCLI_TRUST";

// FORCE_COLOR beats NO_COLOR in several programs (https://github.com/pypa/pip/issues/12405).
const COLOR_FORCERS: readonly string[] = ["FORCE_COLOR", "CLICOLOR_FORCE"];

const PLAIN_OUTPUT: Readonly<Record<string, string>> = { NO_COLOR: "1", TERM: "dumb" };

const PROXY_NAMES: readonly string[] = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];

interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
  delete(name: string): void;
  toRecord(): Record<string, string>;
}

/** Variables by name. On Windows `Path` and `PATH` are one variable, and the first spelling is kept. */
function createVariables(platform: NodeJS.Platform): Variables {
  const keyOf = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const byKey = new Map<string, { name: string; value: string }>();
  return {
    get: (name) => byKey.get(keyOf(name))?.value,
    set: (name, value) => {
      if (value === undefined) return;
      byKey.set(keyOf(name), { name: byKey.get(keyOf(name))?.name ?? name, value });
    },
    delete: (name) => void byKey.delete(keyOf(name)),
    toRecord: () => Object.fromEntries([...byKey.values()].map(({ name, value }) => [name, value])),
  };
}

/** Some programs read only the one spelling, some only the other. */
function fillProxies(env: Variables): void {
  for (const lower of PROXY_NAMES) {
    const upper = lower.toUpperCase();
    const value = env.get(lower) ?? env.get(upper);
    if (env.get(lower) === undefined) env.set(lower, value);
    if (env.get(upper) === undefined) env.set(upper, value);
  }
}
