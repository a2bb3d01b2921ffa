import type { EndSignal } from "../adapters/traits.js";

/** A child with all that it started. */
export interface ProcessTree {
  /** When the root started, on the platform's own scale; undefined where that is not known. */
  readonly startedAt: number | undefined;
  /** To be called when the root is gone, so that nobody who gets its id is taken for it. */
  noteRootGone(): void;
  /** How many of its processes are running now. */
  count(): number;
  /**
   * Ends what is left: the signals in turn, each with its wait, then KILL, and looks again, since processes may have
   * been started meanwhile. Takes less than 7 s. Resolves with how many processes could not be ended.
   */
  end(signals?: readonly EndSignal[]): Promise<number>;
  /** KILLs what is there now. Synchronous, for a process that is itself about to end. */
  kill(): void;
}
