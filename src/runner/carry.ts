import type { LoopIteration } from "../events/schema.js";
import type { Completion } from "./completion.js";
import type { Carry } from "./loop-words.js";

/** Characters that are carried at most: of a longer text the end. */
export const MAX_CARRIED_CHARS = 16_000;

/**
 * The prompt of an iteration: the loop's own, then, where asked for, how to say that the task is complete, then what
 * is carried from the iteration before. Nothing else is ever added. Pure.
 */
export function toIterationPrompt(prompt: string, options: { readonly carry: Carry; readonly instruct: boolean; readonly completion: Completion }, before: LoopIteration | undefined): string {
  const parts = [prompt, options.instruct ? describeProtocol(options.completion) : null, describeCarried(options.carry, before)];
  return parts.filter((part) => part !== null).join("\n\n");
}

function describeProtocol(completion: Completion): string {
  switch (completion.kind) {
    case "marker":
      return `When the whole task is complete, end your answer with a line that holds ${completion.marker} and nothing else. Until then, never write such a line.`;
    case "json":
      return 'End your answer with one JSON object: {"status": "continue" | "done" | "error", "summary": "what was done", "next": "what is to be done next"}. Say "done" only when the whole task is complete, and "error" when it cannot be completed.';
    case "until":
      return `The task is complete when this command exits with 0: ${completion.command}`;
    default:
      return completion satisfies never;
  }
}

function describeCarried(carry: Carry, before: LoopIteration | undefined): string | null {
  if (before === undefined) return null;
  const carried = CARRIED[carry](before);
  return carried === null ? null : `${carried.title}:\n\n${keepEnd(carried.text)}`;
}

interface Carried {
  readonly title: string;
  readonly text: string;
}

const CARRIED: Readonly<Record<Carry, (before: LoopIteration) => Carried | null>> = {
  none: () => null,
  next: ({ completion }) => toCarried("The next step, as the previous iteration named it", completion?.next),
  summary: ({ completion }) => toCarried("Summary of the previous iteration", completion?.summary),
  answer: ({ text }) => toCarried("Answer of the previous iteration", text),
  check: ({ completion }) => {
    const check = completion?.check;
    if (check === undefined || check === null) return null;
    const end = check.timedOut ? "did not end in time" : `ended with exit code ${String(check.exitCode)}`;
    return toCarried(`After the previous iteration the command \`${check.command}\` ${end}. The end of its output`, check.output);
  },
};

function toCarried(title: string, text: string | null | undefined): Carried | null {
  return text === null || text === undefined || text.trim() === "" ? null : { title, text };
}

function keepEnd(text: string): string {
  if (text.length <= MAX_CARRIED_CHARS) return text;
  const kept = text.slice(-MAX_CARRIED_CHARS).replace(/^[\uDC00-\uDFFF]/, "");
  return `[the first ${text.length - kept.length} characters are left out]\n${kept}`;
}
