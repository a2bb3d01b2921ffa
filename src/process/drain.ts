import type { OutputReader } from "./read-pipe.js";

/** How long a pipe may be waited for after the child's exit. All in milliseconds. */
export interface DrainLimits {
  /** Give up after this long without a byte. */
  readonly quietMs: number;
  /** Give up after this long in all, not counting the time in which the receiver holds us back. */
  readonly totalMs: number;
}

export const DRAIN_LIMITS: DrainLimits = { quietMs: 250, totalMs: 1000 };

/**
 * Waits, bounded, until a pipe of a child that has exited is read. It ends by itself unless a process that the child
 * left behind holds it open. What the child wrote before its exit is always read: time is counted in ticks of the
 * event loop's timer, each of which lets the loop read whatever lies in the pipe, so that neither a slow receiver nor
 * a machine that stands still uses the time up.
 */
export async function drainReader(reader: OutputReader, limits: DrainLimits = DRAIN_LIMITS): Promise<void> {
  let stopCounting = (): void => {};
  const givenUp = new Promise<void>((resolve) => {
    stopCounting = countTicks(reader, limits, resolve);
  });
  await Promise.race([reader.done, givenUp]);
  stopCounting();
  if (!reader.isDone) reader.stop();
  await reader.done;
}

const TICK_MS = 25;

/** More than a pipe or a socket pair holds, so reading this much means that all that lay there at the exit is read. */
const PIPE_CAPACITY_BYTES = 1024 * 1024;

/** Calls `onGiveUp` when a limit is reached. Returns what ends the counting. */
function countTicks(reader: OutputReader, limits: DrainLimits, onGiveUp: () => void): () => void {
  const bytesAtExit = reader.bytesRead;
  const exitedAtMs = Date.now();
  let lastBytes = bytesAtExit;
  let quietTicks = 0;
  let freeTicks = 0;
  const tick = (): void => {
    if (!reader.isBlocked) {
      freeTicks += 1;
      quietTicks = reader.bytesRead === lastBytes ? quietTicks + 1 : 0;
    }
    lastBytes = reader.bytesRead;
    const isLate = Date.now() - exitedAtMs >= limits.totalMs;
    const isEndless = isLate && reader.bytesRead - bytesAtExit > PIPE_CAPACITY_BYTES;
    if (isEndless || quietTicks * TICK_MS >= limits.quietMs || freeTicks * TICK_MS >= limits.totalMs) onGiveUp();
    else timer = setTimeout(tick, TICK_MS);
  };
  let timer = setTimeout(tick, TICK_MS);
  return () => clearTimeout(timer);
}
