/**
 * The one table of how a run can end: status -> number, name, meaning.
 * Nobody else in the project writes an exit code as a number.
 * The numbers follow sysexits(3) where it has one; clarifications/003-exit-codes.md tells why.
 */
export const EXIT_TABLE = {
  success: { code: 0, name: "OK", meaning: "the backend said it finished and gave an answer" },
  error: { code: 1, name: "FAILURE", meaning: "the backend ran and failed, or ended without evidence of success" },
  "permission-denied": { code: 1, name: "FAILURE", meaning: "tools were refused and --strict-permissions was given" },
  "backend-missing": { code: 2, name: "BACKEND_MISSING", meaning: "the backend's program was not found" },
  "max-iterations": { code: 4, name: "MAX_ITERATIONS", meaning: "the loop reached its iteration limit" },
  "no-progress": { code: 5, name: "NO_PROGRESS", meaning: "the loop's answers stopped changing" },
  "backend-unauthenticated": {
    code: 6,
    name: "BACKEND_UNAUTHENTICATED",
    meaning: "no credentials, or the service refused them",
  },
  usage: { code: 64, name: "USAGE", meaning: "bad flags or arguments" },
  "backend-unknown": { code: 64, name: "USAGE", meaning: "no backend has this id" },
  "backend-unsupported": {
    code: 64,
    name: "USAGE",
    meaning: "this version does not drive the backend here, or the backend cannot honour an option",
  },
  "invalid-data": { code: 65, name: "DATAERR", meaning: "the prompt or the answer has data that cannot be used" },
  "no-input": { code: 66, name: "NOINPUT", meaning: "a prompt file, directory or session was not found or not readable" },
  "rate-limited": { code: 69, name: "UNAVAILABLE", meaning: "quota or rate limit of the service reached" },
  unavailable: { code: 69, name: "UNAVAILABLE", meaning: "service overloaded, failing (5xx) or not reachable" },
  internal: { code: 70, name: "SOFTWARE", meaning: "a bug in jlgcli" },
  "cannot-create": { code: 73, name: "CANTCREAT", meaning: "a file that was asked for cannot be created" },
  "io-error": { code: 74, name: "IOERR", meaning: "output could not be written" },
  timeout: { code: 75, name: "TEMPFAIL", meaning: "the total, idle or first-byte deadline passed" },
  config: { code: 78, name: "CONFIG", meaning: "configuration or backend record unreadable or invalid" },
  interrupted: {
    code: 130,
    name: "INTERRUPTED",
    meaning: "ended by a signal; the process re-raises it after clean-up (130 for SIGINT, 143 for SIGTERM)",
  },
} as const satisfies Record<string, ExitEntry>;

interface ExitEntry {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}

/** How a run ended, in words. */
export type RunStatus = keyof typeof EXIT_TABLE;

/** Every status, in the order of the table. */
export const RUN_STATUSES = Object.keys(EXIT_TABLE) as readonly RunStatus[];

/** The code of a success. */
export const SUCCESS_EXIT_CODE = EXIT_TABLE.success.code;

/**
 * The reader of our output went away (`| head -1`): the code that a shell shows for SIGPIPE, which Node ignores.
 * No run ends with it by itself.
 */
export const CLOSED_PIPE_EXIT_CODE = 141;

const SIGNAL_EXIT_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The exit code of a status. For `interrupted` the signal decides: 128 + its number. */
export function exitCodeOf(status: RunStatus, signal?: string): number {
  if (status === "interrupted" && signal !== undefined) {
    return SIGNAL_EXIT_CODES[signal] ?? EXIT_TABLE.interrupted.code;
  }
  return EXIT_TABLE[status].code;
}

/** The status that stands for one of our exit codes (the first of the table where several share it). */
export function statusOfExitCode(code: number): RunStatus {
  return RUN_STATUSES.find((status) => EXIT_TABLE[status].code === code) ?? "error";
}
