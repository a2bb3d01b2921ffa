import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { ChildProcessSpawner } from "../adapters/traits.js";

export interface FileListerOptions {
  /** The directory to list, when it is asked for. */
  readonly cwd: () => string;
  /** Gives what starts git. Absent: folders are walked. */
  readonly loadSpawner?: () => Promise<ChildProcessSpawner>;
  /** How long a listing may take, in milliseconds. Default 500. What was found by then is given. */
  readonly timeoutMs?: number;
  /** How many files at most. Default 50,000. */
  readonly limit?: number;
}

/** A listing serves so long: each letter that is typed asks for one. */
const FRESH_MS = 5000;

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Lists the files of a directory for completion: relative paths with `/` between their parts. In a git repository those
 * that git knows and does not ignore; elsewhere all but what lies in `.git` and `node_modules`. Never rejects.
 */
export function createFileLister({ cwd, loadSpawner, timeoutMs = 500, limit = 50_000 }: FileListerOptions): () => Promise<readonly string[]> {
  let listing: { readonly folder: string; readonly atMs: number; readonly files: Promise<readonly string[]> } | null = null;
  return () => {
    const folder = cwd();
    if (listing?.folder !== folder || performance.now() - listing.atMs > FRESH_MS) {
      listing = { folder, atMs: performance.now(), files: listFiles({ folder, loadSpawner, limits: { timeoutMs, limit } }) };
    }
    return listing.files;
  };
}

interface Limits {
  readonly timeoutMs: number;
  readonly limit: number;
}

interface Listing {
  readonly folder: string;
  readonly loadSpawner: FileListerOptions["loadSpawner"];
  readonly limits: Limits;
}

async function listFiles({ folder, loadSpawner, limits }: Listing): Promise<readonly string[]> {
  try {
    const known = loadSpawner === undefined ? null : await listWithGit(folder, await loadSpawner(), limits);
    return known ?? (await walk(folder, limits));
  } catch {
    return [];
  }
}

/** Null where git is missing or the directory lies in no repository. A repository's own settings must start nothing. */
async function listWithGit(folder: string, spawner: ChildProcessSpawner, { timeoutMs, limit }: Limits): Promise<readonly string[] | null> {
  const decoder = new TextDecoder();
  const files: string[] = [];
  let rest = "";
  const child = spawner.spawn("git", ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: folder,
    onStdout: (chunk) => {
      if (files.length >= limit) return;
      const names = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\0");
      rest = names.pop() ?? "";
      files.push(...names);
      if (files.length >= limit) child.killTree();
    },
  });
  child.endStdin();
  const timer = setTimeout(() => child.killTree(), timeoutMs);
  const outcome = await child.done;
  clearTimeout(timer);
  if (outcome.exitCode !== 0 && files.length === 0) return null;
  // A file in conflict stands there once for each side.
  return [...new Set(files)].slice(0, limit);
}

/** Level by level, so that a listing that is cut has what lies at the top. */
async function walk(root: string, { timeoutMs, limit }: Limits): Promise<readonly string[]> {
  const endsAtMs = performance.now() + timeoutMs;
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for await (const entry of readFolder(join(root, folder))) {
      if (files.length >= limit || performance.now() > endsAtMs) return files;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push(path);
    }
  }
  return files;
}

/** A folder that cannot be read has nothing in it. Links are not followed: they could lead round in a circle. */
async function* readFolder(folder: string): AsyncGenerator<{ readonly name: string; isFile(): boolean; isDirectory(): boolean }> {
  try {
    for await (const entry of await opendir(folder)) yield entry;
  } catch {
    // gone, or not ours to read
  }
}
