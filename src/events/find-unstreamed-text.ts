import type { MessageChunkEvent } from "./schema.js";

/** Messages as they came in chunks, in order: what a reader has seen of the answer so far. */
export type StreamedMessages = readonly StreamedMessage[];

export interface StreamedMessage {
  /** Null where the backend gives none. */
  readonly messageId: string | null;
  readonly text: string;
}

/**
 * What of an answer was not streamed, to be shown at its end: the final text is the truth, chunks are hints that may be
 * lost, repeated or restarted. Empty where all of it was seen; all of it, after an empty line, where it follows other text.
 */
export function findUnstreamedText(messages: StreamedMessages, text: string): string {
  const seen = messages.map((message) => message.text).join("");
  const wanted = text.trim();
  if (wanted === "" || seen.trimEnd().endsWith(wanted) || messages.some((message) => message.text.trim() === wanted)) return "";
  const begun = listTails(messages, seen).find((tail) => tail !== "" && text.startsWith(tail));
  if (begun !== undefined) return text.slice(begun.length);
  return seen.trim() === "" ? text : `\n\n${text}`;
}

/** Adds a chunk to the messages. A new id, or a tool call since the last chunk, begins a new message. */
export function addChunk(messages: StreamedMessage[], { messageId, content }: MessageChunkEvent, beginsAnew: boolean): void {
  const last = messages.at(-1);
  if (last === undefined || beginsAnew || last.messageId !== messageId) messages.push({ messageId, text: content.text });
  else messages[messages.length - 1] = { messageId, text: last.text + content.text };
}

/** All messages as one text, then all but the first, and so on: an answer may be the last message alone, or several. */
function listTails(messages: StreamedMessages, seen: string): readonly string[] {
  let from = 0;
  return messages.map((message) => {
    const tail = seen.slice(from).trimStart();
    from += message.text.length;
    return tail;
  });
}
