import { spawn, spawnSync } from "node:child_process";
import { win32 } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EndSignal } from "../adapters/traits.js";
import type { ProcessTree } from "./process-tree.js";
import { canBeSignalled } from "./process-table.js";

/**
 * The tree of a child on Windows, ended by `taskkill`, which finds descendants by their parents' ids. What is left of
 * a tree whose root is gone cannot be found. Signals have no meaning there: a program with a window is asked to close,
 * anything else refuses that and is ended by force at once.
 */
export function createWindowsTree(pid: number): ProcessTree {
  let rootIsGone = false;
  const isGone = (): boolean => rootIsGone || !canBeSignalled(pid);
  return {
    startedAt: undefined,
    noteRootGone() {
      rootIsGone = true;
    },
    count: () => (isGone() ? 0 : 1),
    async end(signals = []) {
      if (isGone()) return 0;
      const wasTaken = signals.length > 0 && (await runTaskkill(pid, { isForced: false }));
      if (wasTaken) await waitUntil(isGone, askedWaitMs(signals));
      if (isGone()) return 0;
      await runTaskkill(pid, { isForced: true });
      await waitUntil(isGone, FORCED_WAIT_MS);
      return isGone() ? 0 : 1;
    },
    kill() {
      if (isGone()) return;
      const { file, args } = toTaskkillCommand(pid, { isForced: true, systemRoot: process.env["SystemRoot"] });
      spawnSync(file, args, { stdio: "ignore", windowsHide: true, timeout: TASKKILL_LIMIT_MS });
    },
  };
}

const FORCED_WAIT_MS = 1000;
const TASKKILL_LIMIT_MS = 2000;
const LONGEST_ASKED_WAIT_MS = 2000;

export interface TaskkillOptions {
  readonly isForced: boolean;
  readonly systemRoot: string | undefined;
}

/** The full path keeps a `taskkill.exe` in the current folder from being run instead. */
export function toTaskkillCommand(pid: number, { isForced, systemRoot = "C:\\Windows" }: TaskkillOptions): { file: string; args: readonly string[] } {
  return {
    file: win32.join(systemRoot, "System32", "taskkill.exe"),
    args: ["/PID", String(pid), "/T", ...(isForced ? ["/F"] : [])],
  };
}

function runTaskkill(pid: number, { isForced }: { readonly isForced: boolean }): Promise<boolean> {
  const { file, args } = toTaskkillCommand(pid, { isForced, systemRoot: process.env["SystemRoot"] });
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: "ignore", windowsHide: true, timeout: TASKKILL_LIMIT_MS });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}

function askedWaitMs(signals: readonly EndSignal[]): number {
  return Math.min(signals.reduce((sum, { waitMs }) => sum + waitMs, 0), LONGEST_ASKED_WAIT_MS);
}

const POLL_MS = 20;

async function waitUntil(isTrue: () => boolean, limitMs: number): Promise<void> {
  const untilMs = Date.now() + limitMs;
  while (!isTrue() && Date.now() < untilMs) await sleep(POLL_MS);
}
