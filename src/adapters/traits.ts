/**
 * The types of the trait engine. The names and their meaning are those of the published interface of
 * @skanl/brambo-adapter-cli 0.1.1; an object valid there is valid here. What jlgcli adds is optional.
 */
import type { ContextUsage, Cost, DeniedTool, FailureReason, QuotaWindow, RunEvent, RunUsage } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";

/**
 * How the prompt reaches the executor.
 * `stdin`: written verbatim, then closed. `argument`: the last argv entry; stdin is closed at once.
 */
export type PromptDelivery = "stdin" | "argument";

/** `single-object`: all of stdout is one JSON object. `jsonl`: one JSON object per line. `text` (ours): stdout is the answer. */
export type PayloadShape = "single-object" | "jsonl" | "text";

/** Own properties from the root of a record. `"*"` walks every element of an array and every value of an object (ours). */
export type Path = readonly string[];

/** Equality test over a path. */
export interface PathMatch {
  readonly path: Path;
  readonly equals: string;
}

/** A test over one record (ours). A `PathMatch` is one. With `"*"` in the path, any element may pass. */
export type Condition =
  | PathTest
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

export interface PathTest {
  readonly path: Path;
  /** Strictly equal. */
  readonly equals?: string | number | boolean | null;
  readonly oneOf?: readonly (string | number | boolean | null)[];
  readonly startsWith?: string;
  /** A regular expression (flags `iu`) that a string at the path must match. */
  readonly matches?: string;
  readonly atLeast?: number;
  /** Something other than null and undefined stands there. */
  readonly exists?: boolean;
}

/** Where a vendor publishes its quota windows. Values are passed on verbatim. */
export interface UsageWindowTraits {
  readonly when: PathMatch;
  /** Path to the map of named windows. */
  readonly path: Path;
  readonly utilizationKey: string;
  readonly resetsAtKey: string;
}

export interface ExecutorOutputTraits {
  readonly payload: PayloadShape;
  /** Path to the answer's text. Not used for `text`. */
  readonly resultPath: Path;
  readonly resultWhen?: Condition;
  /** A record must pass this before `errorFlagPath` and `errorStatusPrefix` are read from it. */
  readonly failureWhen?: Condition;
  readonly errorFlagPath?: Path;
  readonly statusPath?: Path;
  readonly errorStatusPrefix?: string;
  /** Path to the failure's detail; `resultPath` where absent. */
  readonly errorMessagePath?: Path;
  /** Strings copied into `data` under these keys, from the record that is reported. */
  readonly metadata?: Readonly<Record<string, Path>>;
  readonly usageWhen?: Condition;
  /** Summed within and across all records that pass `usageWhen`. */
  readonly usagePaths?: readonly Path[];
  readonly usageWindows?: UsageWindowTraits;

  // --- ours, all optional ---
  /** Records that end a run. With them, a failure record that is not terminal is provisional. */
  readonly terminal?: TerminalTraits;
  /** More records of failures that decide nothing by themselves, but say why a run ended that says nothing better. */
  readonly provisionalWhen?: Condition;
  /** The answer is made of all records that pass `resultWhen` (or those that share the last one's value at `by`). */
  readonly resultParts?: ResultPartTraits;
  /** More places where a failure's detail may stand, tried in order before `errorMessagePath`. */
  readonly errorMessagePaths?: readonly Path[];
  /**
   * Regular expressions (flags `gmu`). What they match is left out of the words of a failure, those of a record and those
   * on stderr; words of which nothing is left count as none.
   */
  readonly detailNoise?: readonly string[];
  /** Ids and names that may stand in any record; the last string found wins. */
  readonly sessionIdPath?: Path;
  readonly modelPaths?: readonly Path[];
  /** A record must pass this before `modelPaths` are read from it. */
  readonly modelWhen?: Condition;
  /** Token parts, read from the records that pass `usageWhen` and summed like `usagePaths`. */
  readonly usageParts?: Partial<Readonly<Record<UsagePart, Path>>>;
  /** Where the answer stands as a value, when a schema was handed over; read from the records that pass `resultWhen`. */
  readonly structuredPath?: Path;
  readonly costPath?: { readonly path: Path; readonly when?: Condition; readonly currency: string };
  /** Where it stands how full the model's context window is. Absent: the backend does not tell. */
  readonly contextWindow?: ContextWindowTraits;
  /** The vendor's figures grow over a resumed thread: without a known earlier total, usage of a resumed run is null. */
  readonly usageGrowsOverSession?: boolean;
  /** Refused tools. Absent: the backend does not tell. */
  readonly deniedTools?: readonly DeniedToolRule[];
  /** How records become events, in order; every rule that matches emits. */
  readonly events?: readonly EventRule[];
  /** Why a failure happened; first match wins. */
  readonly failureReasons?: readonly FailureReasonRule[];
  /** Notices of retries that will not heal: the run ends after this many. */
  readonly hopelessRetry?: { readonly when: Condition; readonly afterCount: number };
}

