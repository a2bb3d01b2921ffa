import { exitCodeOf, type RunStatus } from "./exit-codes.js";

/** What went wrong, as a word to route on. Each maps to one status, and so to one exit code. */
export const ERROR_STATUSES = {
  USAGE_INVALID: "usage",
  BACKEND_UNKNOWN: "backend-unknown",
  BACKEND_MISSING: "backend-missing",
  BACKEND_UNAUTHENTICATED: "backend-unauthenticated",
  BACKEND_OPTION_UNSUPPORTED: "backend-unsupported",
  BACKEND_RECORD_INVALID: "config",
  RUN_REQUEST_INVALID: "usage",
  PROMPT_INVALID: "invalid-data",
  PROMPT_TOO_LARGE: "invalid-data",
  CASSETTE_INVALID: "invalid-data",
  INPUT_NOT_FOUND: "no-input",
  CONFIG_INVALID: "config",
  CANNOT_CREATE: "cannot-create",
  OUTPUT_FAILED: "io-error",
  INTERRUPTED: "interrupted",
  INTERNAL: "internal",
} as const satisfies Record<string, RunStatus>;

export type JlgcliErrorCode = keyof typeof ERROR_STATUSES;

export interface JlgcliErrorOptions {
  /** The next step for the person who reads the message. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The signal that ended us; only with INTERRUPTED. */
  readonly signal?: string;
}

/**
 * An unexpected end. The message names the thing, the bad value and the place; the hint is the next step.
 * Expected ends (timeout, backend failure) are values, not errors.
 */
export class JlgcliError extends Error {
  override readonly name = "JlgcliError";
  readonly code: JlgcliErrorCode;
  readonly hint: string | undefined;
  readonly signal: string | undefined;

  constructor(code: JlgcliErrorCode, message: string, options: JlgcliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.signal = options.signal;
  }

  /** The status of a run that ends with this error. */
  get status(): RunStatus {
    return ERROR_STATUSES[this.code];
  }

  /** The exit code of a process that ends with this error. */
  get exitCode(): number {
    return exitCodeOf(this.status, this.signal);
  }
}

/** The message of anything that was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
