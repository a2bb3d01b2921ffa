import { runProgram } from "./program.js";
import type { CommandIo, TerminalStreams } from "./command-io.js";
import { canDieBySignal } from "./process/can-die-by-signal.js";
import { killLiveTrees } from "./process/live-trees.js";
import { CLOSED_PIPE_EXIT_CODE, EXIT_TABLE, SUCCESS_EXIT_CODE, exitCodeOf } from "./exit-codes.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignalName = (typeof SIGNALS)[number];

/** How long the re-raised signal may take to end us, in milliseconds. */
const RERAISE_WAIT_MS = 200;
/** npm and its like pass on the signal that the terminal has given to all of us: one key press arrives twice. */
const SAME_PRESS_MS = 300;
/** All that cleans up after a signal is bounded by itself; what is not ends here, so that a CI system finds us gone. */
const CLEAN_UP_LIMIT_MS = 6800;
/** How long a reader may take the last words of a run that was interrupted. */
const LAST_WORDS_LIMIT_MS = 500;

void main();

/** The only place that knows the process: its streams, its signals, its exit code. */
async function main(): Promise<void> {
  // Until there is a result: should nothing be left to wait for before, that is no success.
  process.exitCode = exitCodeOf("internal");
  const controller = new AbortController();
  const received = listenForSignals(controller);
  const output = watchOutput(controller);
  const exitCode = await runToExitCode(toCommandIo(controller.signal, output));
  process.exitCode = output.failure ?? exitCode;
  const signal = received();
  if (signal === null || process.exitCode !== exitCodeOf("interrupted", signal)) return output.isTaken ? leaveReader(output) : undefined;
  await flushOutput(output, LAST_WORDS_LIMIT_MS);
  endNow(signal);
}

async function runToExitCode(io: CommandIo): Promise<number> {
  try {
    return await runProgram(process.argv.slice(2), io);
  } catch (error) {
    const { createRedactor } = await import("./sinks/redact.js");
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`jlgcli: internal error: ${createRedactor(process.env)(stack)}\n`);
    return exitCodeOf("internal");
  }
}

function toCommandIo(signal: AbortSignal, output: OutputState): CommandIo {
  return {
    env: Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: findCwd(),
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    drained: () => waitForDrain(),
    takeStdout: () => takeStdout(output),
    stdoutIsTty: process.stdout.isTTY === true,
    stderrIsTty: process.stderr.isTTY === true,
    // Only when it is asked for: touching process.stdin takes hold of a descriptor that is not ours.
    stdin: () => ({ isTty: process.stdin.isTTY === true, chunks: process.stdin, close: () => void process.stdin.destroy() }),
    terminal: () => ({ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, onInterrupt }),
    signal,
  };
}

/** A folder that was removed under us has only the name that it had. */
function findCwd(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

function waitForDrain(): Promise<void> {
  const { stdout } = process;
  if (!stdout.writableNeedDrain || stdout.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stdout.off("drain", done).off("error", done).off("close", done);
      resolve();
    };
    stdout.on("drain", done).on("error", done).on("close", done);
  });
}

/** Resolves when all that was written is handed to the system (true), or when the time is over. */
function flushOutput({ write }: OutputState, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), limitMs);
    write("", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** A reader that has stopped to read, without going away, does not keep us. */
async function leaveReader(output: OutputState): Promise<void> {
  if (await flushOutput(output, LAST_WORDS_LIMIT_MS)) return;
  killLiveTrees();
  process.exit();
}

// --- output that cannot be written ---

interface OutputState {
  /** The exit code that a failure of stdout asks for. */
  failure: number | null;
  /** What it is when the reader goes away. */
  closedPipeExitCode: number;
  /** Stdout carries a protocol. */
  isTaken: boolean;
  /** Stdout itself, whoever has taken it. */
  readonly write: (text: string, onWritten?: () => void) => boolean;
}

/** A reader that went away ends the run quietly; a full disk is told. */
function watchOutput(controller: AbortController): OutputState {
  const state: OutputState = { failure: null, closedPipeExitCode: CLOSED_PIPE_EXIT_CODE, isTaken: false, write: process.stdout.write.bind(process.stdout) };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (state.failure !== null) return;
    state.failure = error.code === "EPIPE" ? state.closedPipeExitCode : EXIT_TABLE["io-error"].code;
    // The news may come when the run is over and its code is set.
    process.exitCode = state.failure;
    if (error.code !== "EPIPE") process.stderr.write(`jlgcli: output cannot be written: ${error.message}\n`);
    controller.abort("SIGPIPE");
  });
  process.stderr.on("error", () => undefined);
  return state;
}

/** What a library prints must not stand between the lines of a protocol. */
function takeStdout(output: OutputState): (text: string) => void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
  output.closedPipeExitCode = SUCCESS_EXIT_CODE;
  output.isTaken = true;
  return (text) => void output.write(text);
}

// --- signals ---

type InterruptHandler = () => boolean;
let interruptHandler: InterruptHandler | null = null;

/** A chat has a use of its own for Ctrl-C. */
const onInterrupt: TerminalStreams["onInterrupt"] = (handler) => {
  interruptHandler = handler;
  return () => void (interruptHandler = null);
};

/** The first signal ends the run and cleans up; the second ends us at once. */
function listenForSignals(controller: AbortController): () => EndSignalName | null {
  let first: EndSignalName | null = null;
  let firstAtMs = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (signal === "SIGINT" && first === null && interruptHandler?.() === true) return;
      if (first !== null) {
        if (performance.now() - firstAtMs > SAME_PRESS_MS) endNow(signal);
        return;
      }
      first = signal;
      firstAtMs = performance.now();
      controller.abort(signal);
      setTimeout(() => endNow(signal), CLEAN_UP_LIMIT_MS).unref();
    });
  }
  return () => first;
}

/**
 * Dies by the signal, so that a shell loop around us stops too; where that cannot be, with the code that stands for it.
 * What was asked on the side (is a backend signed in?) has nobody who ends it any more.
 */
function endNow(signal: EndSignalName): void {
  killLiveTrees();
  const exitCode = exitCodeOf("interrupted", signal);
  if (!canDieBySignal(process)) process.exit(exitCode);
  for (const name of SIGNALS) process.removeAllListeners(name);
  setTimeout(() => process.exit(exitCode), RERAISE_WAIT_MS);
  process.kill(process.pid, signal);
}
