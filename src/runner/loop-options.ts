import type { CheckResult, LoopIteration } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import type { Completion, UntilCompletion } from "./completion.js";
import type { Carry } from "./loop-words.js";
import type { RunOptions, RunResult } from "./types.js";

/** A loop: the same prompt again and again, until its completion says that it is done or a limit is reached. */
export interface LoopOptions {
  /** What every iteration is run with. Its `prompt` is the loop's; its `timeoutMs` is for all iterations together. */
  readonly run: RunOptions;
  readonly completion: Completion;
  /** From 1. */
  readonly maxIterations?: number;
  /** Ends the loop when so many answers in a row are equal or nearly equal; 0 is off. */
  readonly noProgressAfter?: number;
  /** Ends the loop when its iterations have cost as much. A backend that does not tell its cost is refused. */
  readonly maxCost?: number;
  /** Milliseconds for one iteration; 0 is off. */
  readonly iterationTimeoutMs?: number;
  /** What an iteration is told of the one before it; absent: nothing. */
  readonly carry?: Carry;
  /** Tells each iteration how to say that the whole task is complete. */
  readonly instruct?: boolean;
  /** Each iteration goes on in the backend's session of the one before it, instead of a new one. */
  readonly keepSession?: boolean;
  /** The `runId` of the result. Absent: a new one. */
  readonly loopId?: string;
  /** The iterations of this loop that are over already; its limits hold for all of them. */
  readonly earlier?: readonly LoopIteration[];
}

/** What a loop does to the world, given from outside. */
export interface LoopSteps {
  readonly runOnce: (options: RunOptions, iteration: number) => Promise<RunResult>;
  /** Needed for a completion of the kind `until`. */
  readonly runCheck?: (completion: UntilCompletion, options: RunOptions) => Promise<CheckResult>;
  /** Called when an iteration is over and judged. A resumed loop goes on after the last one it was called for. */
  readonly onIteration?: (iteration: LoopIteration, all: readonly LoopIteration[]) => void | Promise<void>;
}

/** How a loop ended. */
export interface LoopEnd {
  readonly status: RunStatus;
  readonly exitCode?: number;
  readonly text: string;
  readonly details?: string;
  /** The last answer, where it is not the loop's own. */
  readonly partialText?: string | null;
  /** The iteration that failed, and is not one of those that are over. */
  readonly failed?: LoopIteration;
}
