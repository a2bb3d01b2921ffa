/** Keeps a part of a stream, to be read as text when the stream has ended. */
export interface TextBuffer {
  push(chunk: Uint8Array): void;
  /** True when bytes were left out. */
  readonly isTruncated: boolean;
  /** The kept bytes as text. Bytes that are no UTF-8 become U+FFFD; a character that the limit cuts is left out. */
  toText(): string;
}

/** Keeps the last `limitBytes`. Holds at most one chunk more than that in memory. */
export function createTailBuffer(limitBytes: number): TextBuffer {
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let seenBytes = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      keptBytes += chunk.length;
      seenBytes += chunk.length;
      for (let first = chunks[0]; first !== undefined && keptBytes - first.length >= limitBytes; first = chunks[0]) {
        chunks.shift();
        keptBytes -= first.length;
      }
    },
    get isTruncated() {
      return seenBytes > limitBytes;
    },
    toText() {
      const bytes = Buffer.concat(chunks).subarray(-limitBytes);
      return bytes.toString("utf8", seenBytes > limitBytes ? leadingContinuationBytes(bytes) : 0);
    },
  };
}

/** Keeps the first `limitBytes`. */
export function createHeadBuffer(limitBytes: number): TextBuffer {
  const chunks: Uint8Array[] = [];
  let keptBytes = 0;
  let isTruncated = false;
  return {
    push(chunk) {
      const kept = chunk.subarray(0, limitBytes - keptBytes);
      if (kept.length < chunk.length) isTruncated = true;
      if (kept.length === 0) return;
      chunks.push(kept);
      keptBytes += kept.length;
    },
    get isTruncated() {
      return isTruncated;
    },
    toText() {
      // A decoder that is told that more would follow keeps back the character that the limit cut.
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks), { stream: isTruncated });
    },
  };
}

/** UTF-8 continuation bytes are 10xxxxxx; a character has at most three. */
function leadingContinuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0b1100_0000) === 0b1000_0000) count += 1;
  return count;
}
