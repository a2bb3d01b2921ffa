import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftOverProcesses } from "./left-over-processes.js";
import { parseJson } from "./json-value.js";

export interface ProgramRun {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** stdout's lines that are JSON. */
  records: readonly unknown[];
  durationMs: number;
  /** True if `timeoutMs` passed and the program was killed. */
  timedOut: boolean;
}

export interface ProgramRunOptions {
  cwd: string;
  /** The whole environment; must carry `JLGCLI_RUN_ID`, by which the program's processes are found and ended. */
  env: Record<string, string>;
  /** What stdin holds; it is always closed. */
  input?: string;
  timeoutMs?: number;
  /** Called with each chunk of stdout as it comes; only with `stdoutTo: "pipe"`. */
  onStdout?: (soFar: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** claude loses output that a pipe's reader has not taken when it exits; a file has no such limit. Default pipe. */
  stdoutTo?: "pipe" | "file";
}

/** Runs a program to its end, or to `timeoutMs`, and ends everything that it started. */
export async function runProgram(program: string, args: readonly string[], options: ProgramRunOptions): Promise<ProgramRun> {
  const startedAt = Date.now();
  const file = options.stdoutTo === "file" ? openPrivateFile() : null;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["pipe", file?.descriptor ?? "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output.stdout += chunk;
    options.onStdout?.(output.stdout, (signal) => void child.kill(signal));
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
  // A program that does not read its input closes the pipe early; that is no fault.
  child.stdin?.on("error", () => undefined).end(options.input ?? "");
  const end = await waitForEnd(child, options);
  await endLeftOverProcesses({ runId: options.env.JLGCLI_RUN_ID ?? "missing" });
  if (file !== null) output.stdout = file.readAndRemove();
  return { ...end, ...output, records: toRecords(output.stdout), durationMs: Date.now() - startedAt };
}

interface ProgramEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
}

function waitForEnd(child: ReturnType<typeof spawn>, options: ProgramRunOptions): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void endLeftOverProcesses({ runId: options.env.JLGCLI_RUN_ID ?? "missing" });
    }, options.timeoutMs ?? 60_000);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, timedOut });
    });
  });
}

function openPrivateFile(): { descriptor: number; readAndRemove(): string } {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-stdout-"));
  const path = join(folder, "stdout");
  const descriptor = openSync(path, "w", 0o600);
  return {
    descriptor,
    readAndRemove: () => {
      closeSync(descriptor);
      const text = readFileSync(path, "utf8");
      rmSync(folder, { recursive: true });
      return text;
    },
  };
}

function toRecords(stdout: string): unknown[] {
  return stdout
    .split("\n")
    .map(parseJson)
    .filter((record) => record !== null);
}
