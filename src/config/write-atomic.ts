import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import { printable } from "../printable.js";
import { toRealPath } from "./real-path.js";
import { makePrivateFolder } from "../make-folder.js";

/**
 * Writes a file so that a reader sees the old text or the new one, never a part. A symbolic link stays one.
 * @param mode for a new file; one that is there keeps its own.
 * @throws JlgcliError `CANNOT_CREATE`
 */
export async function writeAtomic(path: string, text: string, mode: number): Promise<void> {
  const target = toRealPath(path);
  const draft = `${target}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    // Private where the folder is new: what jlgcli keeps there is the user's alone.
    makePrivateFolder(dirname(target));
    await writeDraft(draft, text, await findMode(target) ?? mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw new JlgcliError("CANNOT_CREATE", `${printable(path)} cannot be written: ${describeError(error)}`, { cause: error });
  }
}

async function writeDraft(draft: string, text: string, mode: number): Promise<void> {
  const file = await open(draft, "wx", mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function findMode(path: string): Promise<number | null> {
  const stats = await stat(path).catch(() => null);
  return stats === null ? null : stats.mode & 0o777;
}
