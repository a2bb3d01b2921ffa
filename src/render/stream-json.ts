import type { CommandIo } from "../commands/io.js";
import type { RunEvent } from "../events/schema.js";
import type { Renderer } from "./types.js";

/** `--output stream-json`: one event per line; the last one is the result. A slow reader holds the backend back. */
export function createStreamJsonRenderer(io: CommandIo): Renderer {
  const write = async (event: RunEvent): Promise<void> => {
    io.stdout(`${JSON.stringify(event)}\n`);
    await io.drained?.();
  };
  return {
    onEvent: (event) => (event.type === "result" ? undefined : write(event)),
    onAnswer: () => undefined,
    onResult: (result) => write({ type: "result", ...result }),
  };
}
