import { type ModelAnswer, type TextAnswer, failWith, runBash, writeFile } from "./model-answer.js";
import type { ModelRequest } from "./model-request.js";

/**
 * The answer when a test has not said otherwise: directives inside the prompt, for work by hand.
 *
 * `[[say:TEXT]]`, `[[big:BYTES]]`, `[[chunks:N]]`, `[[delay:MS]]`, `[[think:TEXT]]`, `[[bash:COMMAND]]`,
 * `[[write:PATH|CONTENT]]`, `[[edit:PATH|OLD|NEW]]`, `[[status:401]]` or `[[status:429 retry-after=2 should-retry=false variant=1]]`,
 * `[[silence]]`, `[[reset]]`, `[[stall]]`, `[[cut]]`; `[[fail:N:STATUS]]` and `[[cut:N]]` only for the first N attempts.
 */
export function answerFromDirectives(request: ModelRequest): ModelAnswer {
  for (const found of request.prompt.matchAll(DIRECTIVE)) {
    const answer = ANSWERS[found[1] ?? ""]?.(found[2] ?? "", request);
    if (answer !== undefined) return answer;
  }
  return textAnswer(request);
}

const DIRECTIVE = /\[\[([a-z]+)(?::([\s\S]*?))?\]\]/g;

type DirectiveAnswer = (argument: string, request: ModelRequest) => ModelAnswer | undefined;

const ANSWERS: Record<string, DirectiveAnswer> = {
  bash: (command, request) => beforeToolResult(request, runBash(command)),
  write: (argument, request) => beforeToolResult(request, writeAnswer(argument)),
  edit: (argument, request) => beforeToolResult(request, editAnswer(argument)),
  status: statusAnswer,
  fail: (argument, request) => {
    const [times = "1", status = "500"] = argument.split(":");
    return request.attempt < Number(times) ? failWith(Number(status)) : undefined;
  },
  silence: () => ({ kind: "silence" }),
  reset: () => ({ kind: "reset" }),
  stall: (_argument, request) => ({ kind: "stall", afterChunks: 2, ...streaming(request) }),
  cut: (argument, request) =>
    argument !== "" && request.attempt >= Number(argument)
      ? undefined
      : { kind: "cut", afterChunks: 2, ...streaming(request) },
};

function beforeToolResult(request: ModelRequest, answer: ModelAnswer): ModelAnswer | undefined {
  return request.toolResults.length === 0 ? answer : undefined;
}

function writeAnswer(argument: string): ModelAnswer {
  const [path = "", content = ""] = argument.split("|");
  return writeFile(path, content);
}

function editAnswer(argument: string): ModelAnswer {
  const [path = "", oldText = "", newText = ""] = argument.split("|");
  return { kind: "tool", call: { edit: path, oldText, newText } };
}

function statusAnswer(argument: string): ModelAnswer {
  const [status = "500", ...settings] = argument.split(" ");
  const settingOf = (name: string): string | undefined =>
    settings.find((setting) => setting.startsWith(`${name}=`))?.slice(name.length + 1);
  const retryAfter = settingOf("retry-after");
  const shouldRetry = settingOf("should-retry");
  return failWith(Number(status), {
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(shouldRetry === undefined ? {} : { shouldRetry: shouldRetry === "true" }),
    variant: Number(settingOf("variant") ?? 0),
  });
}

function textAnswer(request: ModelRequest): TextAnswer {
  const thinking = argumentOf(request, "think");
  return { kind: "text", ...streaming(request), ...(thinking === undefined ? {} : { thinking }) };
}

function streaming(request: ModelRequest): { text: string; chunks?: number; delayMs?: number } {
  const chunks = argumentOf(request, "chunks");
  const delayMs = argumentOf(request, "delay");
  return {
    text: textOf(request),
    ...(chunks === undefined ? {} : { chunks: Number(chunks) }),
    ...(delayMs === undefined ? {} : { delayMs: Number(delayMs) }),
  };
}

function textOf(request: ModelRequest): string {
  const size = argumentOf(request, "big");
  if (size !== undefined) return bigText(Number(size));
  const said = argumentOf(request, "say");
  if (said !== undefined) return said;
  const lastResult = request.toolResults.at(-1);
  if (lastResult !== undefined) return `The tool answered: ${lastResult.slice(0, 400)}`;
  return `The model heard ${request.prompt.length} characters: ${request.prompt.slice(0, 400)}`;
}

function argumentOf(request: ModelRequest, name: string): string | undefined {
  for (const found of request.prompt.matchAll(DIRECTIVE)) if (found[1] === name) return found[2] ?? "";
  return undefined;
}

/** A text of exactly `length` characters in which every line differs, so that a lost piece shows. */
export function bigText(length: number): string {
  const lines: string[] = [];
  let size = 0;
  for (let number = 0; size < length; number += 1) {
    const line = `line ${String(number).padStart(7, "0")} of a long answer\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join("").slice(0, length);
}
