/** 64 MiB: the longest line that is kept. The longest seen from a real backend is 1.9 MB. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;
export const BYTE_ORDER_MARK = "\uFEFF";

export interface LineSplitter {
  /** The lines that this chunk completes, without their line ends. */
  push(chunk: Uint8Array): readonly string[];
  /** The last line, where it has no line end. */
  end(): readonly string[];
  /** How many lines were longer than the limit and are lost. */
  readonly lostLines: number;
}

/**
 * Cuts bytes into lines, however they are chunked. A line feed never stands inside a multibyte character
 * of UTF-8, so each line is decoded as a whole; invalid bytes become U+FFFD and never throw.
 */
export function createLineSplitter(maxLineBytes: number = MAX_LINE_BYTES): LineSplitter {
  // Faster than Buffer's own on text that is not ASCII. Stateless here: it is given whole lines alone.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let overflowing = false;
  let lostLines = 0;
  let atStart = true;

  const takePending = (tail: Buffer): Buffer => {
    const line = pending.length === 0 ? tail : Buffer.concat([...pending, tail]);
    pending = [];
    pendingBytes = 0;
    return line;
  };
  const clean = (text: string): string => {
    const line = atStart && text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
    atStart = false;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  const keep = (part: Buffer): void => {
    if (overflowing || part.length === 0) return;
    if (pendingBytes + part.length > maxLineBytes) {
      overflowing = true;
      lostLines += 1;
      takePending(Buffer.alloc(0));
      return;
    }
    pending.push(part);
    pendingBytes += part.length;
  };
  const finish = (tail: Buffer): string | undefined => {
    keep(tail);
    if (overflowing) {
      overflowing = false;
      atStart = false;
      return undefined;
    }
    return clean(decoder.decode(takePending(Buffer.alloc(0))));
  };
  const pushByLine = (bytes: Buffer): string[] => {
    const lines: string[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, from)) {
      const line = finish(bytes.subarray(from, at));
      if (line !== undefined) lines.push(line);
      from = at + 1;
    }
    keep(Buffer.from(bytes.subarray(from)));
    return lines;
  };

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const firstEnd = bytes.indexOf(LINE_FEED);
      if (firstEnd === -1 || bytes.length > maxLineBytes) return pushByLine(bytes);
      // A chunk's whole lines are decoded in one go: most are short, and each call into the decoder costs more than they do.
      const isContinued = pendingBytes > 0 || overflowing;
      const from = isContinued ? firstEnd + 1 : 0;
      const lastEnd = bytes.lastIndexOf(LINE_FEED);
      const first = isContinued ? finish(bytes.subarray(0, firstEnd)) : undefined;
      const lines = first === undefined ? [] : [first];
      if (lastEnd >= from) for (const line of decoder.decode(bytes.subarray(from, lastEnd)).split("\n")) lines.push(clean(line));
      // Copied: the caller may reuse the chunk's memory.
      keep(Buffer.from(bytes.subarray(lastEnd + 1)));
      return lines;
    },
    end() {
      if (pendingBytes === 0 && !overflowing) return [];
      const line = finish(Buffer.alloc(0));
      return line === undefined ? [] : [line];
    },
    get lostLines() {
      return lostLines;
    },
  };
}
