import type { DeadlineKind, Stop } from "./outcome.js";
import type { Deadlines } from "./traits.js";

/** The longest time that Node's timers take; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time that a child took from 0 to its first byte, between bytes, and in all. */
export interface DeadlineTimers {
  /** A byte came from the child. `onStdout`: on its stdout. */
  noteByte(onStdout: boolean): void;
  /** While our caller takes what the child printed, not the child is idle but we are. Gives the function that ends the hold. */
  holdIdle(): () => void;
  clear(): void;
}

/** Starts the deadlines of a run; calls back once, with the first that passes. */
export function startDeadlines(deadlines: Deadlines, onPassed: (stop: Stop) => void): DeadlineTimers {
  const timers = new Map<DeadlineKind, NodeJS.Timeout>();
  let idleHolds = 0;
  const start = (deadline: DeadlineKind, afterMs: number | undefined): void => {
    if (afterMs === undefined || !(afterMs > 0)) return;
    timers.set(deadline, setTimeout(() => pass(deadline, afterMs), Math.min(afterMs, MAX_TIMER_MS)));
  };
  const clear = (): void => {
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  };
  const pass = (deadline: DeadlineKind, afterMs: number): void => {
    if (deadline === "idle" && idleHolds > 0) return void timers.get("idle")?.refresh();
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
    holdIdle() {
      idleHolds += 1;
      return () => {
        idleHolds -= 1;
        timers.get("idle")?.refresh();
      };
    },
    clear,
  };
}
