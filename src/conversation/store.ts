import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { appendLine } from "../sinks/usage-ledger.js";
import { storedHeader, storedTurn } from "./stored-schema.js";
import type { ConversationSummary, StoredTurn } from "./types.js";

/** Version of the lines. It grows only when a field changes its meaning or goes away. */
const VERSION = 1;

/** So many are kept; the ones that were used longest ago go first. */
export const MAX_CONVERSATIONS = 500;
const PRUNED_AT_ONCE = 50;
/** A header is one line and shorter than this. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Beyond this a conversation cannot be gone on with, nor be listed for it. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** A conversation as it lies on disk. */
export interface StoredConversation {
  readonly id: string;
  readonly cwd: string;
  readonly title: string;
  readonly turns: readonly StoredTurn[];
}

export function conversationsFolderOf(home: string): string {
  return join(home, ".jlgcli", "conversations");
}

/**
 * Adds a turn, and makes the file (0600) where there is none: before the first turn, and where another program has
 * forgotten the conversation since. Lines are only added, so that nothing that was kept can be lost.
 * @throws JlgcliError `OUTPUT_FAILED`
 */
export function appendTurn(folder: string, conversation: Pick<StoredConversation, "id" | "cwd" | "title">, turn: StoredTurn): void {
  const file = fileOf(folder, conversation.id);
  const line = JSON.stringify({ type: "turn", ...turn });
  if (existsSync(file)) return appendLine(file, line);
  const { id, cwd, title } = conversation;
  try {
    appendLine(file, `${JSON.stringify({ v: VERSION, type: "conversation", id, cwd, title })}\n${line}`);
  } catch (error) {
    // What has no whole header is none, and would be one turn after the other.
    if (existsSync(file)) rmSync(file, { force: true });
    throw error;
  }
  prune(folder);
}

/**
 * A kept conversation with its turns; a line that cannot be read is passed over.
 * @throws JlgcliError `INPUT_NOT_FOUND`
 */
export function loadConversation(folder: string, id: string): StoredConversation {
  const summary = isId(id) ? findSummary(folder, `${id}.ndjson`) : null;
  if (summary === null) throw notFound(id);
  return { id, cwd: summary.cwd, title: summary.title, turns: readLines(fileOf(folder, id)).flatMap(toTurn) };
}

/** Those that are kept, the one that was used last first. */
export function listConversations(folder: string): readonly ConversationSummary[] {
  const summaries = listFiles(folder).flatMap((name) => findSummary(folder, name) ?? []);
  return summaries.sort((one, other) => (one.usedAt === other.usedAt ? 0 : one.usedAt < other.usedAt ? 1 : -1));
}

/** False where it was not kept. */
export function forgetConversation(folder: string, id: string): boolean {
  if (!isId(id) || findSummary(folder, `${id}.ndjson`) === null) return false;
  rmSync(fileOf(folder, id), { force: true });
  return true;
}

/** An id is a file's name here: it must not lead out of the folder. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(id);
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.ndjson`);
}

function notFound(id: string): JlgcliError {
  return new JlgcliError("INPUT_NOT_FOUND", `no conversation has the id ${JSON.stringify(id)}`, { hint: "`jlgcli chat --list` shows those that are kept" });
}

/** Null for a file that is none. */
function findSummary(folder: string, name: string): ConversationSummary | null {
  try {
    const file = join(folder, name);
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return null;
    const header = storedHeader.safeParse(JSON.parse(readFirstLine(file)));
    if (!header.success || `${header.data.id}.ndjson` !== name) return null;
    const { id, cwd, title } = header.data;
    return { id, cwd, title, usedAt: stats.mtime.toISOString() };
  } catch {
    return null;
  }
}

function readFirstLine(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(MAX_HEADER_BYTES);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    const [line = ""] = bytes.toString("utf8", 0, length).split("\n", 1);
    return line;
  } finally {
    closeSync(descriptor);
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(1);
  } catch (error) {
    throw new JlgcliError("INPUT_NOT_FOUND", `the conversation in ${file} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

/** A line that was cut by a crash holds no turn. */
function toTurn(line: string): readonly StoredTurn[] {
  try {
    const turn = storedTurn.safeParse(JSON.parse(line));
    return turn.success ? [turn.data] : [];
  } catch {
    return [];
  }
}

function prune(folder: string): void {
  if (listFiles(folder).length <= MAX_CONVERSATIONS) return;
  for (const { id } of listConversations(folder).slice(MAX_CONVERSATIONS - PRUNED_AT_ONCE)) rmSync(fileOf(folder, id), { force: true });
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  } catch {
    return [];
  }
}
