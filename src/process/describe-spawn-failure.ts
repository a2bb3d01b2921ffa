import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { findProgram } from "./find-program.js";

/**
 * Why a program could not be started. `code` is an errno name that alone tells the cases apart: `ENOENT` only ever
 * means that the program is missing, `ENOTDIR` that the working directory is, `ENOEXEC` that the program is there but
 * what it needs to run (an interpreter, a loader) is not, `E2BIG` that the arguments are too long.
 */
export interface SpawnFailure {
  readonly code: string;
  /** A sentence that names the thing. It never repeats an argument: those may hold a prompt. */
  readonly message: string;
}

export interface SpawnAttempt {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Tells apart what the system reports with one code: a missing program, a missing working directory and a script
 * whose interpreter is missing all fail with `ENOENT` that names the program (https://github.com/sindresorhus/execa/issues/799).
 */
export function describeSpawnFailure(code: string, detail: string, attempt: SpawnAttempt): SpawnFailure {
  const describe = DESCRIPTIONS[code];
  return describe?.(attempt) ?? { code, message: `${attempt.command} could not be started: ${detail}` };
}

/** The errno name of a thrown error. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  // execa refuses NUL with a plain TypeError, where Node would give this code.
  return error instanceof TypeError ? "ERR_INVALID_ARG_VALUE" : "UNKNOWN";
}

type Describe = (attempt: SpawnAttempt) => SpawnFailure | undefined;

const DESCRIPTIONS: Readonly<Partial<Record<string, Describe>>> = {
  ENOENT: (attempt) => describeCwd(attempt) ?? describeUnusable(attempt) ?? describeMissing(attempt),
  ENOTDIR: (attempt) => describeCwd(attempt) ?? describeMissing(attempt),
  EACCES: describeForbidden,
  E2BIG: describeTooLong,
  // Windows' word for a command line above 32,767 characters.
  ENAMETOOLONG: describeTooLong,
  ERR_INVALID_ARG_VALUE: ({ command }) => ({
    code: "ERR_INVALID_ARG_VALUE",
    message: `${command} could not be started: an argument or a variable contains a NUL character`,
  }),
};

function describeMissing({ command }: SpawnAttempt): SpawnFailure {
  return { code: "ENOENT", message: command.includes("/") ? `${command} was not found` : `${command} was not found on PATH` };
}

function describeCwd({ cwd }: SpawnAttempt): SpawnFailure | undefined {
  const kind = fileKind(cwd);
  if (kind === "folder") return undefined;
  const fault = kind === "missing" ? "does not exist" : "is not a directory";
  return { code: "ENOTDIR", message: `the working directory ${fault}: ${cwd}` };
}

function describeUnusable(attempt: SpawnAttempt): SpawnFailure | undefined {
  const path = findProgram(attempt.command, attempt)?.path;
  if (path === undefined) return undefined;
  const interpreter = parseShebang(readStart(path));
  const reason =
    interpreter === null
      ? "the loader that it needs does not (it may have been built for another system)"
      : `its interpreter does not: ${interpreter}`;
  return { code: "ENOEXEC", message: `${path} exists, but ${reason}` };
}

function describeForbidden(attempt: SpawnAttempt): SpawnFailure {
  const path = findProgram(attempt.command, attempt)?.path ?? resolve(attempt.cwd, attempt.command);
  const reason = fileKind(path) === "folder" ? "it is a directory" : "permission denied";
  return { code: "EACCES", message: `${path} may not be executed from ${attempt.cwd}: ${reason}` };
}

function describeTooLong({ command }: SpawnAttempt): SpawnFailure {
  return {
    code: "E2BIG",
    message: `${command} could not be started: its arguments and environment are longer than the system allows`,
  };
}

/** The interpreter of a script: `#!/bin/sh -e` gives `/bin/sh`. Null for anything else. */
export function parseShebang(start: string): string | null {
  return /^#![ \t]*(\S+)/.exec(start)?.[1] ?? null;
}

const LONGEST_SHEBANG_BYTES = 256;

function readStart(path: string): string {
  const bytes = Buffer.alloc(LONGEST_SHEBANG_BYTES);
  try {
    const fd = openSync(path, "r");
    try {
      return bytes.toString("latin1", 0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

function fileKind(path: string): "folder" | "file" | "missing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return "missing";
  }
}
