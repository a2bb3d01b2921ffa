import type { NamedCall } from "../tool-call.js";
import type { TokenUsage } from "../model-answer.js";
import type { Dialect, ModelRequest } from "../model-request.js";

/** What the server must know about a wire format: how to read a request, and how to word an answer. */
export interface DialectFormat {
  dialect: Dialect;
  /** `path` is that of the request's URL. */
  parseRequest(body: unknown, path: string): Omit<ModelRequest, "dialect" | "body" | "attempt">;
  /** The stream's pieces, ready to be written; the server pauses or cuts between `deltas`. */
  textStream(answer: TextToSend): StreamPieces;
  toolStream(answer: CallToSend): string[];
  textBody(answer: TextToSend): unknown;
  toolBody(answer: CallToSend): unknown;
}

export interface StreamPieces {
  head: string;
  deltas: string[];
  tail: string;
}

export interface TextToSend {
  id: string;
  model: string;
  text: string;
  pieces: readonly string[];
  thinking: string | null;
  usage: TokenUsage;
}

export interface CallToSend {
  id: string;
  model: string;
  text: string | null;
  call: NamedCall;
  usage: TokenUsage;
  isFreeText: boolean;
}

/** One server-sent event; `name` is left out where the dialect has no event names. */
export function toEvent(data: unknown, name?: string): string {
  const line = `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}
