import { RequestError } from "@agentclientprotocol/sdk";
import { JlgcliError, describeError } from "../errors.js";
import { EXIT_TABLE } from "../exit-codes.js";
import { ERROR_CODES } from "./error-codes.js";

/** Anything that was thrown as an answer to a request: our own errors with their sentence and the next step. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof JlgcliError)) return new RequestError(ERROR_CODES.internal, `internal error: ${describeError(error)}`);
  const { status, exitCode, hint } = error;
  const code = CALLER_FAULTS.has(exitCode) ? ERROR_CODES.invalidParams : ERROR_CODES.internal;
  return new RequestError(code, hint === undefined ? error.message : `${error.message} (${hint})`, { status, exitCode });
}

/** Wrong parameters, in one clear sentence. */
export function invalidParams(message: string, data: Record<string, unknown> = {}): RequestError {
  return new RequestError(ERROR_CODES.invalidParams, message, data);
}

const CALLER_FAULTS: ReadonlySet<number> = new Set([EXIT_TABLE.usage.code, EXIT_TABLE["invalid-data"].code, EXIT_TABLE["no-input"].code]);
