import type { CommandIo } from "../command-io.js";
import type { RunResult } from "../events/schema.js";
import { createFinalAnswer, createTerminalAnswer, withLineEnd } from "./answer.js";
import { createNotices } from "./notices.js";
import { createProgress } from "./progress.js";
import { toSafeText } from "./safe-text.js";
import { styled } from "./style.js";
import type { RenderOptions, Renderer } from "./types.js";

/** `--output text`: the answer on stdout, as it is for a pipe and laid out for a terminal; everything else on stderr. */
export function createTextRenderer(io: CommandIo, options: RenderOptions): Renderer {
  const progress = createProgress(io, options);
  const answer = io.stdoutIsTty ? createTerminalAnswer(io, progress) : createFinalAnswer(io, progress);
  const notices = createNotices(io, options, progress);
  return {
    onPrompt: (prompt) => notices.onPrompt(prompt),
    onEvent: async (event) => {
      progress.onEvent(event);
      await notices.onEvent(event);
      if (options.isProvisional !== true) await answer.onEvent(event);
      await io.drained?.();
    },
    onAnswer: (text) => answer.finish(text),
    onResult: async (result) => {
      if (result.status === "success") await answer.finish(result.text);
      progress.stop();
      if (result.status !== "success") {
        await answer.breakOff();
        await sayFailure(io, options, result, answer.wasShown);
      }
      await notices.onResult(result);
      await io.drained?.();
    },
  };
}

/** What others said shows no credential, and cannot steer a terminal. */
async function sayFailure(io: CommandIo, options: RenderOptions, result: RunResult, wasShown: boolean): Promise<void> {
  const toShown = async (text: string): Promise<string> => toSafeText(await options.redactor.redactText(text));
  if (result.partialText !== null && !wasShown) io.stderr(withLineEnd(await toShown(result.partialText)));
  io.stderr(`${styled("red", "jlgcli:", options.color)} ${await toShown(result.text)}\n`);
  if (result.details !== undefined) io.stderr(`${styled("dim", `  ${await toShown(result.details)}`, options.color)}\n`);
}
