import type { AttemptCause, Cost, RunAttempt, RunUsage } from "../events/schema.js";
import { SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { sumCost, sumUsage } from "./sum-usage.js";
import type { RunResult } from "./types.js";

/** The attempts of one result, in order. */
export interface AttemptTally {
  readonly attempts: readonly RunAttempt[];
  add(result: RunResult, attempt: { readonly cause: AttemptCause; readonly waitedMs: number }): void;
  /** Says of the last attempt what was wrong with its answer. */
  blame(problem: string): void;
  /** Tokens of all attempts by part; a part that one of them does not tell is null. */
  usage(): RunUsage | null;
  /** Null where an attempt tells none, or in another currency. */
  cost(): Cost | null;
  /** Milliseconds since the first attempt began. */
  durationMs(): number;
}

export function createAttemptTally(): AttemptTally {
  const attempts: RunAttempt[] = [];
  const startedAt = performance.now();
  // An attempt whose backend was never started has used nothing.
  const spent: RunResult[] = [];
  return {
    attempts,
    add(result, { cause, waitedMs }) {
      attempts.push(toAttempt(result, cause, waitedMs));
      if (wasStarted(result)) spent.push(result);
    },
    blame(problem) {
      const last = attempts.pop();
      if (last !== undefined) attempts.push({ ...last, problem });
    },
    usage: () => sumUsage(spent.map((result) => result.usage)),
    cost: () => sumCost(spent.map((result) => result.cost)),
    durationMs: () => Math.round(performance.now() - startedAt),
  };
}

function toAttempt(result: RunResult, cause: AttemptCause, waitedMs: number): RunAttempt {
  const { backend, status, exitCode, reason, model, sessionId, durationMs, usage, cost } = result;
  const problem = status === "success" ? null : result.text;
  return { cause, backend, status, exitCode, reason, problem, model, sessionId, durationMs, waitedMs, usage, cost };
}

function wasStarted(result: RunResult): boolean {
  return result.exitCode === SUCCESS_EXIT_CODE || result.backendExitCode !== null || result.backendSignal !== null || result.usage !== null;
}
