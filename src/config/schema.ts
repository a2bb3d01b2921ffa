import { ACCESS_LEVELS } from "../events/schema.js";
import { OUTPUT_FORMATS } from "./formats.js";
import { AMOUNT, DURATION, EXIT_MAP, PROSE, RECORDS, SERVERS, SWITCH, VARIABLES, WINDOW, WORD, WORDS, oneOf, wholeNumber, type Kind } from "./kinds.js";

export { OUTPUT_FORMATS, type OutputFormat } from "./formats.js";

/** The backend of a run that names none and whose configuration names none. */
export const DEFAULT_BACKEND = "copilot";

/**
 * What a project's file in a folder that the user has not trusted may do with a key.
 * `trusted-only`: nothing. `untrusted-ok`: set it. `lower-only`: set it to a lower level than would hold without the file.
 * `known-only`: set it to the id of a real backend that jlgcli itself knows.
 */
export type TrustRule = "trusted-only" | "untrusted-ok" | "lower-only" | "known-only";

interface KeyFacts<T> {
  readonly describe: string;
  readonly default?: T;
  /** Absent: `trusted-only`. */
  readonly trust?: TrustRule;
}

export interface KeyLine<T> extends KeyFacts<T> {
  readonly kind: Kind<T>;
  readonly trust: TrustRule;
}

/** Every key of the configuration: its kind, default, description, and what an untrusted project may do with it. */
export const CONFIG_KEYS = {
  backend: key(WORD, { default: DEFAULT_BACKEND, trust: "known-only", describe: "Backend that runs the prompt: an id, several with commas between them to try in order, or `auto`." }),
  fallback: key(WORDS, { describe: "Backends to try in order when the configured one is missing, not signed in, rate-limited or not reachable." }),
  model: key(WORD, { trust: "untrusted-ok", describe: "Model, as the backend names it. Not set: the backend chooses." }),
  effort: key(WORD, { describe: "How much the model thinks, as the backend names it." }),
  access: key(oneOf(ACCESS_LEVELS), { default: "read-only", trust: "lower-only", describe: "What the backend's tools may do." }),
  output: key(oneOf(OUTPUT_FORMATS), { default: "text", trust: "untrusted-ok", describe: "What stdout carries." }),
  verbosity: key(wholeNumber(0, 3), { trust: "untrusted-ok", describe: "How much stderr tells: 0 errors alone, 1 the cost, 2 the steps, 3 everything. Not set: 2 on a terminal, else 1." }),
  timeout: key(DURATION, { default: 0, trust: "untrusted-ok", describe: "Time for the whole run." }),
  idleTimeout: key(DURATION, { default: "15m", describe: "Time without any output of the backend." }),
  firstByteTimeout: key(DURATION, { default: 0, describe: "Time until the backend's first output." }),
  exitMap: key(EXIT_MAP, { describe: "Exit codes of the process for callers with numbers of their own; `--json` keeps the real one." }),
  systemPrompt: key(PROSE, { describe: "Takes the place of the backend's own system prompt." }),
  appendSystemPrompt: key(PROSE, { describe: "Is added to the backend's own system prompt." }),
  ledger: key(SWITCH, { default: true, describe: "Whether each run is added to the usage ledger, ~/.jlgcli/usage.ndjson." }),
  maxCost: key(AMOUNT, { describe: "The next run is refused (69) once the runs of the budget window have cost so much." }),
  maxTokens: key(AMOUNT, { describe: "The next run is refused (69) once the runs of the budget window have used so many tokens." }),
  budgetWindow: key(WINDOW, { default: "day", describe: "The time over which maxCost and maxTokens count." }),
  backendArgs: key(WORDS, { describe: "More arguments for the backend, passed on as they are." }),
  env: key(VARIABLES, { describe: "Environment variables of the backend, on top of the surrounding ones." }),
  allowShell: key(SWITCH, { default: false, describe: "Slash commands may run their shell blocks." }),
  disabledCommands: key(WORDS, { describe: "Names of slash commands that are switched off." }),
  mcpServers: key(SERVERS, { describe: "MCP servers whose prompts are slash commands, as in `.mcp.json`." }),
  backends: key(RECORDS, { describe: "Backend records of your own, by id." }),
};

export type ConfigKey = keyof typeof CONFIG_KEYS;
export type ValueOf<K extends ConfigKey> = (typeof CONFIG_KEYS)[K] extends KeyLine<infer T> ? T : never;

/** The configuration as it was written; every key is optional and no default is filled in. */
export type Config = { readonly [K in ConfigKey]?: ValueOf<K> };

/** Keys whose layers are merged entry by entry; of any other key the nearest layer's value holds alone. */
export const MERGED_KEYS = ["env", "backends"] as const satisfies readonly ConfigKey[];
export type MergedKey = (typeof MERGED_KEYS)[number];

export const CONFIG_KEY_NAMES = Object.keys(CONFIG_KEYS).filter(isConfigKey);

export function isConfigKey(name: string): name is ConfigKey {
  return Object.hasOwn(CONFIG_KEYS, name);
}

/** `idleTimeout` -> `JLGCLI_IDLE_TIMEOUT`; null for a key that has no variable. */
export function variableOf(name: ConfigKey): string | null {
  if (CONFIG_KEYS[name].kind.fromText === undefined) return null;
  return `JLGCLI_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function key<T>(kind: Kind<T>, facts: KeyFacts<NoInfer<T>>): KeyLine<T> {
  return { trust: "trusted-only", ...facts, kind };
}
