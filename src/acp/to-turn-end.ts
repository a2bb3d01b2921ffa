import { RequestError, type PromptResponse, type StopReason } from "@agentclientprotocol/sdk";
import type { RunResult } from "../events/schema.js";
import { EXIT_TABLE, type RunStatus } from "../exit-codes.js";
import { ERROR_CODES } from "./error-codes.js";

/** How a prompt is answered: with a reason to stop, or with an error. */
export type TurnEnd = { readonly type: "answer"; readonly response: PromptResponse } | { readonly type: "error"; readonly error: RequestError };

/**
 * What a run's end is in the protocol. @param cancelled the client has asked for the end. What was finished before that
 * is finished all the same; every other end is then the cancelling.
 */
export function toTurnEnd(result: RunResult, cancelled: boolean): TurnEnd {
  const stopReason = findStopReason(result, cancelled);
  if (stopReason !== null) return { type: "answer", response: { stopReason, _meta: { jlgcli: toMeta(result) } } };
  return { type: "error", error: new RequestError(findErrorCode(result.status), describeEnd(result), toErrorData(result)) };
}

function findStopReason({ status, reason }: RunResult, cancelled: boolean): StopReason | null {
  if (status === "success") return "end_turn";
  if (cancelled || status === "interrupted") return "cancelled";
  return reason === "context-too-long" ? "max_tokens" : null;
}

/** What of a result the protocol has no field for. Unknown is null, never 0. */
function toMeta({ runId, status, exitCode, backend, model, usage, cost, context, quota, deniedTools, durationMs, warnings }: RunResult): Record<string, unknown> {
  return { runId, status, exitCode, backend, model, usage, cost, context, quota, deniedTools, durationMs, warnings };
}

/** The sentence, and what to do next: a login command, for instance. */
function describeEnd({ text, details }: RunResult): string {
  return details === undefined ? text : `${text} (${details})`;
}

function toErrorData({ status, exitCode, reason, details, backend, runId }: RunResult): Record<string, unknown> {
  return { status, exitCode, reason, details: details ?? null, backend, runId };
}

/** What the request itself is to blame for is a wrong parameter; else it is the agent's side that failed. */
function findErrorCode(status: RunStatus): number {
  if (status === "backend-unauthenticated") return ERROR_CODES.authRequired;
  return REQUEST_FAULTS.has(EXIT_TABLE[status].code) ? ERROR_CODES.invalidParams : ERROR_CODES.internal;
}

/** Options that cannot be honoured, a prompt that cannot be sent. */
const REQUEST_FAULTS: ReadonlySet<number> = new Set([EXIT_TABLE.usage.code, EXIT_TABLE["invalid-data"].code]);
