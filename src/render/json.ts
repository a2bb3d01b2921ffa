import type { CommandIo } from "../command-io.js";
import { createNotices } from "./notices.js";
import { createProgress } from "./progress.js";
import type { RenderOptions, Renderer } from "./types.js";

/** `--output json`: one `RunResult` on one line, whatever the end. */
export function createJsonRenderer(io: CommandIo, options: RenderOptions): Renderer {
  const progress = createProgress(io, options);
  const notices = createNotices(io, options, progress);
  return {
    onPrompt: (prompt) => notices.onPrompt(prompt),
    onEvent: async (event) => {
      progress.onEvent(event);
      await notices.onEvent(event);
    },
    onAnswer: () => undefined,
    onResult: async (result) => {
      progress.stop();
      io.stdout(`${JSON.stringify(result)}\n`);
      await notices.onResult(result);
    },
  };
}
