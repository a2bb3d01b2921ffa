import { join, resolve } from "node:path";
import { JlgcliError } from "../errors.js";
import { findPackageFile } from "../package-file.js";
import { readCassette, type CassetteHeader } from "../sinks/cassette.js";

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
