import { closeSync, constants, mkdtempSync, openSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describeError } from "../errors.js";

/** A private file that takes a child's stdout. */
export interface OutputFile {
  readonly path: string;
  /** The folder for temporary files that took it. */
  readonly folder: string;
  /** The descriptor to hand to the child. Close ours with `closeWriter` once the child has it. */
  readonly writerFd: number;
  readonly readerFd: number;
  closeWriter(): void;
  /** Takes the name away, so that nobody else can open the file. Where open files keep their name, `close` does it. */
  unlink(): void;
  /** Closes what is open and removes what is left. */
  close(): void;
  /** True when the file system has no room left, so that the child may have lost output. */
  isDiskFull(): boolean;
}

/**
 * Creates the file with mode 0600 in a new folder with mode 0700. Tries the folders in order and throws the first
 * one's error when none takes it.
 */
export function createOutputFile(folders: readonly string[] = temporaryFolders()): OutputFile {
  let firstError: unknown;
  for (const folder of folders) {
    try {
      return openOutputFile(mkdtempSync(join(folder, "jlgcli-")));
    } catch (error) {
      firstError ??= error;
    }
  }
  throw new Error(`cannot create a private file for the child's output: ${describeError(firstError)}`, { cause: firstError });
}

/** `TMPDIR` may name a folder that is gone or read-only, as in containers with a read-only root. */
function temporaryFolders(): readonly string[] {
  return process.platform === "win32" ? [tmpdir()] : [...new Set([tmpdir(), "/tmp", "/var/tmp", "/dev/shm"])];
}

function openOutputFile(folder: string): OutputFile {
  const path = join(folder, "stdout");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const unlink = (): void => (process.platform === "win32" ? undefined : remove());
  const open: { writer?: number; reader?: number } = {};
  const close = (end: "writer" | "reader"): void => {
    const fd = open[end];
    if (fd === undefined) return;
    delete open[end];
    closeSync(fd);
  };
  const closeAll = (): void => {
    close("writer");
    close("reader");
    remove();
  };
  try {
    // Appending keeps several writers from overwriting each other, whatever position they believe to be at.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
    const writerFd = (open.writer = openSync(path, flags, 0o600));
    const readerFd = (open.reader = openSync(path, "r"));
    return {
      path,
      folder: dirname(folder),
      writerFd,
      readerFd,
      closeWriter: () => close("writer"),
      unlink,
      close: closeAll,
      isDiskFull: () => isFull(dirname(folder)),
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    return false;
  }
}
