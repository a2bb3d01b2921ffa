import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { JlgcliError } from "../errors.js";
import { readCassette, type CassetteHeader } from "../sinks/cassette.js";

const PACKAGE_NAME = "jlgcli";
const SAMPLE_FILE = join("assets", "sample.cassette.ndjson");
const PLAYER_FILE = join("dist", "replay-player.cjs");

export interface ReplaySource {
  /** Names the backend whose record reads the output. */
  readonly header: CassetteHeader;
  /** Absolute. */
  readonly cassettePath: string;
  /** Takes the place of the record's command. */
  readonly playerCommand: string;
  /** Stand before the record's own arguments, which the player ignores. */
  readonly playerArgs: readonly string[];
}

export interface ReplayRequest {
  /** Null: the sample that ships with the package. Relative to the current directory of the process. */
  readonly cassettePath: string | null;
}

/**
 * What it takes to play a cassette instead of running a backend. The whole cassette is checked first, so that a bad one
 * is told as such and not as a failure of the backend.
 * Throws INPUT_NOT_FOUND, CASSETTE_INVALID, and INTERNAL where the package is not whole.
 */
export async function loadReplaySource({ cassettePath }: ReplayRequest): Promise<ReplaySource> {
  const path = cassettePath === null ? findPackageFile(SAMPLE_FILE) : resolve(cassettePath);
  const header = await loadHeader(path);
  return { header, cassettePath: path, playerCommand: process.execPath, playerArgs: [findPackageFile(PLAYER_FILE), path] };
}

async function loadHeader(path: string): Promise<CassetteHeader> {
  let header: CassetteHeader | null = null;
  for await (const line of readCassette(path)) if (line.type === "header") header = line.header;
  if (header === null) throw new JlgcliError("INTERNAL", `${path}: passed for a cassette and has no header`);
  return header;
}

/**
 * A file of the package. This module stands at different depths in the sources, in the library and in the bundled
 * command line, so the package is found by its name.
 */
function findPackageFile(name: string): string {
  const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
  const path = root === null ? null : join(root, name);
  if (path !== null && existsSync(path)) return path;
  throw new JlgcliError("INTERNAL", `${path ?? name}: this file of the jlgcli package is missing`, {
    hint: "Install jlgcli again; in a clone of its repository run `npm run build`.",
  });
}

function findPackageRoot(folder: string): string | null {
  if (isPackageRoot(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findPackageRoot(parent);
}

function isPackageRoot(folder: string): boolean {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return false;
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  return typeof manifest === "object" && manifest !== null && "name" in manifest && manifest.name === PACKAGE_NAME;
}
