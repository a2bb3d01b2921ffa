import type { AccessLevel, ContextUsage, Cost, DeniedTool, FailureReason, QuotaWindow, RunEvent, RunUsage } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";

/** The id of a backend, for instance `codex`. */
export type AdapterId = string;

/**
 * `missing`: its program is not found. `unauthenticated`: its own status command says so and nothing else hints at a login.
 * `unsupported`: a known id that this version does not drive on this platform.
 */
export type AdapterAvailabilityStatus = "available" | "missing" | "unauthenticated" | "unsupported";

export interface AdapterAvailability {
  readonly status: AdapterAvailabilityStatus;
  /** What to do next, for instance the install or login command. */
  readonly details?: string;
}

/** An MCP server that the caller of a run wants its backend to use. What its environment and headers hold may be secret. */
export type McpServerConfig = StdioMcpServer | RemoteMcpServer;

export interface StdioMcpServer {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the environment that the backend gives it. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RemoteMcpServer {
  /** `http`: streamable HTTP; `sse`: the older transport. */
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Options that a record maps to the backend's own arguments. One that it cannot honour is refused, never dropped. */
export interface BackendOptions {
  readonly model?: string;
  readonly access?: AccessLevel;
  readonly effort?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** The id of an earlier session to continue. */
  readonly resume?: string;
  /** A JSON Schema, as JSON text, that the answer has to match. Handed to the backend, or asked for in the prompt where it takes none. */
  readonly schema?: string;
  /** Absolute paths of images and documents that go with the prompt. */
  readonly attachments?: readonly string[];
  /** MCP servers to hand on, as far as the backend takes them: unlike other options they are left out, with a warning, where it cannot, and below full access. */
  readonly mcpServers?: readonly McpServerConfig[];
  /** Tools that the backend must not use, in its own words (`Bash(git push:*)`), whatever the access level allows. */
  readonly disallowedTools?: readonly string[];
  /** Extra argv entries, passed on as they are. */
  readonly backendArgs?: readonly string[];
  /** Ends a run in which tools were refused as `permission-denied` instead of `success`. A backend must tell of them. */
  readonly strictPermissions?: boolean;
  /** Ends a run in which another model answered than the one that was asked for as an `error`. A backend must tell its model. */
  readonly strictModel?: boolean;
  /** A recording to play, for a simulated backend. */
  readonly cassette?: string;
}

export interface AdapterRunOnceArgs extends BackendOptions {
  readonly prompt: string;
  readonly cwd: string;
  /** The complete environment of the run; absent: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly firstByteTimeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void | Promise<void>;
  readonly runId?: string;
  /** Called once with the answer as soon as the backend says that it has finished; its process may live on for a moment. */
  readonly onAnswer?: (text: string) => void | Promise<void>;
  /** Where to write a recording of this run. */
  readonly record?: string;
}

export interface AdapterRunOnceResult {
  /** One of our codes; passed on unchanged. */
  readonly exitCode: number;
  readonly text: string;
  readonly raw?: unknown;
  readonly status?: RunStatus;
  readonly details?: string;
  readonly reason?: FailureReason | null;
  readonly usage?: RunUsage | null;
  readonly cost?: Cost | null;
  readonly context?: ContextUsage | null;
  readonly quota?: readonly QuotaWindow[] | null;
  readonly sessionId?: string | null;
  readonly model?: string | null;
  /** Whether `model` is the one that was asked for; absent: the names themselves tell. */
  readonly modelMatches?: boolean;
  readonly deniedTools?: readonly DeniedTool[] | null;
  readonly backendExitCode?: number | null;
  readonly backendSignal?: string | null;
  readonly partialText?: string | null;
  /** The answer as a value, where the backend gives it as one; not yet validated. */
  readonly structured?: unknown;
  readonly warnings?: readonly string[];
}

/** Drives one backend. Made from a record. */
export interface Adapter {
  readonly id: AdapterId;
  /** True where no model is asked. Never counts as "a backend is available". */
  readonly simulated?: boolean;
  /** The access level of a run that names none; null where the backend has no levels. */
  readonly defaultAccess?: AccessLevel | null;
  isAvailable(options?: AvailabilityOptions): Promise<AdapterAvailability>;
  /** Whether the backend tells what a run costs. Absent: not known. */
  tellsCost?(): Promise<boolean>;
  /** For a simulated backend: where the recording that it would play comes from, in words. */
  describeRecording?(args: Pick<AdapterRunOnceArgs, "cassette">): Promise<string | null>;
  /** What `runOnce` would spawn, without spawning it. */
  describeInvocation?(args: AdapterRunOnceArgs): Promise<Invocation>;
  runOnce(args: AdapterRunOnceArgs): Promise<AdapterRunOnceResult>;
}

/** The exact process of a run. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables that are set for the child beside the caller's own. */
  readonly envSet: Readonly<Record<string, string>>;
  /** Variables of the caller that the child does not get. */
  readonly envRemoved: readonly string[];
  readonly promptDelivery: "stdin" | "argument";
  /** The prompt as the backend gets it, after any guard. */
  readonly prompt: string;
}

export interface AvailabilityOptions {
  /** The environment to look the program and the credentials up in; absent: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}
