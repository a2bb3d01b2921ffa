import fs from "node:fs";
import path from "node:path";
import { isWithin } from "../config/real-path.js";

export interface FoundFile {
  readonly path: string;
  /** Without links. */
  readonly realPath: string;
  /** The folders below the scanned one that lead to it, and its own name. */
  readonly segments: readonly string[];
}

export interface ScanProblem {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly reason: string;
}

export interface FolderScan {
  readonly files: readonly FoundFile[];
  readonly problems: readonly ScanProblem[];
}

export interface ScanOptions {
  readonly isWanted: (fileName: string) => boolean;
  readonly isNested: boolean;
  /** True: a folder that holds a wanted file is not looked into any further. */
  readonly stopsAtFind?: boolean;
  /** Links that lead out of this folder (a real path) are not followed. Absent: they are. */
  readonly mustStayIn?: string;
}

/** Why a link of a project that is not trusted is left alone. */
export const LINK_OUT = "is a link out of a project that is not trusted and is not read";

const DEPTH_LIMIT = 8;
const FOLDER_LIMIT = 2000;
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * The wanted files of a folder, in order of their names. Links are followed; one that leads back to a folder above is cut.
 * A folder that is not there has no files. Reads synchronously: a thousand small reads one by one cost a fraction of a
 * thousand promises.
 */
export function scanFolder(folder: string, options: ScanOptions): FolderScan {
  const scan: Scan = { options, files: [], problems: [], folders: 0 };
  const realPath = findRealPath(folder);
  if (realPath !== null && !leadsOut(scan, folder, realPath)) scanInto(scan, { path: folder, realPath, segments: [], above: [] });
  return scan;
}

interface Scan {
  readonly options: ScanOptions;
  readonly files: FoundFile[];
  readonly problems: ScanProblem[];
  folders: number;
}

interface Folder {
  readonly path: string;
  readonly realPath: string;
  readonly segments: readonly string[];
  /** The real paths of the folders that led here. Only these: the same folder under two names is legal. */
  readonly above: readonly string[];
}

function scanInto(scan: Scan, folder: Folder): void {
  if (folder.segments.length > DEPTH_LIMIT) return warn(scan, folder.path, `lies more than ${String(DEPTH_LIMIT)} folders deep and is not read`);
  scan.folders += 1;
  if (scan.folders === FOLDER_LIMIT) warn(scan, folder.path, `more than ${String(FOLDER_LIMIT)} folders; the rest is not read`);
  if (scan.folders >= FOLDER_LIMIT) return;
  const entries = listEntries(scan, folder).flatMap((entry) => resolveEntry(scan, folder, entry) ?? []);
  const files = entries.filter((entry) => entry.type === "file" && scan.options.isWanted(entry.name));
  for (const file of files) scan.files.push({ path: file.path, realPath: file.realPath, segments: [...folder.segments, file.name] });
  if (!scan.options.isNested || (scan.options.stopsAtFind === true && files.length > 0)) return;
  for (const entry of entries) if (entry.type === "folder") enter(scan, folder, entry);
}

interface Entry {
  readonly type: "file" | "folder" | "other";
  readonly name: string;
  readonly path: string;
  readonly realPath: string;
}

function listEntries(scan: Scan, folder: Folder): fs.Dirent[] {
  try {
    return fs.readdirSync(folder.path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (!isNotFolder(error)) scan.problems.push({ severity: "error", path: folder.path, reason: `cannot be read: ${error instanceof Error ? error.message : String(error)}` });
    return [];
  }
}

function resolveEntry(scan: Scan, folder: Folder, entry: fs.Dirent): Entry | null {
  const entryPath = path.join(folder.path, entry.name);
  if (!entry.isSymbolicLink()) return { type: typeOf(entry), name: entry.name, path: entryPath, realPath: path.join(folder.realPath, entry.name) };
  const realPath = findRealPath(entryPath);
  const stats = realPath === null ? undefined : fs.statSync(realPath, { throwIfNoEntry: false });
  if (realPath !== null && stats !== undefined) return { type: typeOf(stats), name: entry.name, path: entryPath, realPath };
  if (scan.options.isWanted(entry.name)) scan.problems.push({ severity: "error", path: entryPath, reason: "is a link that leads nowhere" });
  return null;
}

function enter(scan: Scan, folder: Folder, entry: Entry): void {
  if (SKIPPED_FOLDERS.has(entry.name)) return;
  if (leadsOut(scan, entry.path, entry.realPath)) return;
  const above = [...folder.above, folder.realPath];
  if (above.includes(entry.realPath)) return warn(scan, entry.path, "is a link back to a folder above and is not followed");
  scanInto(scan, { path: entry.path, realPath: entry.realPath, segments: [...folder.segments, entry.name], above });
}

/** A clone must not make us read the whole disk, not even the names. */
function leadsOut(scan: Scan, where: string, realPath: string): boolean {
  const { mustStayIn } = scan.options;
  if (mustStayIn === undefined || isWithin(realPath, mustStayIn)) return false;
  scan.problems.push({ severity: "error", path: where, reason: LINK_OUT });
  return true;
}

function warn(scan: Scan, where: string, reason: string): void {
  scan.problems.push({ severity: "warning", path: where, reason });
}

function typeOf(entry: fs.Dirent | fs.Stats): Entry["type"] {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}

function findRealPath(file: string): string | null {
  try {
    return fs.realpathSync(file);
  } catch {
    return null;
  }
}

function isNotFolder(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTDIR" || error.code === "ENOENT");
}