export type UsagePart = Exclude<keyof RunUsage, "totalTokens">;

/** How full the model's context window is, in the vendor's own figures (ours). Those that were told last count. */
export interface ContextWindowTraits {
  /** Records that tell what is in the window. */
  readonly usedWhen: Condition;
  /** Summed within one record, never across several. */
  readonly usedPaths: readonly Path[];
  /** Records that tell what fits in. */
  readonly sizeWhen: Condition;
  /** A segment `{model}` stands for every name that `modelPaths` have told by then; where the sizes differ, none is known. */
  readonly sizePath: Path;
}

export interface ResultPartTraits {
  readonly by?: Path;
  readonly separator?: string;
  /** A record that passes this begins the answer anew: what was said before it, for instance before a tool ran, is not part of it. */
  readonly startsAnewWhen?: Condition;
}

export interface TerminalTraits {
  readonly success?: Condition;
  readonly failure?: Condition;
}

export interface DeniedToolRule {
  readonly when?: Condition;
  /** Path to a list of refusals; absent: the record is one. */
  readonly each?: Path;
  /** Absent: the title of the tool call that has this id. */
  readonly name?: FieldSource;
  readonly toolCallId?: FieldSource;
  readonly reason?: FieldSource;
}

/** A value for an event's field: a path, a path through a map, or a constant. */
export type FieldSource =
  | Path
  | { readonly path: Path; readonly map?: Readonly<Record<string, string>>; readonly otherwise?: string }
  | { readonly constant: string };

export type MappedEventType = Exclude<RunEvent["type"], "start" | "result" | "usage_update">;

export interface EventRule {
  readonly emit: MappedEventType;
  readonly when?: Condition;
  /** Emit once for each element of the list at this path; `eachWhen` and `fields` are then read from the element. */
  readonly each?: Path;
  readonly eachWhen?: Condition;
  readonly fields: Readonly<Record<string, FieldSource>>;
}

export interface FailureReasonRule {
  readonly reason: FailureReason;
  /** Tested on the terminal failure, else on the last provisional one. */
  readonly when?: Condition;
  /** A regular expression (flags `iu`) on the failure's detail. */
  readonly detail?: string;
  /** A regular expression (flags `iu`) on the end of stderr. */
  readonly stderr?: string;
  /** The child's own exit code is one of these. */
  readonly exitCodes?: readonly number[];
}

