import { appendFile } from "node:fs/promises";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "../make-folder.js";
import type { LazyRedactor } from "../sinks/lazy-redactor.js";
import { writePrivateFile } from "../sinks/write-private-file.js";
import type { InputHistory } from "./types.js";

export interface InputHistoryOptions {
  readonly redactor: Pick<LazyRedactor, "redactText">;
  /** How many entries are kept. Default 1,000. */
  readonly limit?: number;
}

export interface StoredInputHistory extends InputHistory {
  /** Resolves when all that was added is on the disk, or could not be put there. Never rejects. */
  settled(): Promise<void>;
}

const DEFAULT_LIMIT = 1000;
/** So many more may stand in the file before it is written anew. */
const SLACK = 200;
/** Longer entries are remembered as long as the chat runs, and not kept. */
const MAX_ENTRY_CHARS = 16 * 1024;
/** Of a longer file only the end is read. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export function chatHistoryFileOf(home: string): string {
  return join(home, ".jlgcli", "chat-history.ndjson");
}

/**
 * What was typed in chats before, from a private file with one JSON object per line. What is added is there at once; the
 * file gets it without secrets. A line that is none is passed over, and no fault of the disk is ever told: a chat is
 * worth more than its history. Chats at the same time add to the same file and see each other's entries the next time.
 */
export function createInputHistory(file: string, { redactor, limit = DEFAULT_LIMIT }: InputHistoryOptions): StoredInputHistory {
  const stored = loadEntries(file);
  const entries = stored.slice(-limit);
  let writing: Promise<void> = stored.length > limit + SLACK ? attempt(() => rewrite(file, entries)) : Promise.resolve();
  return {
    entries: () => entries,
    add: (text) => {
      if (text.trim() === "" || entries.at(-1) === text) return;
      entries.push(text);
      if (entries.length > limit) entries.shift();
      if (text.length <= MAX_ENTRY_CHARS) writing = writing.then(() => attempt(async () => append(file, await redactor.redactText(text))));
    },
    settled: () => writing,
  };
}

function toLine(text: string): string {
  return `${JSON.stringify({ text })}\n`;
}

async function append(file: string, text: string): Promise<void> {
  makePrivateFolder(dirname(file));
  await appendFile(file, toLine(text), { mode: 0o600 });
}

function rewrite(file: string, entries: readonly string[]): void {
  writePrivateFile(file, entries.map(toLine).join(""));
}

async function attempt(action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch {
    // A full or read-only disk; see above.
  }
}

function loadEntries(file: string): string[] {
  try {
    return readEnd(file).split("\n").flatMap(parseEntry);
  } catch {
    return [];
  }
}

/** A line that is cut at its beginning does not parse. */
function readEnd(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return "";
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES));
    const length = readSync(descriptor, bytes, 0, bytes.length, stats.size - bytes.length);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function parseEntry(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string" ? [value.text] : [];
  } catch {
    return [];
  }
}
