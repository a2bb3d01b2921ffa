import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { findHome, type Environment } from "../environment.js";
import { findProjectRoot } from "../config/find-files.js";
import { toRealPath } from "../config/real-path.js";
import { JlgcliError, describeError } from "../errors.js";
import type { Cost, QuotaWindow, RunResult, RunUsage } from "../events/schema.js";
import { makePrivateFolder } from "../make-folder.js";

/** Version of a line. It grows only when a field changes its meaning or goes away. */
export const LEDGER_VERSION = 1;

/** One run: one line of the ledger. What is not known is null. */
export interface LedgerEntry {
  /** When the run ended: ISO 8601, UTC. */
  readonly time: string;
  readonly runId: string;
  readonly backend: string;
  readonly model: string | null;
  /** The root of the git repository, else the run's folder. */
  readonly project: string | null;
  readonly status: string;
  readonly durationMs: number | null;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  readonly quota: readonly QuotaWindow[] | null;
}

/** Where the ledger of a user stands. */
export function usageLedgerFile(env: Environment): string {
  return join(findHome(env), ".jlgcli", "usage.ndjson");
}

/**
 * Adds a run to the ledger.
 * @throws JlgcliError `OUTPUT_FAILED`
 */
export function appendUsage(result: RunResult, env: Environment): void {
  const entry = toLedgerEntry(result, env);
  appendLine(usageLedgerFile(env), JSON.stringify({ v: LEDGER_VERSION, ...entry }));
}

function toLedgerEntry(result: RunResult, env: Environment): LedgerEntry {
  const { runId, backend, model, status, durationMs, usage, cost, quota, cwd } = result;
  const project = findProjectRoot(cwd, findHome(env)) ?? toRealPath(cwd);
  return { time: new Date().toISOString(), runId, backend, model, project, status, durationMs, usage, cost, quota };
}

/**
 * Adds a line to a file (0600). The system appends each write as a whole, so that lines of processes that write at the
 * same time do not mix; not so on a network file system.
 * @throws JlgcliError `OUTPUT_FAILED`
 */
export function appendLine(file: string, line: string): void {
  try {
    makePrivateFolder(dirname(file));
    const descriptor = openSync(file, "a+", 0o600);
    try {
      // After a write that was cut (a full disk, a crash) the cut line is lost, not this one too.
      const bytes = Buffer.from(`${endsWithLine(descriptor) ? "" : "\n"}${line}\n`);
      const written = writeSync(descriptor, bytes);
      if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new JlgcliError("OUTPUT_FAILED", `${file} cannot be written: ${describeError(error)}`, { cause: error });
  }
}

const LINE_FEED = 0x0a;

function endsWithLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1, LINE_FEED);
  if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === LINE_FEED;
}
