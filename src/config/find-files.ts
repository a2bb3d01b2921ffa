import { readFileSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { findRealPath, toRealPath } from "./real-path.js";

/** The names of the user's own file, in their home folder; the first that is there counts. */
export const USER_PLACES = [".jlgcli.json", ".jlgclirc", ".jlgclirc.json", ".jlgclirc.yaml", ".jlgclirc.yml"] as const;

/** The names of a project's file; data only, never code. The first that is there counts. */
export const PROJECT_PLACES = [...USER_PLACES, "package.json"] as const;

/** The key of `package.json` under which a project's configuration may stand. */
export const PACKAGE_KEY = "jlgcli";

export const MAX_FILE_BYTES = 1024 * 1024;

export interface FoundFile {
  readonly path: string;
  readonly folder: string;
  /** Other configuration files beside it, which do not count. */
  readonly passedOver: readonly string[];
}

/** The user's own configuration file, if there is one. */
export function findUserFile(home: string): FoundFile | null {
  return findInFolder(home, USER_PLACES, () => true);
}

/**
 * The nearest configuration file of the project that a folder belongs to: searched upwards to the root of the git
 * repository, to the home folder or to the root of the file system. What lies in the home folder itself is the
 * user's own and never a project's.
 */
export function findProjectFile(cwd: string, home: string): FoundFile | null {
  const userFile = findUserFile(home);
  const userPath = userFile === null ? null : findRealPath(userFile.path);
  const isProjects = (path: string): boolean => userPath === null || findRealPath(path) !== userPath;
  for (const folder of listProjectFolders(cwd, home)) {
    const found = findInFolder(folder, PROJECT_PLACES, isProjects);
    if (found !== null) return found;
  }
  return null;
}

/** The folder that a new file of the project belongs in: the git repository's root, else the folder itself; null in the home folder. */
export function findProjectRoot(cwd: string, home: string): string | null {
  const folders = [...listProjectFolders(cwd, home)];
  return folders.find(isGitRoot) ?? folders[0] ?? null;
}

function* listProjectFolders(cwd: string, home: string): Generator<string> {
  const realHome = toRealPath(home);
  let folder = toRealPath(cwd);
  while (folder !== realHome) {
    yield folder;
    const parent = dirname(folder);
    if (isGitRoot(folder) || parent === folder) return;
    folder = parent;
  }
}

function findInFolder(folder: string, places: readonly string[], counts: (path: string) => boolean): FoundFile | null {
  const [path, ...passedOver] = places.map((place) => join(folder, place)).filter((place) => isConfigFile(place) && counts(place));
  return path === undefined ? null : { path, folder, passedOver };
}

/** A pipe or a device counts too: reading it is refused with its name instead of being skipped in silence. */
function isConfigFile(path: string): boolean {
  const stats = findStats(path);
  if (stats === null || stats.isDirectory()) return false;
  return !path.endsWith("package.json") || hasPackageKey(path, stats);
}

/** Most `package.json` have nothing of ours: one that does not even name the key is not parsed, and a broken one is not our business. */
function hasPackageKey(path: string, stats: Stats): boolean {
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return false;
  try {
    const text = readFileSync(path, "utf8");
    return text.includes(`"${PACKAGE_KEY}"`) && isPackageWithKey(text);
  } catch {
    return false;
  }
}

function isPackageWithKey(text: string): boolean {
  const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  return typeof content === "object" && content !== null && Object.hasOwn(content, PACKAGE_KEY);
}

function isGitRoot(folder: string): boolean {
  return findStats(join(folder, ".git")) !== null;
}

/** Null also where a folder on the way may not be searched. */
function findStats(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
