import type { Carry, COMPLETION_KINDS } from "../runner/loop-words.js";
import type { RunFlags } from "./run.js";

/** The flags of `jlgcli loop`, as commander gives them. `timeout` and `maxCost` are for all iterations, `resume` names a loop. */
export interface LoopFlags extends RunFlags {
  readonly completion?: (typeof COMPLETION_KINDS)[number];
  readonly marker?: string;
  readonly until?: string;
  readonly untilTimeout?: string;
  readonly carry?: Carry;
  readonly instruct?: boolean;
  readonly session?: boolean;
  readonly maxIterations?: string;
  /** Of `--no-progress`; true where it was not given. */
  readonly progress?: string | boolean;
}

export interface LoopRequest {
  readonly words: readonly string[];
  readonly flags: LoopFlags;
  /** The options that were given, as the command line takes them. */
  readonly given: readonly string[];
  readonly parseFlags: (args: readonly string[]) => LoopFlags;
}
