import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { AccessTraits } from "./record.js";

/** The file of an access level, for as long as one run takes. */
export interface AccessFile {
  /** The arguments with the file's path in place of `{file}`. */
  fill(args: readonly string[]): readonly string[];
  remove(): void;
}

/**
 * Writes the file that the flags of a level name, into a folder that only this user can read.
 * @throws JlgcliError `CANNOT_CREATE`: without it the level would not be enforced.
 */
export function createAccessFile(file: AccessTraits["file"]): AccessFile {
  if (file === undefined) return { fill: (args) => args, remove: () => undefined };
  const folder = writePrivately(file);
  const path = join(folder, file.name);
  return {
    fill: (args) => args.map((arg) => arg.replaceAll("{file}", () => path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function writePrivately({ name, content }: NonNullable<AccessTraits["file"]>): string {
  try {
    const folder = mkdtempSync(join(tmpdir(), "jlgcli-"));
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return folder;
  } catch (error) {
    throw new JlgcliError("CANNOT_CREATE", `the file that enforces the access level cannot be written: ${describeError(error)}`, { cause: error });
  }
}
