import type { BackendOptions } from "../adapters/types.js";
import type { RunEvent } from "../events/schema.js";

export type { RunStatus } from "../exit-codes.js";
export type { RunResult } from "../events/schema.js";

/** What one run is asked to do. */
export interface RunOptions extends BackendOptions {
  readonly prompt: string;
  /** A backend's id. Absent: the configuration's, else `copilot`. */
  readonly backend?: string;
  /** Absent: the current directory. */
  readonly cwd?: string;
  /** The complete environment of the run. Absent: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of the backend alone, on top of `env` and of the configuration's; they do not change where configuration is looked for. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole run; 0 is off. */
  readonly timeoutMs?: number;
  /** Milliseconds without a byte from the backend; 0 is off. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds until the backend's first byte; 0 is off. */
  readonly firstByteTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called for each event in order. An awaited promise holds the backend's output back. Its throw never changes the result. */
  readonly onEvent?: (event: RunEvent) => void | Promise<void>;
  /** Called once with the answer as soon as the backend says that it has finished; its process may live on for a moment. */
  readonly onAnswer?: (text: string) => void | Promise<void>;
  /** The id of this run. Absent: a new one. */
  readonly runId?: string;
  /** Where to write a recording of this run. */
  readonly record?: string;
}

/** What a prompt is asked to give, whatever it takes: on top of one run, further ones. */
export interface PromptRunOptions extends RunOptions {
  /** Backends to ask in order when the one before is missing, not signed in, rate-limited or not reachable. */
  readonly fallback?: readonly string[];
  /** How often a backend that is rate-limited or not reachable is asked again. Absent: never. */
  readonly retries?: number;
  /** Asks again also when tools may have changed something already. */
  readonly fallbackAfterTools?: boolean;
  /** How often an answer that breaks `schema` is asked for again. Absent: once. */
  readonly schemaRepairs?: number;
}
