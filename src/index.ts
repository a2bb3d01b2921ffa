/** The library: run a prompt on a backend, read its events, add backends of your own. */
export { runLoop, runOnce } from "./runner/index.js";
export type { LoopOptions, LoopSteps, RunOptions, RunResult, RunStatus } from "./runner/index.js";
export { EXIT_TABLE, RUN_STATUSES, exitCodeOf, statusOfExitCode } from "./exit-codes.js";
export { JlgcliError } from "./errors.js";
export type { JlgcliErrorCode } from "./errors.js";
export * from "./events/schema.js";
export { defineBackend } from "./adapters/define-backend.js";
export { createCliExecutorAdapter } from "./adapters/create-cli-executor-adapter.js";
export { adapterFromRecord } from "./adapters/from-record.js";
export { getAdapterById, tryGetAdapterById } from "./adapters/registry.js";
export type * from "./adapters/record.js";
export type * from "./adapters/types.js";
export * from "./adapters/traits.js";
