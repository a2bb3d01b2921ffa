import { chmodSync, statSync, writeFileSync } from "node:fs";
import { JlgcliError, describeError } from "../errors.js";
import { writePrivateFile } from "./write-private-file.js";

/**
 * Writes an answer for other programs: the whole file or nothing. A new file is the user's alone (0600), one that is there
 * keeps its mode; a pipe or a device, such as `/dev/fd/3`, is written to.
 * @throws JlgcliError `CANNOT_CREATE`, whatever went wrong.
 */
export function writeAnswerFile(path: string, text: string): void {
  try {
    const before = statSync(path, { throwIfNoEntry: false });
    if (before !== undefined && !before.isFile()) {
      writeFileSync(path, text);
      return;
    }
    writePrivateFile(path, text);
    if (before !== undefined) chmodSync(path, before.mode & 0o7777);
  } catch (error) {
    if (error instanceof JlgcliError && error.code === "CANNOT_CREATE") throw error;
    throw new JlgcliError("CANNOT_CREATE", `${path}: cannot be written: ${describeError(error)}`, { cause: error });
  }
}
