import type { CommandIo } from "../command-io.js";
import type { RunEvent } from "../events/schema.js";
import type { RenderOptions } from "./types.js";

/** The waiting time of a run, on a terminal. */
export interface Progress {
  onEvent(event: RunEvent): void;
  /** Prints something in the place of the progress line, which goes on after it. */
  interrupt(print: () => void): void;
  stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const CLEAR_LINE = "\r\u001B[2K";

/** A spinner with the elapsed time on stderr; nothing where stderr is no terminal or no steps are wanted. */
export function createProgress(io: CommandIo, options: RenderOptions): Progress {
  if (!io.stderrIsTty || options.verbosity < 2 || io.env["TERM"] === "dumb") return SILENT;
  const startedAt = performance.now();
  let frame = 0;
  let label = "waiting";
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    frame = (frame + 1) % FRAMES.length;
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    io.stderr(`${CLEAR_LINE}${FRAMES[frame] ?? ""} ${label} ${seconds} s`);
  };
  const clear = (): void => io.stderr(CLEAR_LINE);
  return {
    onEvent: (event) => {
      if (event.type === "start") {
        label = event.backend;
        timer ??= setInterval(draw, FRAME_MS).unref();
      }
    },
    interrupt: (print) => {
      if (timer !== undefined) clear();
      print();
    },
    stop: () => {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      clear();
    },
  };
}

const SILENT: Progress = { onEvent: () => undefined, interrupt: (print) => print(), stop: () => undefined };
