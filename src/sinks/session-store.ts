import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { toRealPath } from "../config/real-path.js";
import { writePrivateFile } from "./write-private-file.js";

/** A session of a backend that one of our runs has begun or gone on with. */
export interface StoredSession {
  readonly backend: string;
  /** The backend's own id. */
  readonly sessionId: string;
  /** The real path of the directory that it works in: backends look their sessions up by it. */
  readonly cwd: string;
  /** The first line of its first prompt, without secrets. */
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly usedAt: string;
}

/** So many are kept; older ones are forgotten by us, not by their backend. */
export const MAX_SESSIONS = 500;
/** When there are too many, so many go at once: not every run has to look. */
const PRUNED_AT_ONCE = 100;

/** Room for the ending, and for what the name of an unfinished file has more. */
const MAX_NAME_CHARS = 200;
const MAX_SESSION_BYTES = 16 * 1024;

export function sessionFolderOf(home: string): string {
  return join(home, ".jlgcli", "sessions");
}

export interface NewSession {
  readonly backend: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Without secrets; used where the session is not known yet. */
  readonly title: string;
}

/**
 * Notes that a session was used just now. Each has a file of its own that is replaced as a whole, so that runs at the
 * same time cannot lose each other's.
 * @throws JlgcliError `CANNOT_CREATE`, `OUTPUT_FAILED`
 */
export function noteSession(folder: string, { backend, sessionId, cwd, title }: NewSession): void {
  const path = join(folder, nameOf(backend, sessionId));
  const usedAt = new Date().toISOString();
  const earlier = loadSession(path);
  const session: StoredSession = { backend, sessionId, cwd: toRealPath(cwd), title: earlier?.title ?? title, startedAt: earlier?.startedAt ?? usedAt, usedAt };
  writePrivateFile(path, `${JSON.stringify(session)}\n`, { createFolder: true });
  if (earlier === null) prune(folder);
}

/** All that are kept, the one that was used last first. A file that is none is passed over. */
export function listSessions(folder: string): readonly StoredSession[] {
  return listStored(folder).map(({ session }) => session);
}

interface SessionFile {
  readonly path: string;
  readonly session: StoredSession;
}

function listStored(folder: string): readonly SessionFile[] {
  const files = listFiles(folder).flatMap((name): readonly SessionFile[] => {
    const path = join(folder, name);
    const session = loadSession(path);
    return session === null ? [] : [{ path, session }];
  });
  return files.sort(({ session: one }, { session: other }) => (one.usedAt === other.usedAt ? 0 : one.usedAt < other.usedAt ? 1 : -1));
}

/** The session of a backend that was used last in a directory. */
export function findNewestSession(folder: string, backend: string, cwd: string): StoredSession | null {
  const place = toRealPath(cwd);
  return listSessions(folder).find((session) => session.backend === backend && session.cwd === place) ?? null;
}

/** Forgets a session, which its backend keeps. False where it was not known. */
export function forgetSession(folder: string, { backend, sessionId }: Pick<StoredSession, "backend" | "sessionId">): boolean {
  const path = join(folder, nameOf(backend, sessionId));
  if (loadSession(path) === null) return false;
  rmSync(path, { force: true });
  return true;
}

/** A backend's id may hold anything, so it is no file name. One that is too long for a name shares it with its like. */
function nameOf(backend: string, sessionId: string): string {
  return `${Buffer.from(`${backend}\0${sessionId}`).toString("hex").slice(0, MAX_NAME_CHARS)}.json`;
}

function loadSession(path: string): StoredSession | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_SESSION_BYTES ? toSession(JSON.parse(readFileSync(path, "utf8"))) : null;
  } catch {
    return null;
  }
}

function toSession(value: unknown): StoredSession | null {
  if (typeof value !== "object" || value === null) return null;
  const { backend, sessionId, cwd, title, startedAt, usedAt }: Readonly<Record<string, unknown>> = { ...value };
  if (typeof backend !== "string" || typeof sessionId !== "string" || typeof cwd !== "string") return null;
  if (typeof title !== "string" || typeof startedAt !== "string" || typeof usedAt !== "string") return null;
  return { backend, sessionId, cwd, title, startedAt, usedAt };
}

function prune(folder: string): void {
  if (listFiles(folder).length <= MAX_SESSIONS) return;
  for (const { path } of listStored(folder).slice(MAX_SESSIONS - PRUNED_AT_ONCE)) rmSync(path, { force: true });
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch {
    return [];
  }
}
