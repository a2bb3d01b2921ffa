import { spawn } from "node:child_process";
import type { ChildProcessSpawner, SpawnOptions, SpawnOutcome, SpawnedChild } from "../../../src/adapters/traits.js";

/** Real programs, started with nothing but Node: the seam without the product's own process handling. */
export const plainSpawner: ChildProcessSpawner = { spawn: start };

function start(command: string, args: readonly string[], options: SpawnOptions): SpawnedChild {
  const child = spawn(command, args, { cwd: options.cwd, ...(options.env === undefined ? {} : { env: { ...options.env } }), detached: true });
  let stderr = "";
  let settled = false;
  child.stdout.on("data", (chunk: Uint8Array) => void options.onStdout?.(chunk));
  child.stderr.on("data", (chunk: Uint8Array) => {
    stderr += Buffer.from(chunk).toString("utf8");
    options.onStderr?.(chunk);
  });
  child.stdin.on("error", () => undefined);
  const done = new Promise<SpawnOutcome>((resolve) => {
    const settle = (outcome: Omit<SpawnOutcome, "stderr">): void => {
      settled = true;
      resolve({ ...outcome, stderr });
    };
    child.on("error", (error: NodeJS.ErrnoException) => settle({ exitCode: null, spawnErrorMessage: error.message, spawnErrorCode: error.code ?? "UNKNOWN" }));
    child.on("close", (exitCode, signal) => settle({ exitCode, signal }));
  });
  return {
    writeStdin: (text) => void child.stdin.write(text),
    endStdin: () => void child.stdin.end(),
    done,
    get settled() {
      return settled;
    },
    killTree: () => killGroup(child.pid),
    endTree: async () => {
      killGroup(child.pid);
      await done;
      return 0;
    },
    pid: child.pid,
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended already
  }
}
