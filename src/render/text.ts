import type { CommandIo } from "../commands/io.js";
import type { RunEvent, RunResult } from "../events/schema.js";
import { describeDeniedTools } from "./denied-tools.js";
import { createProgress, type Progress } from "./progress.js";
import { styled, toSafeText } from "./style.js";
import type { RenderOptions, Renderer } from "./types.js";

/**
 * `--output text`: the final answer once. On a terminal it appears as it arrives; what was streamed may be cut or
 * repeated by the backend, so a terminal that was shown something else is given the final text after it.
 */
export function createTextRenderer(io: CommandIo, options: RenderOptions): Renderer {
  const progress = createProgress(io, options);
  const answer = io.stdoutIsTty ? createStreamedAnswer(io, progress) : createFinalAnswer(io, progress);
  const notices = createNotices(io, options, progress);
  return {
    onEvent: async (event) => {
      progress.onEvent(event);
      await notices.onEvent(event);
      answer.onEvent(event);
      await io.drained?.();
    },
    onAnswer: (text) => answer.finish(text),
    onResult: async (result) => {
      if (result.status === "success") await answer.finish(result.text);
      progress.stop();
      if (result.status !== "success") answer.breakOff();
      await notices.onResult(result, answer.streamed);
      await io.drained?.();
    },
  };
}

interface Answer {
  onEvent(event: RunEvent): void;
  finish(text: string): Promise<void>;
  /** The run ended badly: the line that was begun is ended. */
  breakOff(): void;
  /** Something of an answer was shown already. */
  readonly streamed: boolean;
}

function createFinalAnswer(io: CommandIo, progress: Progress): Answer {
  let printed = false;
  return {
    onEvent: () => undefined,
    finish: async (text) => {
      if (printed) return;
      printed = true;
      progress.stop();
      io.stdout(withLineEnd(text));
      await io.drained?.();
    },
    breakOff: () => undefined,
    streamed: false,
  };
}

function createStreamedAnswer(io: CommandIo, progress: Progress): Answer {
  // What was shown of the message that is being streamed; a new message or a tool call begins another.
  let shown = "";
  let messageId: string | null = null;
  let streamed = false;
  let printed = false;
  const endMessage = (): void => {
    if (shown !== "") io.stdout(shown.endsWith("\n") ? "\n" : "\n\n");
    shown = "";
  };
  return {
    onEvent: (event) => {
      if (event.type === "tool_call") endMessage();
      if (event.type !== "agent_message_chunk") return;
      if (event.messageId !== messageId) endMessage();
      messageId = event.messageId;
      progress.stop();
      io.stdout(event.content.text);
      shown += event.content.text;
      streamed = true;
    },
    finish: async (text) => {
      if (printed) return;
      printed = true;
      progress.stop();
      if (text.startsWith(shown)) io.stdout(withLineEnd(text.slice(shown.length), shown));
      else {
        endMessage();
        io.stdout(withLineEnd(text));
      }
      shown = "";
      await io.drained?.();
    },
    breakOff: () => endMessage(),
    get streamed() {
      return streamed;
    },
  };
}

function withLineEnd(text: string, before = ""): string {
  return `${before}${text}`.endsWith("\n") ? text : `${text}\n`;
}

// --- stderr ---

interface Notices {
  onEvent(event: RunEvent): Promise<void>;
  onResult(result: RunResult, streamed: boolean): Promise<void>;
}

const ERRORS = 0;
const NOTICES = 1;
const STEPS = 2;
const EVERYTHING = 3;

function createNotices(io: CommandIo, options: RenderOptions, progress: Progress): Notices {
  const say = (level: number, line: string): void => {
    if (options.verbosity >= level) progress.interrupt(() => io.stderr(`${line}\n`));
  };
  const note = (level: number, text: string): void => say(level, styled("dim", `jlgcli: ${text}`, options.color));
  /** What others said shows no credential: a tool's command may hold one, a backend's error may quote one. */
  const sayQuoted = async (level: number, text: string, toLine: (safe: string) => string): Promise<void> => {
    if (options.verbosity >= level) say(level, toLine(toSafeText(await options.redactor.redactText(text))));
  };
  const noteQuoted = (level: number, text: string): Promise<void> =>
    sayQuoted(level, toOneLine(text), (safe) => styled("dim", `jlgcli: ${safe}`, options.color));
  const sayFailure = async (result: RunResult, streamed: boolean): Promise<void> => {
    if (result.partialText !== null && !streamed) await sayQuoted(ERRORS, result.partialText.replace(/\n$/, ""), (safe) => safe);
    await sayQuoted(ERRORS, result.text, (safe) => `${styled("red", "jlgcli:", options.color)} ${safe}`);
    if (result.details !== undefined) await sayQuoted(ERRORS, `  ${result.details}`, (safe) => styled("dim", safe, options.color));
  };
  return {
    onEvent: async (event) => {
      if (event.type === "start" && event.simulated) note(NOTICES, `a recording is played: ${event.recordedFrom ?? "source unknown"}`);
      if (event.type === "start") note(EVERYTHING, `run ${event.runId} on ${event.backend} in ${event.cwd}`);
      if (event.type === "tool_call") await noteQuoted(STEPS, `${event.kind}: ${event.title}`);
      // Another model's answer is told with the result.
      if (event.type === "warning" && event.code !== "model-substituted") await noteQuoted(STEPS, `${event.code}: ${event.message}`);
      if (event.type === "agent_thought_chunk") await noteQuoted(EVERYTHING, `thought: ${event.content.text}`);
    },
    onResult: async (result, streamed) => {
      for (const warning of result.warnings) await noteQuoted(NOTICES, warning);
      const denied = describeDeniedTools(result);
      if (denied !== null) note(result.deniedTools === null ? EVERYTHING : NOTICES, denied);
      if (result.status !== "success") await sayFailure(result, streamed);
      else note(EVERYTHING, describeSummary(result));
    },
  };
}

function describeSummary(result: RunResult): string {
  const tokens = result.usage?.totalTokens;
  return [
    `${result.backend} finished in ${(result.durationMs / 1000).toFixed(1)} s`,
    ...(result.model === null ? [] : [`model ${result.model}`]),
    ...(tokens === null || tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(result.cost === null ? [] : [`${result.cost.amount.toFixed(4)} ${result.cost.currency}`]),
    ...(result.sessionId === null ? [] : [`session ${result.sessionId}`]),
  ].join(", ");
}

const MAX_NOTICE_CHARS = 200;

function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_NOTICE_CHARS ? line : `${line.slice(0, MAX_NOTICE_CHARS)}…`;
}
