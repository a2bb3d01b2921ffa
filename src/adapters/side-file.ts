import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSingleObject } from "../parse/parse-record.js";
import type { JsonRecord } from "../parse/paths.js";
import type { ExecutorTraits } from "./traits.js";

/** A file beside the output of a child, in a private folder. */
export interface SideFile {
  readonly args: readonly string[];
  /** What the child wrote, once; undefined where it wrote nothing readable. The folder is removed. */
  take(): JsonRecord | undefined;
}

/** Prepares the side file of a run. A folder that cannot be made costs the file, not the run. */
export function createSideFile(traits: ExecutorTraits["sideFile"]): SideFile {
  const folder = traits === undefined ? null : makeFolder();
  if (traits === undefined || folder === null) return { args: [], take: () => undefined };
  const file = join(folder, "side.json");
  return {
    args: traits.args.map((arg) => arg.replaceAll("{file}", () => file)),
    take() {
      const record = readRecord(file);
      rmSync(folder, { recursive: true, force: true });
      return record;
    },
  };
}

function makeFolder(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), "jlgcli-"));
  } catch {
    return null;
  }
}

function readRecord(file: string): JsonRecord | undefined {
  try {
    return parseSingleObject(readFileSync(file, "utf8"));
  } catch {
    // A backend that failed early, or was ended, writes none.
    return undefined;
  }
}
