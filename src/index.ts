export type * from "./adapters/traits.js";
export type * from "./adapters/types.js";
export type * from "./events/schema.js";
export type { RunOptions } from "./runner/types.js";
export { ERROR_STATUSES, JlgcliError, type JlgcliErrorCode, type JlgcliErrorOptions } from "./errors.js";
export { EXIT_TABLE, RUN_STATUSES, exitCodeOf, statusOfExitCode, type RunStatus } from "./exit-codes.js";
