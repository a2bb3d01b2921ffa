export { DEFAULT_BACKEND, runOnce } from "./run.js";
export type { RunOptions, RunResult, RunStatus } from "./types.js";
