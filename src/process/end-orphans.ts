import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { EndedOrphans } from "./end-recorded-trees.js";

/**
 * Ends what runs left behind whose own process was killed, so that it could not clean up. Costs one look into a folder
 * where there is nothing to do. Only a tree whose owner is gone is touched, and only processes that are known by their
 * start time or by the run's mark: an id that was given to someone else since is left alone. Takes less than 7 s.
 */
export async function endOrphans(folder: string): Promise<EndedOrphans> {
  const names = listFolder(folder);
  if (names.length === 0) return { found: 0, survivors: 0 };
  const { endRecordedTrees } = await import("./end-recorded-trees.js");
  return endRecordedTrees(names.map((name) => join(folder, name)));
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
