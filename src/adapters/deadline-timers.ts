import type { DeadlineKind, Stop } from "./outcome.js";
import type { Deadlines } from "./traits.js";

/** The time that a child took from 0 to its first byte, between bytes, and in all. */
export interface DeadlineTimers {
  /** A byte came from the child. `onStdout`: on its stdout. */
  noteByte(onStdout: boolean): void;
  clear(): void;
}

/** Starts the deadlines of a run; calls back once, with the first that passes. */
export function startDeadlines(deadlines: Deadlines, onPassed: (stop: Stop) => void): DeadlineTimers {
  const timers = new Map<DeadlineKind, NodeJS.Timeout>();
  const start = (deadline: DeadlineKind, afterMs: number | undefined): void => {
    if (afterMs === undefined || afterMs <= 0) return;
    timers.set(deadline, setTimeout(() => pass(deadline, afterMs), afterMs));
  };
  const clear = (): void => {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  };
  const pass = (deadline: DeadlineKind, afterMs: number): void => {
    clear();
    onPassed({ kind: "timeout", deadline, afterMs });
  };
  start("total", deadlines.totalMs);
  start("first-byte", deadlines.firstByteMs);
  start("idle", deadlines.idleMs);
  return {
    noteByte(onStdout) {
      timers.get("idle")?.refresh();
      if (!onStdout) return;
      clearTimeout(timers.get("first-byte"));
      timers.delete("first-byte");
    },
    clear,
  };
}