/** What is added to a run whose prompt holds a mention. The prompt itself stays as it is. */
export interface MentionGuard {
  /** A regular expression (flags `gu`); where `args` name mentions, its first group is the name. */
  readonly when: string;
  /** `{mentions}` stands for what `each` makes of every different name, joined by commas. */
  readonly args?: readonly string[];
  /** One entry of `{mentions}`; `{json}` in it is the name as a JSON string. */
  readonly each?: string;
  /** Variables of the child. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExecutorTraits {
  readonly executorId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly promptDelivery: PromptDelivery;
  readonly promptArgSeparator?: string;
  readonly output: ExecutorOutputTraits;

  // --- ours, all optional ---
  /** Text put before a prompt that the backend would take for one of its own commands. */
  readonly promptGuard?: { readonly when: string; readonly prefix: string };
  /** Keeps the backend from putting in what a prompt only mentions: a file, a skill. */
  readonly mentionGuard?: MentionGuard;
  /** `file`: the child writes to a private regular file that we follow, because it loses what a pipe has not taken. */
  readonly stdout?: "pipe" | "file";
  /** Environment of the child, on top of the caller's. */
  readonly env?: EnvTraits;
  /** A JSON file that the child writes beside its output, read as one more record when it has ended; `{file}` is its path. */
  readonly sideFile?: { readonly args: readonly string[] };
  /** How long the child may go on after its terminal record, in milliseconds (500 where absent). */
  readonly exitGraceMs?: number;
  /** The order of signals that ends the tree. KILL always follows. */
  readonly endSignals?: readonly EndSignal[];
}

/** What a record does to the environment of its child. */
export interface EnvTraits {
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  /** JSON objects, laid over the one that the variable already holds: objects are merged, lists joined, all else replaced. */
  readonly mergeJson?: Readonly<Record<string, JsonObject>>;
}

export interface JsonObject {
  readonly [key: string]: JsonValue;
}
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface EndSignal {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";
  /** To the child alone, or to its whole tree. */
  readonly to: "child" | "tree";
  /** How long to wait before the next one, in milliseconds. */
  readonly waitMs: number;
}

// --- spawner seam ---

export interface SpawnOptions {
  readonly cwd: string;
  /** ours: the complete environment of the child. Absent: the spawner's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** ours: each chunk as it comes; an awaited promise holds the reader back. */
  readonly onStdout?: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr?: (chunk: Uint8Array) => void;
  readonly stdout?: "pipe" | "file";
  readonly endSignals?: readonly EndSignal[];
}

export interface SpawnOutcome {
  /** Null when a signal ended the child. */
  readonly exitCode: number | null;
  /** All of stdout, or what was not already handed to `onStdout`. */
  readonly stdout?: string;
  readonly stderr: string;
  readonly stdoutTruncated?: boolean;
  readonly stderrTruncated?: boolean;
  readonly spawnErrorMessage?: string;
  readonly streamErrorMessage?: string;
  /** ours: the errno name of a failed spawn, for instance `ENOENT`. */
  readonly spawnErrorCode?: string;
  /** ours */
  readonly signal?: string | null;
}

export interface SpawnedChild {
  writeStdin(text: string): void;
  endStdin(): void;
  /** Settles when the child has ended and its pipes are read; never rejects. */
  readonly done: Promise<SpawnOutcome>;
  readonly settled: boolean;
  /** Ends the child and its tree at once. Does nothing when it has settled. */
  killTree(): void;
  /**
   * ours: ends whatever is left of the tree (also after the child itself has exited): the record's signals,
   * then KILL, each with a bounded wait. Resolves with the number of processes it could not end.
   */
  endTree?(): Promise<number>;
  readonly pid?: number | undefined;
}

/** The child-process seam; tests inject tiny fakes here. A synchronous throw of `spawn` means it could not start. */
export interface ChildProcessSpawner {
  spawn(command: string, args: readonly string[], options: SpawnOptions): SpawnedChild;
}

// --- adapter ---

export interface CliExecutorAdapterOptions {
  readonly spawner?: ChildProcessSpawner;
  /** Overrides the record's command. The `executorId` stays. */
  readonly command?: string;
  readonly onTiming?: (timing: AdapterTiming) => void;
  /** The vendor's own quota reading, at most once a run, only when the record names where it stands. */
  readonly onUsageObservation?: (report: UsageReport) => void;
  /** ours: argv entries before the record's own, for a command that is a script of an interpreter. */
  readonly commandArgs?: readonly string[];
}

export interface AdapterTiming {
  /** Milliseconds inside `run()` before the child was handed to the system. */
  readonly spawnSetupMs: number;
  /** Milliseconds of the whole `run()`. */
  readonly runMs: number;
}

