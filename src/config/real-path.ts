import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Where a path really lies, without symbolic links (and in the file system's own letter case); null where nothing is there. */
export function findRealPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** The real path, or the absolute one where nothing is there. */
export function toRealPath(path: string): string {
  return findRealPath(path) ?? resolve(path);
}

/** True for the folder itself and for all that lies below it. Both must be real paths. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
