import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JlgcliError, describeError } from "./errors.js";

/** A file's plain name and its whole content. */
export interface FileContent {
  readonly name: string;
  readonly content: string | Uint8Array;
}

export interface TempFiles {
  /** Absolute, in the order of the files. */
  readonly paths: readonly string[];
  /** Takes them away, and their folder. */
  remove(): void;
}

/**
 * Writes files (0600) into a folder of their own (0700) among the temporary ones; no file, no folder.
 * @param what they are, for the error: "the images of the prompt".
 * @throws JlgcliError `CANNOT_CREATE`; then nothing is left.
 */
export function writeTempFiles(files: readonly FileContent[], what: string): TempFiles {
  if (files.length === 0) return { paths: [], remove: () => undefined };
  let folder: string | undefined;
  const remove = (): void => (folder === undefined ? undefined : rmSync(folder, { recursive: true, force: true }));
  try {
    const place = (folder = mkdtempSync(join(tmpdir(), "jlgcli-")));
    return { paths: files.map((file) => writeInto(place, file)), remove };
  } catch (error) {
    remove();
    throw new JlgcliError("CANNOT_CREATE", `${what} cannot be written: ${describeError(error)}`, { hint: "is there room in the folder for temporary files?", cause: error });
  }
}

function writeInto(folder: string, { name, content }: FileContent): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600, flag: "wx" });
  return path;
}
