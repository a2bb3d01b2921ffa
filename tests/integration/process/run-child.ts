import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { SpawnedChild, SpawnOptions } from "../../../src/adapters/traits.js";
import { createProcessSpawner } from "../../../src/process/spawner.js";

/** The folder of the tiny real programs. */
export const BIN = fileURLToPath(new URL("../../fixtures/bin/", import.meta.url));

/** Where processes can be looked at one by one, independently of the code under test. */
export const HAS_PROC = process.platform === "linux";

export interface StartedRun {
  readonly child: SpawnedChild;
  readonly runId: string;
  /** Stdout so far. */
  text(): string;
  /** Resolves when stdout so far matches. */
  saw(pattern: RegExp): Promise<string>;
}

/** Starts a program of `tests/fixtures/bin` (or any absolute path) with stdin closed and a mark of its own. */
export function startRun(program: string, args: readonly string[] = [], options: Partial<SpawnOptions> = {}): StartedRun {
  const runId = `test-${randomUUID()}`;
  const seen: Uint8Array[] = [];
  const waiting = new Set<() => void>();
  const text = (): string => Buffer.concat(seen).toString("utf8");
  const child = createProcessSpawner().spawn(program.startsWith("/") ? program : BIN + program, args, {
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "", JLGCLI_RUN_ID: runId },
    ...options,
    onStdout(chunk) {
      seen.push(chunk);
      for (const check of waiting) check();
      return options.onStdout?.(chunk);
    },
  });
  child.endStdin();
  const saw = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        const match = pattern.exec(text())?.[0];
        if (match === undefined) return;
        waiting.delete(check);
        resolve(match);
      };
      waiting.add(check);
      check();
    });
  return { child, runId, text, saw };
}

/** The living processes whose environment carries the run's mark. */
export function findMarked(runId: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isRunning(pid) && readProc(pid, "environ").split("\0").includes(`JLGCLI_RUN_ID=${runId}`));
}

/** True for a process that has not ended; one that only waits for its parent to notice has. */
export function isRunning(pid: number): boolean {
  const stat = readProc(pid, "stat");
  return stat !== "" && !/\) [ZXx] /.test(stat);
}

/** The process group of a living process. */
export function groupOf(pid: number): number {
  const stat = readProc(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
}

function readProc(pid: number, file: "stat" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** The value with the time that it took, in milliseconds. */
export async function timed<T>(work: Promise<T> | (() => Promise<T>)): Promise<{ readonly value: T; readonly elapsedMs: number }> {
  const startedAtMs = performance.now();
  const value = await (typeof work === "function" ? work() : work);
  return { value, elapsedMs: performance.now() - startedAtMs };
}
