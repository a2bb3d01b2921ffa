import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertPublishedOutput } from "../../support/published-schemas.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
export const CLI = join(root, "dist/cli.cjs");
export const FIXTURES = join(root, "tests/fixtures");

/** A machine of its own for one test: a home, a working directory, a PATH, and nothing else of ours. */
export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly bin: string;
  readonly env: Record<string, string>;
  /** Puts a program on the PATH. */
  install(name: string, source: string): void;
  cleanUp(): void;
}

export function createPlace(env: Record<string, string> = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-e2e-"));
  const [home, cwd, bin, tmp] = ["home", "cwd", "bin", "tmp"].map((name) => join(folder, name)) as [string, string, string, string];
  for (const each of [home, cwd, bin, tmp]) mkdirSync(each);
  symlinkSync(process.execPath, join(bin, "node"));
  return {
    home,
    cwd,
    bin,
    env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, TMPDIR: tmp, LANG: "C.UTF-8", NODE_DISABLE_COMPILE_CACHE: "1", ...env },
    install(name, source) {
      writeFileSync(join(bin, name), source);
      chmodSync(join(bin, name), 0o755);
    },
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A place where the tiny `codex` of the fixtures is installed and counts as signed in. */
export function createPlaceWithCodex(scenario: string, env: Record<string, string> = {}): Place {
  const place = createPlace({ CODEX_API_KEY: "test-key", FAKE_SCENARIO: scenario, ...env });
  symlinkSync(join(FIXTURES, "agents/codex.mjs"), join(place.bin, "codex"));
  return place;
}

/** A place where the tiny `claude` of the fixtures is installed and counts as signed in. It tells its model, its cost and its quota. */
export function createPlaceWithClaude(env: Record<string, string> = {}): Place {
  const place = createPlace({ ANTHROPIC_API_KEY: "test-key", ...env });
  symlinkSync(join(FIXTURES, "agents/claude.mjs"), join(place.bin, "claude"));
  return place;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface RunCliOptions {
  /** What stdin holds; null: a pipe that never ends. Default: closed and empty. */
  readonly stdin?: string | null;
  readonly timeoutMs?: number;
  readonly onStart?: (child: ChildProcessWithoutNullStreams) => void;
}

/** Runs the built CLI to its end. What it prints as JSON must be what its published schemas say. */
export async function runCli(place: Place, args: readonly string[], options: RunCliOptions = {}): Promise<Ended> {
  const startedAt = Date.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd: place.cwd, env: place.env });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  child.stdin.on("error", () => undefined);
  if (options.stdin !== null) child.stdin.end(options.stdin ?? "");
  options.onStart?.(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 30_000);
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => child.once("close", (code, name) => resolve([code, name])));
  clearTimeout(timer);
  assertPublishedOutput(args, output.stdout);
  return { exitCode, signal, ...output, durationMs: Date.now() - startedAt };
}

/** Runs `jlgcli run` and parses its one result. */
export async function runForResult(place: Place, args: readonly string[], options: RunCliOptions = {}): Promise<Ended & { readonly result: Record<string, unknown> }> {
  const ended = await runCli(place, ["run", "--json", ...args], options);
  return { ...ended, result: parseObject(ended.stdout) };
}

export function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError(`no object: ${text}`);
  return { ...value };
}

/** Living processes whose environment has this home: whatever a run has left behind. Linux only. */
export function findLeftOvers(place: Place): string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && readProc(pid, "environ").split("\0").includes(`HOME=${place.home}`))
    .filter((pid) => !/^State:\s+Z/m.test(readProc(pid, "status")))
    .map((pid) => `${pid} ${readProc(pid, "cmdline").replaceAll("\0", " ")}`);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
