import type { RunStatus } from "../exit-codes.js";

/** Version of the events and of `RunResult`. It grows only when a field changes its meaning or goes away. */
export const SCHEMA_VERSION = 1;

/**
 * One normalised thing that happened in a run. Names and fields follow `session/update` of the
 * Agent Client Protocol v1 (agentclientprotocol.com), so that `{ sessionUpdate: type, ...rest }` is its update.
 * `--output stream-json` prints one event per line; the last one is the result.
 */
export type RunEvent =
  | StartEvent
  | MessageChunkEvent
  | ThoughtChunkEvent
  | ToolCallEvent
  | ToolCallUpdateEvent
  | PlanEvent
  | UsageUpdateEvent
  | WarningEvent
  | ResultEvent;

export interface StartEvent {
  readonly type: "start";
  readonly schemaVersion: number;
  readonly runId: string;
  readonly backend: string;
  /** True where no model is asked: the run is played from a recording. */
  readonly simulated: boolean;
  /** Where a simulated run comes from, in words; null for a real one. */
  readonly recordedFrom: string | null;
  readonly cwd: string;
  /** The model that was asked for; null where the backend chooses. */
  readonly model: string | null;
  readonly access: AccessLevel | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The number of the run within a loop, from 1. Left out where there is none. */
  readonly iteration?: number;
}

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** A piece of the answer as it arrives. A hint: the final text in the result is the truth. */
export interface MessageChunkEvent {
  readonly type: "agent_message_chunk";
  readonly content: TextContent;
  /** Chunks of one message share an id; null where the backend gives none. */
  readonly messageId: string | null;
}

export interface ThoughtChunkEvent {
  readonly type: "agent_thought_chunk";
  readonly content: TextContent;
  readonly messageId: string | null;
}

export const TOOL_KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const TOOL_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolStatus;
  /** What the backend passed to the tool, verbatim; null where it does not say. */
  readonly rawInput: unknown;
}

export interface ToolCallUpdateEvent {
  readonly type: "tool_call_update";
  readonly toolCallId: string;
  readonly status: ToolStatus;
  readonly content: readonly { readonly type: "content"; readonly content: TextContent }[];
  /** What the tool gave back, verbatim; null where the backend does not say. */
  readonly rawOutput: unknown;
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: "high" | "medium" | "low";
  readonly status: "pending" | "in_progress" | "completed";
}

export interface PlanEvent {
  readonly type: "plan";
  readonly entries: readonly PlanEntry[];
}

export interface UsageUpdateEvent {
  readonly type: "usage_update";
  /** Tokens of the run so far. */
  readonly usage: RunUsage;
  readonly cost: Cost | null;
  /** How full the model's context window is now; null where the backend does not tell. */
  readonly context: ContextUsage | null;
}

