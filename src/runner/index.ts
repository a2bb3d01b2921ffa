export { runOnce } from "./run.js";
export type { RunOptions, RunResult, RunStatus } from "./types.js";
