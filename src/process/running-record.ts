import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProcessSource } from "./process-table.js";

/**
 * What is known of a run's child while it runs, for the next start to find when this process was killed and could not
 * clean up. Process ids are used again, so each stands with its start time.
 */
export interface RunningRecord {
  readonly runId: string;
  /** The child. It leads a process group of the same number. */
  readonly pid: number;
  /** On the scale of `ProcessRow.startedAt`. */
  readonly startedAt: number;
  /** The process that started it and would have ended it. */
  readonly ownerPid: number;
  readonly ownerStartedAt: number;
  /** Which start of which system the ids belong to: after a restart, or in another container, they mean nothing. */
  readonly place: string;
}

/** Marks a child as running. Gives what takes the mark away again. A folder that takes no file costs only this. */
export function writeRunningRecord(folder: string, child: Pick<RunningRecord, "runId" | "pid" | "startedAt">): () => void {
  const owner = findOwner();
  if (owner === undefined || !isFileName(child.runId)) return () => undefined;
  const record: RunningRecord = { ...child, ...owner, place: findPlace() };
  const path = join(folder, `${child.runId}.json`);
  const partial = join(folder, `${child.runId}.${owner.ownerPid}${PARTIAL_SUFFIX}`);
  try {
    makeFolder(folder);
    writeFileSync(partial, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(partial, path);
  } catch {
    removeFile(partial);
    return () => undefined;
  }
  return () => removeFile(path);
}

/** With the folder above it, but not a whole home. Node's own way to make all at once never ends where the system takes no folder (`/proc`). */
function makeFolder(folder: string): void {
  for (const each of [dirname(folder), folder]) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch {
      // It is there, or the file cannot be written either.
    }
  }
}

/** A file under another name first: a record is never seen half-written. */
export const PARTIAL_SUFFIX = ".partial";

/** The record in a file, its age in milliseconds; null for what is not ours or not a record. Never follows a link. */
export function loadRunningRecord(path: string): { readonly record: RunningRecord | null; readonly ageMs: number } | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      // A record of someone else would let them choose what we end.
      if (!stats.isFile() || stats.uid !== process.getuid?.() || stats.size > MAX_RECORD_BYTES) return null;
      return { record: parseRunningRecord(readFileSync(fd, "utf8")), ageMs: Date.now() - stats.mtimeMs };
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

const MAX_RECORD_BYTES = 4096;

/** Null for anything that is not a whole record. */
export function parseRunningRecord(text: string): RunningRecord | null {
  const value = parseObject(text);
  if (value === null) return null;
  const { runId, pid, startedAt, ownerPid, ownerStartedAt, place } = value;
  if (typeof runId !== "string" || !isFileName(runId) || typeof place !== "string") return null;
  // 0 and 1 are the system's, and a negative number would name a group.
  if (!isProcessId(pid) || !isProcessId(ownerPid, 1) || !isNumber(startedAt) || !isNumber(ownerStartedAt)) return null;
  return { runId, pid, startedAt, ownerPid, ownerStartedAt, place };
}

export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It stays, and the next start looks at it again.
  }
}

/** On Linux ids belong to one boot and to one namespace of processes (a container's); elsewhere the start times tell. */
export function findPlace(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return process.platform;
  }
}

function findOwner(): Pick<RunningRecord, "ownerPid" | "ownerStartedAt"> | undefined {
  const { pid, platform } = process;
  if (platform === "win32") return undefined;
  // Elsewhere than on Linux asking costs a process, and the start times there are those of the clock.
  const startedAt = platform === "linux" ? createProcessSource().findProcess(pid)?.startedAt : Date.now() - process.uptime() * 1000;
  return startedAt === undefined ? undefined : { ownerPid: pid, ownerStartedAt: startedAt };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function isFileName(runId: string): boolean {
  return /^[\w-]{1,100}$/.test(runId);
}

function isProcessId(value: unknown, least = 2): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
