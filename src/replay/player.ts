/**
 * Plays a cassette as if it were the program that was recorded: `node replay-player.cjs CASSETTE [ignored arguments]`.
 * It is built into one file without dependencies, because it is spawned like any other backend.
 *
 * JLGCLI_REPLAY_SPEED scales the recorded time: 2 is twice as fast, 0 writes all at once. No pause is longer than 2 s.
 */
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { describeError, JlgcliError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import { readCassette, type CassetteEnd } from "../sinks/cassette.js";

/** A recorded program may have thought for minutes. */
const MAX_PAUSE_MS = 2000;
/** How long to wait for a prompt that does not come: no program may hang on a stdin that nobody closes. */
const STDIN_QUIET_MS = 500;
/** How long a signal may take to end this process. */
const SIGNAL_WAIT_MS = 1000;
/** What a shell adds to the number of a signal. */
const SIGNAL_EXIT_BASE = 128;

void play(process.argv[2], process.env["JLGCLI_REPLAY_SPEED"]).catch(fail);

async function play(path: string | undefined, speedText: string | undefined): Promise<void> {
  if (path === undefined) throw new JlgcliError("USAGE_INVALID", "no cassette was named: node replay-player.cjs CASSETTE");
  const speed = parseSpeed(speedText);
  const closed = watchOutput();
  await readStdin();

  let lastMs = 0;
  let pausedMs = 0;
  const startedAtMs = performance.now();
  /** Pauses are measured from the start, so that small delays do not add up. */
  const pauseUntil = async (atMs: number): Promise<void> => {
    pausedMs += toPauseMs(atMs - lastMs, speed);
    lastMs = atMs;
    const waitMs = startedAtMs + pausedMs - performance.now();
    if (waitMs >= 1) await sleep(waitMs);
  };

  for await (const line of readCassette(path)) {
    if (line.type === "output") {
      await pauseUntil(line.output.atMs);
      await write(line.output.fd, line.output.bytes, closed);
      // Nobody listens any more.
      if (closed.has(1)) break;
    }
    if (line.type === "end") {
      await pauseUntil(line.end.atMs);
      await end(line.end);
    }
  }
  process.stdin.destroy();
}

function parseSpeed(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  const speed = Number(text);
  if (Number.isFinite(speed) && speed >= 0) return speed;
  throw new JlgcliError("USAGE_INVALID", `JLGCLI_REPLAY_SPEED: expected a number that is 0 or more, got ${JSON.stringify(text)}`);
}

function toPauseMs(recordedMs: number, speed: number): number {
  return speed === 0 ? 0 : Math.min(MAX_PAUSE_MS, Math.max(0, recordedMs) / speed);
}

/** The descriptors whose reader has gone. That is no fault of ours; every other error of a write is. */
function watchOutput(): ReadonlySet<1 | 2> {
  const closed = new Set<1 | 2>();
  const watch = (fd: 1 | 2, error: NodeJS.ErrnoException): void => {
    closed.add(fd);
    if (error.code !== "EPIPE") fail(new JlgcliError("OUTPUT_FAILED", `output cannot be written: ${error.message}`));
  };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => watch(1, error));
  process.stderr.on("error", (error: NodeJS.ErrnoException) => watch(2, error));
  return closed;
}

/** Reads the prompt to its end, as the recorded program did, and needs it for nothing. */
async function readStdin(): Promise<void> {
  if (process.stdin.isTTY) return;
  await new Promise<void>((resolve) => {
    const quiet = setTimeout(resolve, STDIN_QUIET_MS);
    const finish = (): void => {
      clearTimeout(quiet);
      resolve();
    };
    process.stdin.on("data", () => quiet.refresh());
    for (const event of ["end", "close", "error"]) process.stdin.on(event, finish);
  });
}

/** Done when the bytes were taken, so that none is lost at exit and a slow reader holds us back. */
async function write(fd: 1 | 2, bytes: Uint8Array, closed: ReadonlySet<1 | 2>): Promise<void> {
  if (closed.has(fd) || bytes.length === 0) return;
  const stream = fd === 1 ? process.stdout : process.stderr;
  // The error itself arrives at the listener.
  await new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
}

async function end({ exit, signal }: CassetteEnd): Promise<void> {
  process.exitCode = exit ?? SIGNAL_EXIT_BASE + findSignalNumber(signal);
  if (signal === null || !sendToSelf(signal)) return;
  // Where the signal ends no process, the exit code says which one it was, as a shell does.
  await sleep(SIGNAL_WAIT_MS);
}

/** 0 for one that this system does not know. */
function findSignalNumber(signal: string | null): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}

/** False where this system does not know the signal. */
function sendToSelf(signal: string): boolean {
  try {
    return process.kill(process.pid, signal);
  } catch {
    return false;
  }
}

function fail(error: unknown): void {
  process.stderr.write(`replay-player: ${describeError(error)}\n`);
  process.exitCode = error instanceof JlgcliError ? error.exitCode : exitCodeOf("internal");
  process.stdin.destroy();
}
