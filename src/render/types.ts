import type { RunEvent, RunResult } from "../events/schema.js";
import type { LazyRedactor } from "../sinks/lazy-redactor.js";

/** Shows one run. Stdout carries the answer alone; everything else goes to stderr. */
export interface Renderer {
  /** The prompt as the backend is about to get it. */
  onPrompt?(prompt: string): void | Promise<void>;
  onEvent(event: RunEvent): void | Promise<void>;
  /** The answer, as soon as the backend says that it has finished. */
  onAnswer(text: string): void | Promise<void>;
  /** The end of the run. */
  onResult(result: RunResult): void | Promise<void>;
}

export interface RenderOptions {
  /** 0 the result alone, 1 and its cost, 2 and the steps, 3 and everything. */
  readonly verbosity: number;
  /** Of stderr. */
  readonly color: boolean;
  /** What arrives may turn out not to be the answer, so it is not shown before the end. */
  readonly isProvisional?: boolean;
  /** For all that is shown but the answer. */
  readonly redactor: LazyRedactor;
}
