import type { CompletionVerdict } from "../events/schema.js";
import { preview } from "../printable.js";
import { findLastObject, type JsonObject } from "./find-last-object.js";

/** How a loop knows that it is done. */
export type Completion = TextCompletion | UntilCompletion;

/** Decided by the answer alone. */
export type TextCompletion = { readonly kind: "marker"; readonly marker: string } | { readonly kind: "json" };

/** Decided by a command: done when it exits with 0. */
export interface UntilCompletion {
  readonly kind: "until";
  readonly command: string;
  /** Milliseconds that the command may take; 0 is off. */
  readonly timeoutMs: number;
}

export const DEFAULT_MARKER = "DONE";

/** What an answer says about the whole task. Only the answer of this iteration is looked at, never a prompt or a transcript. Pure. */
export function judgeAnswer(answer: string, completion: TextCompletion): CompletionVerdict {
  return completion.kind === "marker" ? judgeByMarker(answer, completion.marker) : judgeByJson(answer);
}

/** A verdict with what it does not say filled in. */
export function toVerdict(verdict: Pick<CompletionVerdict, "status"> & Partial<CompletionVerdict>): CompletionVerdict {
  return { summary: null, next: null, check: null, ...verdict };
}

/** Done only if the last line is exactly the marker: a marker within a sentence is talk about it. Line breaks at the end do not count. */
function judgeByMarker(answer: string, marker: string): CompletionVerdict {
  let end = answer.length;
  while (end > 0 && "\r\n".includes(answer.charAt(end - 1))) end -= 1;
  const lastLine = answer.slice(answer.lastIndexOf("\n", end - 1) + 1, end);
  return toVerdict({ status: lastLine === marker ? "done" : "continue" });
}

const JSON_STATUSES = ["continue", "done", "error"] as const;

function judgeByJson(answer: string): CompletionVerdict {
  const object = findLastObject(answer);
  if (object === null) return toVerdict({ status: "invalid", summary: "the answer holds no valid JSON object" });
  const problem = findProblem(object);
  if (problem !== null) return toVerdict({ status: "invalid", summary: problem });
  return toVerdict({ status: findStatus(object) ?? "invalid", summary: findText(object, "summary"), next: findText(object, "next") });
}

function findStatus(object: JsonObject): (typeof JSON_STATUSES)[number] | undefined {
  return JSON_STATUSES.find((status) => status === ownValue(object, "status"));
}

function findProblem(object: JsonObject): string | null {
  if (findStatus(object) === undefined) {
    const status = ownValue(object, "status");
    return `the last JSON object of the answer has ${status === undefined ? "no status" : `the status ${preview(status)}`}: expected one of ${JSON_STATUSES.join(", ")}`;
  }
  const wrong = ["summary", "next"].find((name) => !isTextOrNothing(ownValue(object, name)));
  return wrong === undefined ? null : `the last JSON object of the answer has a ${wrong} that is no text: ${preview(ownValue(object, wrong))}`;
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function findText(object: JsonObject, name: string): string | null {
  const value = ownValue(object, name);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function ownValue(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
