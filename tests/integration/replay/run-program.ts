import { spawn, type StdioOptions } from "node:child_process";

export interface ProgramRun {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its stdin, which is then closed; null leaves it open and writes nothing. */
  readonly stdin?: string | null;
  readonly stdio?: StdioOptions;
}

/** Runs a program of Node with nothing of this process's environment. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env: { ...options.env }, stdio: options.stdio ?? "pipe" });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A program may end before it has read everything.
  child.stdin?.on("error", () => undefined);
  if (options.stdin !== null) child.stdin?.end(options.stdin ?? "");
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...end) => resolve(end));
  });
  child.stdin?.destroy();
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), code, signal, durationMs: performance.now() - startedAt };
}
