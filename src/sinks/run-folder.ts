import { join } from "node:path";
import { findHome, type Environment } from "../environment.js";
import { findProjectRoot } from "../config/find-files.js";
import { toRealPath } from "../config/real-path.js";

/** The files of one run in its folder. */
export const RUN_FILES = { meta: "meta.json", transcript: "transcript.ndjson", result: "result.json", cassette: "cassette.ndjson" } as const;

/** Where the runs of a project are kept: in the root of its git repository, else in the folder itself. */
export function findRunsFolder(cwd: string, env: Environment): string {
  return join(findProjectRoot(cwd, findHome(env)) ?? toRealPath(cwd), ".jlgcli", "runs");
}

/** What `meta.json` says about a run. Nothing of the environment stands in it. */
export interface RunMeta {
  readonly jlgcli: "run";
  readonly version: number;
  readonly runId: string;
  /** The version of jlgcli. */
  readonly jlgcliVersion: string;
  readonly nodeVersion: string;
  readonly platform: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Null while the run goes on, and for ever where jlgcli was killed. */
  readonly endedAt: string | null;
  readonly prompt: string;
  readonly cwd: string;
  /** What was asked for; at the end, what ran. Null: what the configuration says. */
  readonly backend: string | null;
  readonly model: string | null;
  readonly access: string | null;
  readonly status: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
}

export const RUN_META_VERSION = 1;
