import type { LoopIteration } from "../events/schema.js";

/** It grows only when a field changes its meaning or goes away. */
export const LOOP_STATE_VERSION = 1;

/** All that is needed to go on with a loop whose process is gone. */
export interface LoopState {
  readonly version: typeof LOOP_STATE_VERSION;
  readonly loopId: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Where the loop's files are named from, and its backend works unless the options say otherwise. */
  readonly cwd: string;
  readonly prompt: string;
  /** The options of the command line, as it takes them. */
  readonly args: readonly string[];
  /** What is not kept since it holds a secret: `prompt`, or the flag of an option. It has to be given again. */
  readonly withheld: readonly string[];
  /** The process that is at work on it. */
  readonly owner: { readonly pid: number; /** On the scale of `ProcessRow.startedAt`; null where it is not known. */ readonly startedAt: number | null };
  /** Those that are over and judged. */
  readonly iterations: readonly LoopIteration[];
}
