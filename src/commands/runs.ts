import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { findHome } from "../environment.js";
import type { OutputFormat } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import { RUN_FILES, findRunsFolder } from "../sinks/run-folder.js";
import { findStoredRun, listStoredRuns, loadRunFile, removeStoredRun, requireRunFile, type StoredRun } from "../sinks/stored-runs.js";
import type { CommandIo } from "../command-io.js";
import { toRunText, toRunsText } from "./runs-text.js";
import { parseSince } from "./since.js";

/** What every command about kept runs takes. */
export interface RunsFlags {
  /** The folder of the runs. Absent: the project's own. */
  readonly dir?: string;
  readonly json?: boolean;
}

/** `jlgcli runs list`. Gives the exit code. */
export function runRunsListCommand(flags: RunsFlags, io: CommandIo): number {
  const runs = listStoredRuns(toFolder(flags, io));
  if (flags.json === true) io.stdout(toJson(runs.map(({ folder, meta }) => ({ folder, ...meta }))));
  else io.stdout(toRunsText(runs, io.stdoutIsTty));
  return exitCodeOf("success");
}

/** `jlgcli runs show ID`. @throws JlgcliError `INPUT_NOT_FOUND`, `USAGE_INVALID` for a beginning that several runs have. */
export async function runRunsShowCommand(id: string, flags: RunsFlags & { readonly transcript?: boolean }, io: CommandIo): Promise<number> {
  const run = findStoredRun(toFolder(flags, io), id);
  const result = loadRunFile(run, RUN_FILES.result);
  if (flags.transcript === true) await copyToStdout(requireRunFile(run, RUN_FILES.transcript), io);
  else if (flags.json === true) io.stdout(toJson({ folder: run.folder, meta: run.meta, result }));
  else io.stdout(toRunText(run, result, findHome(io.env)));
  return exitCodeOf("success");
}

/**
 * `jlgcli runs replay ID`: plays the run's recording through the backend `replay`, without asking a model.
 * @throws JlgcliError `INPUT_NOT_FOUND` for a run without a recording.
 */
export async function runRunsReplayCommand(id: string, flags: RunsFlags & { readonly output?: OutputFormat }, io: CommandIo): Promise<number> {
  const run = findStoredRun(toFolder(flags, io), id);
  const cassette = requireRunFile(run, RUN_FILES.cassette);
  const { runRunCommand } = await import("./run.js");
  const { json, output } = flags;
  const shown = { ...(json === undefined ? {} : { json }), ...(output === undefined ? {} : { output }) };
  return runRunCommand([run.meta.prompt], { ...shown, literal: true, backend: "replay", cassette }, io);
}

export interface PruneFlags extends RunsFlags {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: boolean;
}

/** A run without an end that is younger may still be going on. */
const MAX_RUN_MS = 24 * 3_600_000;

/**
 * `jlgcli runs prune`: removes kept runs. With both limits a run goes only where both allow it.
 * @throws JlgcliError `USAGE_INVALID` without a limit, `OUTPUT_FAILED` for a run that cannot be removed.
 */
export function runRunsPruneCommand(flags: PruneFlags, io: CommandIo): number {
  const now = new Date();
  const before = flags.olderThan === undefined ? now : parseSince(flags.olderThan, "--older-than", now);
  const keep = parseKeep(flags.keep);
  if (flags.olderThan === undefined && keep === null) {
    throw new JlgcliError("USAGE_INVALID", "nothing says which runs to remove", { hint: "for instance: jlgcli runs prune --older-than 30d --keep 20" });
  }
  const runs = listStoredRuns(toFolder(flags, io));
  const removed = runs.slice(keep ?? 0).filter(({ meta }) => new Date(meta.startedAt) < before && !mayGoOn(meta, now));
  if (flags.dryRun !== true) removed.forEach(removeStoredRun);
  const report = { removed: removed.map(({ meta }) => meta.runId), kept: runs.length - removed.length, dryRun: flags.dryRun === true };
  if (flags.json === true) io.stdout(toJson(report));
  else io.stdout(`${report.dryRun ? "would remove" : "removed"} ${removed.length} run(s), ${report.dryRun ? "keep" : "kept"} ${report.kept}\n`);
  return exitCodeOf("success");
}

function mayGoOn({ endedAt, startedAt }: StoredRun["meta"], now: Date): boolean {
  return endedAt === null && now.getTime() - Date.parse(startedAt) < MAX_RUN_MS;
}

function parseKeep(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text);
  throw new JlgcliError("USAGE_INVALID", `--keep: expected a number of runs, got ${JSON.stringify(text)}`);
}

function toFolder({ dir }: RunsFlags, io: CommandIo): string {
  return dir === undefined ? findRunsFolder(io.cwd, io.env) : resolve(io.cwd, dir);
}

async function copyToStdout(file: string, io: CommandIo): Promise<void> {
  for await (const chunk of createReadStream(file, "utf8")) {
    io.stdout(String(chunk));
    await io.drained?.();
  }
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
