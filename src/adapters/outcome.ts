import type { FailureReason } from "../events/schema.js";
import { exitCodeOf, type RunStatus } from "../exit-codes.js";

/** The facts from which the end of a run is decided. */
export interface RunFacts {
  /** Why we ended the child ourselves, before it had said that it was done; null when we did not. */
  readonly stopped: Stop | null;
  readonly spawnFailure: { readonly missing: boolean; readonly tooLarge?: boolean } | null;
  /** A record that ends the run as a failure, or any declared failure where no record is named terminal. */
  readonly failure: FailureReason | null;
  /** A record that ends the run as a success was read. */
  readonly terminalSuccess: boolean;
  /** The traits name such a record, so that without it there is no evidence of success. */
  readonly namesTerminalSuccess: boolean;
  /** A non-blank answer was read. */
  readonly hasAnswer: boolean;
  /** Output was cut before it was read. */
  readonly truncated: boolean;
  /** The pipe to the child broke before it had taken its input. */
  readonly pipeBroke: boolean;
  /** The child's own end; both null when it never ended within our wait. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it failed, as far as stderr and provisional failures tell; used only where nothing else decides. */
  readonly hintedReason: FailureReason | null;
}

export type Stop =
  | { readonly kind: "interrupted"; readonly signal: string | null }
  | { readonly kind: "timeout"; readonly deadline: DeadlineKind; readonly afterMs: number };

export type DeadlineKind = "total" | "idle" | "first-byte";

/** What decided. The sentence for people is made from it. */
export type OutcomeCause =
  | "not-started"
  | "stopped"
  | "failure-record"
  | "answered"
  | "no-answer"
  | "pipe-broke"
  | "child-signal"
  | "child-exit-code"
  | "truncated"
  | "no-evidence";

export interface Outcome {
  readonly status: RunStatus;
  readonly exitCode: number;
  readonly cause: OutcomeCause;
  readonly reason: FailureReason | null;
}

/**
 * Decides how a run ended: the one place. The top rule that applies wins.
 * Success needs positive evidence; a missing program is the only way to 2.
 */
export function decideOutcome(facts: RunFacts): Outcome {
  if (facts.stopped !== null) return stoppedOutcome(facts.stopped);
  if (facts.spawnFailure !== null) return toOutcome(spawnFailureStatus(facts.spawnFailure), "not-started", null);
  if (facts.failure !== null) return toOutcome(REASON_STATUSES[facts.failure], "failure-record", facts.failure);
  if (facts.terminalSuccess) return facts.hasAnswer ? toOutcome("success", "answered", null) : toOutcome("error", "no-answer", "other");
  if (facts.exitCode === null) return failed(facts.signal === null && facts.pipeBroke ? "pipe-broke" : "child-signal", facts);
  if (facts.exitCode !== 0) return failed("child-exit-code", facts);
  if (facts.truncated) return failed("truncated", facts);
  if (facts.namesTerminalSuccess || !facts.hasAnswer) return failed(facts.pipeBroke ? "pipe-broke" : "no-evidence", facts);
  return toOutcome("success", "answered", null);
}

/** The status of each reason of failure. */
export const REASON_STATUSES: Readonly<Record<FailureReason, RunStatus>> = {
  unauthenticated: "backend-unauthenticated",
  "rate-limited": "rate-limited",
  overloaded: "unavailable",
  network: "unavailable",
  "unknown-model": "error",
  "model-substituted": "error",
  "context-too-long": "error",
  "bad-request": "error",
  "permission-denied": "error",
  "session-not-found": "no-input",
  other: "error",
};

function spawnFailureStatus(failure: NonNullable<RunFacts["spawnFailure"]>): RunStatus {
  if (failure.tooLarge === true) return "invalid-data";
  return failure.missing ? "backend-missing" : "error";
}

function stoppedOutcome(stop: Stop): Outcome {
  if (stop.kind === "timeout") return toOutcome("timeout", "stopped", null);
  return { ...toOutcome("interrupted", "stopped", null), exitCode: exitCodeOf("interrupted", stop.signal ?? undefined) };
}

function failed(cause: OutcomeCause, facts: RunFacts): Outcome {
  const reason = facts.hintedReason ?? "other";
  return toOutcome(REASON_STATUSES[reason], cause, reason);
}

function toOutcome(status: RunStatus, cause: OutcomeCause, reason: FailureReason | null): Outcome {
  return { status, exitCode: exitCodeOf(status), cause, reason };
}