export const WARNING_CODES = [
  "retry",
  "permission-denied",
  "model-substituted",
  "malformed-output",
  "child-exit-after-success",
  "backend-notice",
  "left-running",
  "fallback",
  "repair",
  "callback-failed",
  "mcp-servers-withheld",
  "forbidden-tools-unknown",
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

/** Something a person may want to know that does not decide the run. */
export interface WarningEvent {
  readonly type: "warning";
  readonly code: WarningCode;
  readonly message: string;
}

export interface ResultEvent extends RunResult {
  readonly type: "result";
}

export const ACCESS_LEVELS = ["read-only", "workspace-write", "full"] as const;
/** What the backend's tools may do. Enforced by the backend's own flags, never weakened. */
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** Tokens by part. A part that the backend does not tell is null, never 0. */
export interface RunUsage {
  /** Input tokens as the vendor counts them: with the cached ones (codex) or without (claude). */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  /** Part of `outputTokens` where the vendor counts it so. */
  readonly reasoningTokens: number | null;
  /** The vendor's figures summed as its record says; void (null) when a term is unreadable or output was lost. */
  readonly totalTokens: number | null;
}

export interface Cost {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** How full the context window of the model is, by the vendor's own figures. */
export interface ContextUsage {
  /** Tokens in the window when the backend last told it. What came after that, for instance the last answer, is not counted. */
  readonly usedTokens: number;
  /** Tokens that fit in. */
  readonly sizeTokens: number;
}

export interface DeniedTool {
  readonly name: string;
  readonly toolCallId: string | null;
  readonly reason: string | null;
}

/** One of the vendor's own limits, as it told it in this run. */
export interface QuotaWindow {
  /** The vendor's name, for instance `five_hour`. */
  readonly name: string;
  /** The part that is used, from 0 to 1. */
  readonly utilization: number;
  /** ISO 8601, UTC; null where the vendor's figure is no time. */
  readonly resetsAt: string | null;
}

export const FAILURE_REASONS = [
  "unauthenticated",
  "rate-limited",
  "overloaded",
  "network",
  "unknown-model",
  "model-substituted",
  "context-too-long",
  "bad-request",
  "permission-denied",
  "session-not-found",
  "other",
] as const;
/** Why a backend failed, told from its terminal record, error fields, exit facts and stderr only. */
export type FailureReason = (typeof FAILURE_REASONS)[number];

export const ATTEMPT_CAUSES = ["first", "retry", "fallback", "repair"] as const;
/** Why a backend was asked: at first, again, because another one could not answer, or because an answer broke the schema. */
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/** One of several runs of a backend that make up a result. */
export interface RunAttempt {
  readonly cause: AttemptCause;
  readonly backend: string;
  readonly status: RunStatus;
  /** One of the codes of `exit-codes.ts`, as if this had been the only attempt. */
  readonly exitCode: number;
  readonly reason: FailureReason | null;
  /** What happened, in one sentence; for a success that was not the end, what was wrong with the answer; else null. */
  readonly problem: string | null;
  readonly model: string | null;
  readonly sessionId: string | null;
  readonly durationMs: number;
  /** How long it was waited before, in milliseconds. */
  readonly waitedMs: number;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
}

/**
 * The one result of a run: the shape of `--json` and of the last event.
 * Null rule: a field that is not known is null; lists are empty only when it is known that there is nothing.
 */
export interface RunResult {
  readonly schemaVersion: number;
  readonly runId: string;
  /** One of the codes of `exit-codes.ts`; never the child's. */
  readonly exitCode: number;
  readonly status: RunStatus;
  /** The answer on success; otherwise the sentence that says what happened. */
  readonly text: string;
  readonly backend: string;
  readonly durationMs: number;
  /** More about a bad end: hints, did-you-mean, where to look. Left out when there is nothing to add. */
  readonly details?: string;
  /** Why the backend failed; null on success and where the failure is not the backend's. */
  readonly reason: FailureReason | null;
  /** What was answered before a bad end; null when nothing was. */
  readonly partialText: string | null;
  /** The model that answered, as the backend names it. */
  readonly model: string | null;
  readonly sessionId: string | null;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  /** How full the model's context window was as told last; null where the backend does not tell. */
  readonly context: ContextUsage | null;
  /** The vendor's limits; null where the backend does not tell. */
  readonly quota: readonly QuotaWindow[] | null;
  /** Tools that were refused; null where the backend does not tell. */
  readonly deniedTools: readonly DeniedTool[] | null;
  /** The child's own exit code and signal, which never become ours. */
  readonly backendExitCode: number | null;
  readonly backendSignal: string | null;
  readonly warnings: readonly string[];
  readonly simulated: boolean;
  readonly cwd: string;
  /** The answer as a value, when a schema was given and the answer is valid; otherwise left out. */
  readonly structured?: unknown;
  /** Every attempt in order, where there were several; left out where there was one. The result's own code is the last one's. */
  readonly attempts?: readonly RunAttempt[];
  /** The number of the run within a loop, from 1. Left out where there is none. */
  readonly iteration?: number;
  /** The iterations of a loop, in order. Only in the result of a loop, which is the sum of them. */
  readonly iterations?: readonly LoopIteration[];
}

/** One iteration of a loop: a run, and what was made of its answer. */
export interface LoopIteration {
  /** From 1. */
  readonly iteration: number;
  readonly runId: string;
  readonly status: RunStatus;
  readonly exitCode: number;
  /** The answer on success; otherwise the sentence that says what happened. */
  readonly text: string;
  /** Milliseconds of the run and of the command that checked it. */
  readonly durationMs: number;
  readonly model: string | null;
  readonly sessionId: string | null;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  /** Null where the run failed, so that nothing was judged. */
  readonly completion: CompletionVerdict | null;
}

export const VERDICT_STATUSES = ["continue", "done", "error", "invalid"] as const;

/** What an answer, or the command that checks it, says about the whole task. */
export interface CompletionVerdict {
  /** `invalid`: the answer had to hold a JSON object, and holds none that can be used. */
  readonly status: (typeof VERDICT_STATUSES)[number];
  /** What was done, in the words of the answer's JSON; what is wrong where it is invalid. */
  readonly summary: string | null;
  /** What is to be done next, in the words of the answer's JSON. */
  readonly next: string | null;
  /** The command that checked; null where none did. */
  readonly check: CheckResult | null;
}

/** How a command ended that tells whether a loop is done. */
export interface CheckResult {
  readonly command: string;
  /** Null where it was ended by a signal. */
  readonly exitCode: number | null;
  /** Its own deadline passed, and it was ended. */
  readonly timedOut: boolean;
  /** The end of what it printed, stdout and stderr as they came. */
  readonly output: string;
}
