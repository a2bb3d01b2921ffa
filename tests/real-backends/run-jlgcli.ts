import { spawn } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { IsolatedEnv } from "./isolated-env.js";
import { isJsonObject, parseJson } from "./json-value.js";
import { endLeftOverProcesses } from "./left-over-processes.js";
import type { ModelServer } from "./model-server.js";

const CLI = fileURLToPath(new URL("../../dist/cli.cjs", import.meta.url));

/** How a run of the built command line ended. */
export interface JlgcliRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** The last line of stdout as an object: with `--json` and `--output stream-json` it is the result. */
  readonly result: Readonly<Record<string, unknown>>;
  /** The lines of stdout that are objects. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** The backend's process as it stood when the model was first called; null if it never was. */
  readonly child: BackendProcess | null;
}

export interface BackendProcess {
  /** Without the program itself, and without the interpreter of a script. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface JlgcliRunOptions {
  /** The command; `run` where absent. */
  readonly command?: "run" | "loop" | "chat";
  /** What stdin holds; it is closed after that. */
  readonly input?: string;
  /** On top of the stage's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where jlgcli itself is started; the stage's working directory where absent. */
  readonly cwd?: string;
  /** Resolves when stdout may be read; until then its reader is blocked. */
  readonly readFrom?: Promise<unknown>;
  /** Called once jlgcli has started. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  readonly timeoutMs?: number;
}

interface Surroundings {
  readonly backend: string;
  readonly server: ModelServer;
  readonly place: IsolatedEnv;
}

/** Runs `jlgcli run`, or another command that asks a backend, from the built command line to its end; throws if that takes longer than `timeoutMs`. */
export async function runJlgcli({ backend, server, place }: Surroundings, args: readonly string[], options: JlgcliRunOptions = {}): Promise<JlgcliRun> {
  const startedAt = Date.now();
  const argv = [CLI, options.command ?? "run", ...(args.includes("--backend") ? [] : ["--backend", backend]), ...args];
  const program = spawn(process.execPath, argv, { cwd: options.cwd ?? place.cwd, env: { ...place.env, ...options.env }, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  const earlier = new Set(server.calls);
  let child: BackendProcess | null = null;
  const watching = server.waitForCall((call) => !earlier.has(call), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  watching.then(() => (child = findBackendProcess(program.pid ?? 0, backend))).catch(() => undefined);
  program.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const read = (): unknown => program.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  if (options.readFrom === undefined) read();
  else void options.readFrom.then(read);
  program.stdin.on("error", () => undefined).end(options.input ?? "");
  options.onStart?.((signal) => void program.kill(signal));
  const end = await waitForEnd(program, options.timeoutMs ?? DEFAULT_TIMEOUT_MS, place);
  if (end === "late") throw new Error(`jlgcli ${argv.slice(1).join(" ").slice(0, 300)} did not end; stderr: ${output.stderr.slice(-2000)}; stdout: ${output.stdout.slice(-500)}`);
  const events = toObjects(output.stdout);
  return { ...end, ...output, durationMs: Date.now() - startedAt, events, result: events.at(-1) ?? {}, child };
}

const DEFAULT_TIMEOUT_MS = 60_000;

interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

function waitForEnd(program: ReturnType<typeof spawn>, timeoutMs: number, place: IsolatedEnv): Promise<ProgramEnd | "late"> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve("late");
      void endLeftOverProcesses({ home: place.home });
    }, timeoutMs);
    program.once("error", reject);
    program.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal });
    });
  });
}

function toObjects(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout.split("\n").map(parseJson).filter(isJsonObject);
}

/** The process that jlgcli started, from `/proc`. */
function findBackendProcess(parentPid: number, backend: string): BackendProcess | null {
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && parentOf(name) === parentPid);
  if (pid === undefined) return null;
  const argv = readProc(pid, "cmdline").split("\0").slice(0, -1);
  const programAt = argv.findIndex((arg) => arg === backend || arg.endsWith(`/${backend}`));
  const variables = readProc(pid, "environ").split("\0").filter((variable) => variable.includes("="));
  return {
    args: argv.slice(programAt + 1),
    env: Object.fromEntries(variables.map((variable) => [variable.slice(0, variable.indexOf("=")), variable.slice(variable.indexOf("=") + 1)])),
    cwd: readlinkSync(`/proc/${pid}/cwd`),
  };
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, "status"))?.[1] ?? -1);
}

/** The process may end while we read: then there is nothing to see. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
