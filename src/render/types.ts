import type { RunEvent, RunResult } from "../events/schema.js";
import type { LazyRedactor } from "../sinks/lazy-redactor.js";

/** Shows one run. Stdout carries the answer alone; everything else goes to stderr. */
export interface Renderer {
  onEvent(event: RunEvent): void | Promise<void>;
  /** The answer, as soon as the backend says that it has finished. */
  onAnswer(text: string): void | Promise<void>;
  /** The end of the run. */
  onResult(result: RunResult): void | Promise<void>;
}

export interface RenderOptions {
  /** 0 errors only, 1 notices, 2 steps, 3 everything. */
  readonly verbosity: number;
  readonly color: boolean;
  /** For all that is shown but the answer. */
  readonly redactor: LazyRedactor;
}
