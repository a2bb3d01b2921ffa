import { statSync } from "node:fs";
import { RUN_ID_VARIABLE } from "./child-env.js";
import { createProcessTree } from "./kill-tree.js";
import type { ProcessTree } from "./process-tree.js";
import { createProcessSource, type ProcessRow, type ProcessSource } from "./process-table.js";
import { findPlace, loadRunningRecord, PARTIAL_SUFFIX, removeFile, type RunningRecord } from "./running-record.js";

/** What earlier runs had left behind, and what became of it. */
export interface EndedOrphans {
  /** Processes that were found running without their owner. */
  readonly found: number;
  /** Those of them that could not be ended. */
  readonly survivors: number;
}

/** Ends the trees of the records in these files whose owners are gone, and removes what is settled. */
export async function endRecordedTrees(paths: readonly string[]): Promise<EndedOrphans> {
  const source = createProcessSource();
  const place = findPlace();
  const ended = await Promise.all(paths.map((path) => settleFile(path, place, source)));
  return { found: sum(ended.map(({ found }) => found)), survivors: sum(ended.map(({ survivors }) => survivors)) };
}

const NOTHING: EndedOrphans = { found: 0, survivors: 0 };

async function settleFile(path: string, place: string, source: ProcessSource): Promise<EndedOrphans> {
  if (path.endsWith(PARTIAL_SUFFIX)) {
    if (ageMsOf(path) > WRITING_LIMIT_MS) removeFile(path);
    return NOTHING;
  }
  const loaded = path.endsWith(".json") ? loadRunningRecord(path) : null;
  if (loaded === null) return NOTHING;
  const { record, ageMs } = loaded;
  if (record === null || record.place !== place) {
    // The folder may be shared with a machine or a container that is still at work, so only time tells.
    if (ageMs > FOREIGN_LIMIT_MS) removeFile(path);
    return NOTHING;
  }
  if (isRunning(record.ownerPid, record.ownerStartedAt, source)) return NOTHING;
  const ended = await endRecordedTree(record, source);
  if (ended.survivors === 0) removeFile(path);
  return ended;
}

/** Writing one takes less than a millisecond. */
const WRITING_LIMIT_MS = 60_000;
const FOREIGN_LIMIT_MS = 7 * 24 * 3_600_000;

async function endRecordedTree(record: RunningRecord, source: ProcessSource): Promise<EndedOrphans> {
  const tree = recallTree(record, source);
  const found = tree.count();
  return found === 0 ? NOTHING : { found, survivors: await tree.end() };
}

function recallTree({ pid, startedAt, runId }: RunningRecord, source: ProcessSource): ProcessTree {
  const root = findSameProcess(pid, startedAt, source);
  const isRoot = root !== undefined && (process.platform !== "linux" || source.hasVariable(pid, `${RUN_ID_VARIABLE}=${runId}`) === true);
  const tree = createProcessTree({ pid, runId, startedAt: root?.startedAt ?? startedAt });
  if (!isRoot) tree.noteRootGone();
  return tree;
}

function isRunning(pid: number, startedAt: number, source: ProcessSource): boolean {
  return findSameProcess(pid, startedAt, source)?.isZombie === false;
}

function findSameProcess(pid: number, startedAt: number, source: ProcessSource): ProcessRow | undefined {
  const row = source.findProcess(pid);
  return row !== undefined && isSameStart(row.startedAt, startedAt) ? row : undefined;
}

/** Linux counts in ticks since the system's start, exactly; `ps` elsewhere gives whole seconds of the clock. */
export function isSameStart(rowStartedAt: number, recordedStartedAt: number, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "linux" ? rowStartedAt === recordedStartedAt : Math.abs(rowStartedAt - recordedStartedAt) <= CLOCK_TOLERANCE_MS;
}

const CLOCK_TOLERANCE_MS = 2000;

function ageMsOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
