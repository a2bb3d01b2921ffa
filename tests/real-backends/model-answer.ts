/** What the model server does with one request. Delays are in milliseconds. */
export type ModelAnswer =
  | TextAnswer
  | ToolAnswer
  | ErrorAnswer
  /** Accepts the request and never answers. */
  | { kind: "silence" }
  /** Destroys the socket before any response header. */
  | { kind: "reset" }
  /** Streams the first `afterChunks` chunks of the text, then sends nothing more and keeps the socket open. */
  | ({ kind: "stall"; afterChunks: number } & Streaming)
  /** Streams the first `afterChunks` chunks of the text, then destroys the socket. */
  | ({ kind: "cut"; afterChunks: number } & Streaming);

export interface Streaming {
  text: string;
  /** Into how many deltas the text is split; by default one per 40 characters, at most 200. */
  chunks?: number;
  /** Pause before each delta after the first. */
  delayMs?: number;
}

export interface TextAnswer extends Streaming {
  kind: "text";
  /** Thinking that precedes the text, in dialects that can carry it. */
  thinking?: string;
  /** Replaces the computed usage figures. */
  usage?: TokenUsage;
}

/** `bash` and `write` are translated to the tool that the request offers; `name` is sent as it is. */
export type ToolCall =
  | { bash: string }
  | { write: string; content: string }
  | { edit: string; oldText: string; newText: string }
  | { name: string; input: Record<string, unknown>; /** The group of a grouped tool, as codex sends MCP tools. */ namespace?: string };

export interface ToolAnswer {
  kind: "tool";
  call: ToolCall;
  /** Text that the model says before it calls the tool. */
  text?: string;
}

export interface ErrorAnswer {
  kind: "error";
  status: number;
  /** Which of the known wordings is used; a number past the end starts again at 0. */
  variant?: number;
  /** Replaces the body altogether. */
  body?: string;
  /** Value of the `retry-after` header; absent: no such header. */
  retryAfter?: string;
  /** Value of the `x-should-retry` header; absent: no such header. */
  shouldRetry?: boolean;
}

export interface TokenUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

export const say = (text: string, options: Omit<TextAnswer, "kind" | "text"> = {}): TextAnswer => ({
  kind: "text",
  text,
  ...options,
});

export const runBash = (command: string): ToolAnswer => ({ kind: "tool", call: { bash: command } });

export const writeFile = (path: string, content: string): ToolAnswer => ({
  kind: "tool",
  call: { write: path, content },
});

export const failWith = (status: number, options: Omit<ErrorAnswer, "kind" | "status"> = {}): ErrorAnswer => ({
  kind: "error",
  status,
  ...options,
});

export const silence = { kind: "silence" } as const satisfies ModelAnswer;
export const reset = { kind: "reset" } as const satisfies ModelAnswer;

export const cutAfter = (afterChunks: number, text = "one two three four five six", chunks = 6): ModelAnswer => ({
  kind: "cut",
  afterChunks,
  text,
  chunks,
});

export const stallAfter = (afterChunks: number, text = "one two three four five six", chunks = 6): ModelAnswer => ({
  kind: "stall",
  afterChunks,
  text,
  chunks,
});

/** Splits a text into about `count` pieces without cutting a surrogate pair in two. */
export function splitText(text: string, count = defaultChunkCount(text)): string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, count)));
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + size);
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function defaultChunkCount(text: string): number {
  return Math.min(200, Math.ceil(text.length / 40));
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
