import { runProgram } from "./program.js";
import type { CommandIo } from "./commands/io.js";
import { killLiveTrees } from "./process/live-trees.js";
import { CLOSED_PIPE_EXIT_CODE, EXIT_TABLE, exitCodeOf } from "./exit-codes.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignalName = (typeof SIGNALS)[number];

/** How long the re-raised signal may take to end us, in milliseconds: as process 1 it never does. */
const RERAISE_WAIT_MS = 200;

void main();

/** The only place that knows the process: its streams, its signals, its exit code. */
async function main(): Promise<void> {
  const controller = new AbortController();
  const received = listenForSignals(controller);
  const output = watchOutput(controller);
  process.exitCode = await runToExitCode(toCommandIo(controller.signal));
  if (output.failure !== null) process.exitCode = output.failure;
  const signal = received();
  if (signal !== null && process.exitCode === exitCodeOf("interrupted", signal)) reraise(signal);
}

async function runToExitCode(io: CommandIo): Promise<number> {
  try {
    return await runProgram(process.argv.slice(2), io);
  } catch (error) {
    process.stderr.write(`jlgcli: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodeOf("internal");
  }
}

function toCommandIo(signal: AbortSignal): CommandIo {
  return {
    env: Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: process.cwd(),
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    drained: () => waitForDrain(),
    stdoutIsTty: process.stdout.isTTY === true,
    stderrIsTty: process.stderr.isTTY === true,
    // Only when it is asked for: touching process.stdin takes hold of a descriptor that is not ours.
    stdin: () => ({ isTty: process.stdin.isTTY === true, chunks: process.stdin }),
    signal,
  };
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

// --- output that cannot be written ---

/** A reader that went away ends the run quietly; a full disk is told. */
function watchOutput(controller: AbortController): { readonly failure: number | null } {
  const state: { failure: number | null } = { failure: null };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (state.failure !== null) return;
    state.failure = error.code === "EPIPE" ? CLOSED_PIPE_EXIT_CODE : EXIT_TABLE["io-error"].code;
    if (error.code !== "EPIPE") process.stderr.write(`jlgcli: output cannot be written: ${error.message}\n`);
    controller.abort("SIGPIPE");
  });
  process.stderr.on("error", () => undefined);
  return state;
}

// --- signals ---

/** The first signal ends the run and cleans up; the second ends us at once. */
function listenForSignals(controller: AbortController): () => EndSignalName | null {
  let first: EndSignalName | null = null;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (first !== null) {
        killLiveTrees();
        reraise(signal);
        return;
      }
      first = signal;
      controller.abort(signal);
    });
  }
  return () => first;
}

/** Dies by the signal, so that a shell loop around us stops too; as process 1, with the code that stands for it. */
function reraise(signal: EndSignalName): void {
  for (const name of SIGNALS) process.removeAllListeners(name);
  setTimeout(() => process.exit(exitCodeOf("interrupted", signal)), RERAISE_WAIT_MS);
  process.kill(process.pid, signal);
}
