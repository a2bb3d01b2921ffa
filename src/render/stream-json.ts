import type { CommandIo } from "../command-io.js";
import type { RunEvent } from "../events/schema.js";
import { createNotices } from "./notices.js";
import { createProgress } from "./progress.js";
import type { RenderOptions, Renderer } from "./types.js";

/**
 * `--output stream-json`: one event per line; the last one is the result. A slow reader holds the backend back.
 * The answer passes as it is; what tools and notices say passes without credentials.
 */
export function createStreamJsonRenderer(io: CommandIo, options: RenderOptions): Renderer {
  const progress = createProgress(io, options);
  const notices = createNotices(io, options, progress);
  const write = async (event: unknown): Promise<void> => {
    io.stdout(`${JSON.stringify(event)}\n`);
    await io.drained?.();
  };
  return {
    onPrompt: (prompt) => notices.onPrompt(prompt),
    onEvent: async (event) => {
      if (event.type === "result") return;
      progress.onEvent(event);
      await notices.onEvent(event);
      await write(REDACTED_EVENTS.has(event.type) ? await options.redactor.redactJson(event) : event);
    },
    onAnswer: () => undefined,
    onResult: async (result) => {
      progress.stop();
      await write({ type: "result", ...result });
      await notices.onResult(result);
    },
  };
}

const REDACTED_EVENTS: ReadonlySet<RunEvent["type"]> = new Set(["agent_thought_chunk", "tool_call", "tool_call_update", "plan", "warning"]);
