import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { isJsonRecord, type JsonRecord } from "../parse/paths.js";
import { RUN_FILES, type RunMeta } from "./run-folder.js";

/** A run that was kept with `--artifacts`. */
export interface StoredRun {
  readonly folder: string;
  readonly meta: RunMeta;
}

/** The runs in a folder, the newest first. What is no run of ours is passed over; a folder that is not there has none. */
export function listStoredRuns(runsFolder: string): readonly StoredRun[] {
  const names = readFolder(runsFolder);
  const runs = names.flatMap((name) => loadStoredRun(join(runsFolder, name), name) ?? []);
  return runs.sort((a, b) => b.meta.startedAt.localeCompare(a.meta.startedAt));
}

/** The word that stands for the newest run. */
export const LAST_RUN = "last";

/**
 * One run by its id, by the beginning of it, or the newest for `last`.
 * @throws JlgcliError `INPUT_NOT_FOUND` where there is none, `USAGE_INVALID` where several begin so.
 */
export function findStoredRun(runsFolder: string, id: string): StoredRun {
  const runs = listStoredRuns(runsFolder);
  const found = id === LAST_RUN ? runs.slice(0, 1) : runs.filter(({ meta }) => meta.runId.startsWith(id));
  const [run] = found;
  if (run === undefined) {
    throw new JlgcliError("INPUT_NOT_FOUND", `no run ${JSON.stringify(id)} in ${runsFolder}`, { hint: "`jlgcli runs list` shows what is there; `jlgcli run --artifacts` keeps a run" });
  }
  if (found.length === 1) return run;
  throw new JlgcliError("USAGE_INVALID", `${found.length} runs begin with ${JSON.stringify(id)}: ${found.map(({ meta }) => meta.runId).join(", ")}`);
}

/** A JSON file of a run; null where it is not there or is no JSON. */
export function loadRunFile(run: StoredRun, name: (typeof RUN_FILES)[keyof typeof RUN_FILES]): unknown {
  return loadJson(join(run.folder, name));
}

/** The path of a run's file. @throws JlgcliError `INPUT_NOT_FOUND` where it is not there. */
export function requireRunFile(run: StoredRun, name: (typeof RUN_FILES)[keyof typeof RUN_FILES]): string {
  const path = join(run.folder, name);
  if (existsSync(path)) return path;
  throw new JlgcliError("INPUT_NOT_FOUND", `the run ${run.meta.runId} has no ${name}`, { hint: "its backend was not started, or jlgcli was killed" });
}

/** @throws JlgcliError `OUTPUT_FAILED` */
export function removeStoredRun(run: StoredRun): void {
  try {
    rmSync(run.folder, { recursive: true });
  } catch (error) {
    throw new JlgcliError("OUTPUT_FAILED", `${run.folder} cannot be removed: ${describeError(error)}`, { cause: error });
  }
}

/** Links are not followed: what they lead to is nothing of ours. */
function readFolder(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function loadStoredRun(folder: string, name: string): StoredRun | null {
  const meta = parseMeta(loadJson(join(folder, RUN_FILES.meta)));
  return meta?.runId === name ? { folder, meta } : null;
}

function loadJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** `meta.json`; null for anything else. */
export function parseMeta(value: unknown): RunMeta | null {
  if (!isJsonRecord(value) || value["jlgcli"] !== "run") return null;
  const [runId, startedAt] = [textOf(value, "runId"), textOf(value, "startedAt")];
  if (runId === null || startedAt === null || Number.isNaN(Date.parse(startedAt))) return null;
  return {
    jlgcli: "run",
    version: numberOf(value, "version") ?? 0,
    runId,
    startedAt,
    endedAt: textOf(value, "endedAt"),
    jlgcliVersion: textOf(value, "jlgcliVersion") ?? "",
    nodeVersion: textOf(value, "nodeVersion") ?? "",
    platform: textOf(value, "platform") ?? "",
    prompt: textOf(value, "prompt") ?? "",
    cwd: textOf(value, "cwd") ?? "",
    backend: textOf(value, "backend"),
    model: textOf(value, "model"),
    access: textOf(value, "access"),
    status: textOf(value, "status"),
    exitCode: numberOf(value, "exitCode"),
    durationMs: numberOf(value, "durationMs"),
  };
}

function textOf(record: JsonRecord, name: string): string | null {
  const value = record[name];
  return typeof value === "string" ? value : null;
}

function numberOf(record: JsonRecord, name: string): number | null {
  const value = record[name];
  return typeof value === "number" ? value : null;
}
