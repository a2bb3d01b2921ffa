export { runLoop } from "./loop.js";
export type { LoopOptions, LoopSteps } from "./loop-options.js";
export { runOnce } from "./run.js";
export type { RunOptions, RunResult, RunStatus } from "./types.js";