export interface WorkspaceHandle {
  readonly id: string;
  readonly rootPath: string;
  readonly capabilities: readonly ("read" | "write")[];
}

export interface RunRequest {
  readonly prompt: string;
  readonly workspace: WorkspaceHandle;
  readonly signal?: AbortSignal;

  // --- ours, all optional ---
  /** The complete environment of the child. Absent: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** After the record's `args`, before the separator and the prompt. */
  readonly extraArgs?: readonly string[];
  readonly deadlines?: Deadlines;
  /** Called for each event of the backend's output; an awaited promise holds the reader back. */
  readonly onEvent?: (event: RunEvent) => void | Promise<void>;
  /** Called once with the answer as soon as the backend says that it has finished; its process may live on for a moment. */
  readonly onAnswer?: (text: string) => void | Promise<void>;
  /** True when an earlier session is continued: a vendor's growing usage figure is then not this run's. */
  readonly resumed?: boolean;
}

/** All in milliseconds; absent or 0 is off. */
export interface Deadlines {
  readonly totalMs?: number;
  readonly idleMs?: number;
  readonly firstByteMs?: number;
}

export interface EnvelopeError {
  readonly message: string;
  readonly code?: string;
}

export interface ResultEnvelope {
  readonly status: "ok" | "failed" | "cancelled";
  readonly data: unknown;
  readonly summary: string;
  readonly changedPaths?: readonly string[];
  readonly errors?: readonly EnvelopeError[];
  /** ours: all that is known of the run beside the envelope's own fields. */
  readonly run?: EnvelopeRun;
}

/** What the engine knows of a run, for the one pure function that makes a result of it. */
export interface EnvelopeRun {
  readonly status: RunStatus;
  readonly exitCode: number;
  readonly reason: FailureReason | null;
  readonly text: string;
  readonly partialText: string | null;
  /** The answer as a value; undefined where the backend gave none. */
  readonly structured?: unknown;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  readonly context: ContextUsage | null;
  readonly quota: readonly QuotaWindow[] | null;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly deniedTools: readonly DeniedTool[] | null;
  readonly backendExitCode: number | null;
  readonly backendSignal: string | null;
  readonly warnings: readonly string[];
}

export interface ExecutorAdapter {
  /** Rejects only for an invalid request; all that an executor does comes back as an envelope. */
  run(request: RunRequest): Promise<ResultEnvelope>;
}

/** `command` can be overridden for one instance, so it is no identity; `executorId` is. */
export interface CliExecutorAdapter extends ExecutorAdapter {
  readonly executorId: string;
}

/** The key of `data` under which the summed usage stands. */
export const USAGE_DATA_KEY = "usage";

// --- quota ---

export interface UsageWindow {
  readonly name: string;
  readonly utilization: number;
  readonly resetsAt: number;
}

export interface UsageObservation {
  readonly kind: "observed";
  readonly executorId: string;
  /** ISO 8601. */
  readonly observedAt: string;
  readonly windows: readonly UsageWindow[];
}

export const USAGE_ABSENCE_REASONS = {
  noUsageSurface: "JLGCLI_USAGE_NO_SURFACE",
  notObserved: "JLGCLI_USAGE_NOT_OBSERVED",
  notReported: "JLGCLI_USAGE_NOT_REPORTED",
} as const;

export interface UsageAbsence {
  readonly kind: "absent";
  readonly executorId: string;
  readonly reason: (typeof USAGE_ABSENCE_REASONS)[keyof typeof USAGE_ABSENCE_REASONS];
  readonly detail: string;
}

export type UsageReport = UsageObservation | UsageAbsence;

/** Codes of `EnvelopeError`. Route on these, never on a message. */
export const ENVELOPE_ERROR_CODES = {
  executorUnavailable: "JLGCLI_EXECUTOR_UNAVAILABLE",
  executorRunFailed: "JLGCLI_EXECUTOR_RUN_FAILED",
  executorCancelled: "JLGCLI_EXECUTOR_CANCELLED",
} as const;
