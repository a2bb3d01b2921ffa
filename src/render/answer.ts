import type { CommandIo } from "../command-io.js";
import type { RunEvent } from "../events/schema.js";
import type { Progress } from "./progress.js";
import { splitUnfinished, toSafeText } from "./safe-text.js";
import { wantsColor } from "./style.js";

/** Shows the answer on stdout. */
export interface Answer {
  onEvent(event: RunEvent): void | Promise<void>;
  finish(text: string): Promise<void>;
  /** The run ended badly: what was begun is ended. */
  breakOff(): Promise<void>;
  /** Something of an answer was shown already. */
  readonly wasShown: boolean;
}

/** The final answer once, as it is: for a file or a pipe. */
export function createFinalAnswer(io: CommandIo, progress: Progress): Answer {
  let wasShown = false;
  return {
    onEvent: () => undefined,
    finish: async (text) => {
      if (wasShown) return;
      wasShown = true;
      progress.stop();
      io.stdout(withLineEnd(text));
      await io.drained?.();
    },
    breakOff: async () => undefined,
    get wasShown() {
      return wasShown;
    },
  };
}

/**
 * The answer for a person at a terminal, made safe. Where there is colour, Markdown is rendered block by block, each as
 * soon as it is whole; without, the text appears as it arrives. What was streamed may be cut or repeated by the
 * backend, so someone who was shown something else is given the final text after it.
 */
export function createTerminalAnswer(io: CommandIo, progress: Progress): Answer {
  const show = wantsColor(true, io.env) ? showMarkdown : showRaw;
  // The source of what was shown, and of what waits for its end; a new message or a tool call begins another.
  let shown = "";
  let waiting = "";
  let tried = 0;
  let messageId: string | null = null;
  let wasShown = false;
  let isFinished = false;

  const print = async (source: string, isWhole: boolean): Promise<string> => {
    if (source === "") return "";
    const { text, rest } = await show(source, isWhole);
    if (text === "") return rest;
    progress.stop();
    // A gap between blocks that are shown one by one.
    io.stdout(`${wasShown && show === showMarkdown && shown !== "" ? "\n" : ""}${text}`);
    wasShown = true;
    shown += source.slice(0, source.length - rest.length);
    return rest;
  };
  const endMessage = async (): Promise<void> => {
    waiting = await print(waiting, true);
    if (shown !== "") io.stdout(show === showMarkdown || shown.endsWith("\n") ? "\n" : "\n\n");
    shown = "";
    waiting = "";
    tried = 0;
  };
  return {
    onEvent: async (event) => {
      if (event.type === "tool_call") await endMessage();
      if (event.type !== "agent_message_chunk") return;
      if (event.messageId !== messageId) await endMessage();
      messageId = event.messageId;
      waiting += event.content.text;
      // A block that is long already is not looked through again for every few characters.
      if (show === showMarkdown && waiting.length < tried * RETRY_GROWTH) return;
      waiting = await print(waiting, false);
      tried = waiting.length;
    },
    finish: async (text) => {
      if (isFinished) return;
      isFinished = true;
      progress.stop();
      if (!text.startsWith(shown)) {
        waiting = "";
        await endMessage();
      }
      const begun = shown;
      await print(text.slice(begun.length), true);
      if (show === showRaw && !text.endsWith("\n")) io.stdout("\n");
      [shown, waiting] = ["", ""];
      await io.drained?.();
    },
    breakOff: endMessage,
    get wasShown() {
      return wasShown;
    },
  };
}

const RETRY_GROWTH = 1.05;

/** Longer texts are not laid out: it would take longer than reading them. */
const MAX_MARKDOWN_CHARS = 1024 * 1024;

/** What of a source to print now, and the part of it that has to wait. */
interface Shown {
  readonly text: string;
  readonly rest: string;
}

async function showMarkdown(source: string, isWhole: boolean): Promise<Shown> {
  if (source.length > MAX_MARKDOWN_CHARS) return { text: withLineEnd(toSafeText(source)), rest: "" };
  const { renderMarkdown, splitBlocks } = await import("./markdown.js");
  const { whole, rest } = isWhole ? { whole: source, rest: "" } : splitBlocks(source);
  return { text: whole.trim() === "" ? "" : renderMarkdown(toSafeText(whole)), rest: whole.trim() === "" ? source : rest };
}

async function showRaw(source: string, isWhole: boolean): Promise<Shown> {
  const { whole, rest } = isWhole ? { whole: source, rest: "" } : splitUnfinished(source);
  return { text: toSafeText(whole), rest };
}

export function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
