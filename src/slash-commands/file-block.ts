import fs from "node:fs/promises";
import path from "node:path";
import { findRealPath, isWithin, toRealPath } from "../config/real-path.js";
import { CommandFailure } from "./command-failure.js";
import { readRegularFile } from "./read-regular-file.js";
import { findWorkspaceRoot } from "./workspace.js";

export interface FileBlockRequest {
  /** The path as it is written: relative to `cwd`, or absolute. */
  readonly typed: string;
  readonly cwd: string;
  readonly limitBytes: number;
  /** The command, for messages. */
  readonly label: string;
  /** True: a file that is there but cannot be used fails the command. */
  readonly isRequired: boolean;
}

export type FileBlock =
  | { readonly type: "content"; readonly content: string }
  | { readonly type: "absent"; readonly notice: string }
  | { readonly type: "unusable"; readonly notice: string };

/**
 * The text of a file, or the texts of the files of a folder. By its real path it must lie inside the workspace, so that
 * no link and no `..` leads out; it must be text (UTF-8, no NUL) and within the limit. Throws `CommandFailure`.
 */
export async function readFileBlock(request: FileBlockRequest): Promise<FileBlock> {
  const realPath = findRealPath(path.resolve(request.cwd, request.typed));
  if (realPath === null) return { type: "absent", notice: `${request.label}: there is no file ${request.typed}` };
  const root = toRealPath(findWorkspaceRoot(request.cwd));
  if (!isWithin(realPath, root)) {
    throw new CommandFailure("usage", `${request.label}: ${request.typed} lies outside of ${root} and is not read`, "copy what is needed into the workspace");
  }
  const read = (await fs.stat(realPath)).isDirectory() ? await readFolder(realPath, root, request.limitBytes) : readText(realPath, request.limitBytes);
  if (read.type === "text") return { type: "content", content: read.text };
  const notice = `${request.label}: ${request.typed} ${read.reason}`;
  if (request.isRequired) throw new CommandFailure("invalid-data", notice);
  return { type: "unusable", notice: `${notice}; only its name is in the prompt` };
}

type ReadText = { readonly type: "text"; readonly text: string; readonly bytes: number } | { readonly type: "refused"; readonly reason: string };

function readText(file: string, limitBytes: number): ReadText {
  const read = readRegularFile(file, limitBytes);
  if (read.type === "refused") return read;
  const { bytes } = read;
  if (bytes.includes(0)) return { type: "refused", reason: "is binary" };
  try {
    return { type: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), bytes: bytes.length };
  } catch {
    return { type: "refused", reason: "is not UTF-8 text" };
  }
}

/** What a folder holds that nobody means when they name it. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

async function readFolder(folder: string, root: string, limitBytes: number): Promise<ReadText> {
  const sections: string[] = [];
  let bytes = 0;
  for await (const file of walk(folder)) {
    const read = readText(file, limitBytes);
    if (read.type === "refused") continue;
    bytes += read.bytes;
    if (bytes > limitBytes) return { type: "refused", reason: `is a folder of more than ${String(limitBytes)} bytes of text` };
    sections.push(`--- ${path.relative(root, file)} ---\n${read.text}`);
  }
  return sections.length === 0 ? { type: "refused", reason: "is a folder without text files" } : { type: "text", text: sections.join("\n"), bytes };
}

/** Regular files in order of their names. Links are not followed: they could lead out or round in a circle. */
async function* walk(folder: string): AsyncGenerator<string> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) yield* walk(file);
    else if (entry.isFile()) yield file;
  }
}
