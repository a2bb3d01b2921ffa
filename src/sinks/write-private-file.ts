import { accessSync, closeSync, constants, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describeError, JlgcliError } from "../errors.js";
import { makePrivateFolder } from "../make-folder.js";
import { createRunId } from "../run-id.js";

export interface PrivateFileOptions {
  /** Make the folders above it too, readable by the user alone. Absent: a missing folder is an error. */
  readonly createFolder?: boolean;
}

/** A file that nobody else can read and that is never seen half-written under its own name. */
export interface PrivateFile {
  /** Adds to the file; all is handed to the system when it returns. Throws OUTPUT_FAILED, for instance on a full disk. */
  write(data: string | Uint8Array): void;
  /** Puts what was written in the place of what stood there before. Throws OUTPUT_FAILED. */
  commit(): void;
  /** Leaves what stood there before. Does nothing after a `commit` that worked. */
  discard(): void;
}

/**
 * Writes a file as a whole, mode 0600: readers see the old content or the new, never a part.
 * Throws CANNOT_CREATE where no file can be made there, OUTPUT_FAILED where it cannot be written.
 */
export function writePrivateFile(path: string, data: string | Uint8Array, options: PrivateFileOptions = {}): void {
  const file = createPrivateFile(path, options);
  try {
    file.write(data);
    file.commit();
  } finally {
    file.discard();
  }
}

/**
 * Starts a file, mode 0600. What is written goes to a file beside it (`.NAME.PID-RANDOM.partial`) that takes its place
 * on `commit`; when the process is killed before, what was written by then stays in the partial file.
 * Throws CANNOT_CREATE.
 */
export function createPrivateFile(path: string, options: PrivateFileOptions = {}): PrivateFile {
  const { target, partial, descriptor } = open(path, options);
  let isOpen = true;
  let isOver = false;

  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write(data) {
      guard(path, () => writeAll(descriptor, typeof data === "string" ? Buffer.from(data) : data));
    },
    commit() {
      guard(path, () => {
        fsyncSync(descriptor);
        close();
        renameSync(partial, target);
        isOver = true;
      });
    },
    discard() {
      if (isOver) return;
      isOver = true;
      close();
      rmSync(partial, { force: true });
    },
  };
}

interface OpenFile {
  readonly target: string;
  readonly partial: string;
  readonly descriptor: number;
}

function open(path: string, options: PrivateFileOptions): OpenFile {
  try {
    if (options.createFolder === true) makePrivateFolder(dirname(resolve(path)));
    const target = findTarget(path);
    const partial = join(dirname(target), `.${basename(target)}.${process.pid}-${createRunId()}.partial`);
    return { target, partial, descriptor: openSync(partial, "wx", 0o600) };
  } catch (error) {
    throw new JlgcliError("CANNOT_CREATE", `${path}: cannot be created: ${describeCause(error)}`, {
      hint: "Name a file in a folder that exists and that you can write to.",
      cause: error,
    });
  }
}

/** Where a link leads, so that the link stays. Only a regular file can be replaced: a device or a pipe would be lost. */
function findTarget(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return resolve(path);
  if (!stats.isFile()) throw new Error("it is not a regular file");
  accessSync(path, constants.W_OK);
  return realpathSync(path);
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

function guard(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw new JlgcliError("OUTPUT_FAILED", `${path}: cannot be written: ${describeCause(error)}`, { cause: error });
  }
}

/** `ENOENT: no such file or directory, open '/x'` without the path, which the message names already. */
function describeCause(error: unknown): string {
  return describeError(error).replace(/, [a-z]+ '.*$/s, "");
}
