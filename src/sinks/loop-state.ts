import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeError, JlgcliError } from "../errors.js";
import type { LoopState } from "./loop-state-type.js";
import { redactValue, type Redactor } from "./redact.js";
import { writePrivateFile } from "./write-private-file.js";

/** A loop that nobody has gone on with for so long is forgotten, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/**
 * Where the loops of a user are kept. Not in the project: a state holds a command for the shell, and neither what a
 * repository brings nor what an agent writes may choose it.
 */
export function loopFolderOf(home: string): string {
  return join(home, ".jlgcli", "loops");
}

/**
 * Keeps the state of a loop, without secrets, mode 0600: a reader sees the old state or the new.
 * @throws JlgcliError `CANNOT_CREATE`, `OUTPUT_FAILED`
 */
export function saveLoopState(folder: string, state: LoopState, redact: Redactor): void {
  const withheld = [
    ...state.withheld,
    ...(redact(state.prompt) === state.prompt ? [] : ["prompt"]),
    ...state.args.filter((arg) => redact(arg) !== arg).map(toFlag),
  ];
  const kept = { ...state, args: state.args.filter((arg) => redact(arg) === arg), withheld: [...new Set(withheld)] };
  writePrivateFile(fileOf(folder, state.loopId), `${JSON.stringify(redactValue(kept, redact))}\n`, { createFolder: true });
}

/**
 * The state of a loop that can be gone on with.
 * @throws JlgcliError `INPUT_NOT_FOUND` for an id that is none, a loop that is not there, and a file that is no state.
 */
export async function loadLoopState(folder: string, loopId: string): Promise<LoopState> {
  if (!/^[\w-]{1,64}$/.test(loopId)) throw notFound(loopId, "that is no id of a loop");
  const text = readOwnFile(fileOf(folder, loopId), loopId);
  const { parseLoopState } = await import("./loop-state-schema.js");
  const state = parseLoopState(text);
  if (state === null || state.loopId !== loopId) throw notFound(loopId, "its file cannot be understood");
  return state;
}

/** A state that cannot be removed costs only its file. */
export function removeLoopState(folder: string, loopId: string): void {
  removeFile(fileOf(folder, loopId));
}

/** Forgets loops that are too old. Whatever keeps it from doing so costs only the files. */
export function pruneLoopStates(folder: string, now: number): void {
  for (const name of listFiles(folder)) {
    const path = join(folder, name);
    try {
      if (now - statSync(path).mtimeMs > KEPT_MS) removeFile(path);
    } catch {
      // Somebody else was faster.
    }
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is old and small.
  }
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fileOf(folder: string, loopId: string): string {
  return join(folder, `${loopId}.json`);
}

/** `--env` of `--env=KEY=VALUE`. */
function toFlag(arg: string): string {
  const [flag = arg] = arg.split("=", 1);
  return flag;
}

/** A file of somebody else's would let them choose a command that we run. */
function readOwnFile(path: string, loopId: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw notFound(loopId, describeError(error), error);
  }
  try {
    const stats = fstatSync(fd);
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isFile() || !isOwn || stats.size > MAX_STATE_BYTES) throw notFound(loopId, "its file is not one that jlgcli wrote");
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function notFound(loopId: string, reason: string, cause?: unknown): JlgcliError {
  return new JlgcliError("INPUT_NOT_FOUND", `there is no loop ${JSON.stringify(loopId)} to go on with: ${reason}`, {
    hint: "a loop that is done is not kept, and others for 30 days; its id was printed when it began",
    cause,
  });
}
