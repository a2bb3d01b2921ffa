import type { CommandIo } from "../commands/io.js";
import type { Renderer } from "./types.js";

/** `--output json`: one `RunResult` on one line, whatever the end. */
export function createJsonRenderer(io: CommandIo): Renderer {
  return {
    onEvent: () => undefined,
    onAnswer: () => undefined,
    onResult: (result) => io.stdout(`${JSON.stringify(result)}\n`),
  };
}
