import type { CommandIo } from "../commands/io.js";
import type { RunEvent } from "../events/schema.js";
import type { RenderOptions, Renderer } from "./types.js";

/**
 * `--output stream-json`: one event per line; the last one is the result. A slow reader holds the backend back.
 * The answer passes as it is; what tools and notices say passes without credentials.
 */
export function createStreamJsonRenderer(io: CommandIo, { redactor }: RenderOptions): Renderer {
  const write = async (event: unknown): Promise<void> => {
    io.stdout(`${JSON.stringify(event)}\n`);
    await io.drained?.();
  };
  return {
    onEvent: async (event) => {
      if (event.type === "result") return;
      await write(REDACTED_EVENTS.has(event.type) ? await redactor.redactJson(event) : event);
    },
    onAnswer: () => undefined,
    onResult: (result) => write({ type: "result", ...result }),
  };
}

const REDACTED_EVENTS: ReadonlySet<RunEvent["type"]> = new Set(["agent_thought_chunk", "tool_call", "tool_call_update", "plan", "warning"]);
