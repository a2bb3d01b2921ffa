import type { ChildProcessSpawner, SpawnOutcome } from "../adapters/traits.js";
import { JlgcliError } from "../errors.js";
import type { CheckResult } from "../events/schema.js";
import { toChildEnv } from "../process/child-env.js";
import { createTailBuffer } from "../process/text-buffer.js";
import { createRunId } from "../run-id.js";

export interface CheckRequest {
  /** A line for the shell: `sh -c` (`cmd /d /s /c` on Windows). */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds; 0 is off. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly spawner: ChildProcessSpawner;
  readonly platform?: NodeJS.Platform;
}

/** How much of a check's output is kept: of more, the end. */
export const CHECK_OUTPUT_LIMIT_BYTES = 8 * 1024;

/** What a shell says of a command that it cannot find or run. */
const NOT_RUNNABLE_CODES: readonly (number | null)[] = [126, 127];

/**
 * Runs the command that tells whether a loop is done, to its end or to its deadline, and ends all that it started.
 * Its standard input is closed. Its output is kept as far as it is needed, and never printed.
 * @throws JlgcliError `USAGE_INVALID` for a command that cannot be run: that would be "not yet" for ever.
 */
export async function runCheck(request: CheckRequest): Promise<CheckResult> {
  const { command, cwd, timeoutMs, signal } = request;
  const tail = createTailBuffer(CHECK_OUTPUT_LIMIT_BYTES);
  const keep = (chunk: Uint8Array): void => tail.push(chunk);
  const [shell, args] = toShell(command, request.platform ?? process.platform);
  const env = toChildEnv(request.env, { runId: createRunId(), cwd });
  const child = request.spawner.spawn(shell, args, { cwd, env, onStdout: keep, onStderr: keep });
  child.endStdin();
  let timedOut = false;
  // `endTree` asks the command to end before it forces it to: a test suite may have a server to stop.
  const end = (): void => void (child.endTree?.() ?? child.killTree());
  const onTimeout = (): void => {
    timedOut = true;
    end();
  };
  const timer = timeoutMs > 0 ? setTimeout(onTimeout, timeoutMs) : undefined;
  if (signal?.aborted === true) end();
  signal?.addEventListener("abort", end, { once: true });
  const outcome = await child.done;
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
  await child.endTree?.();
  const output = tail.toText();
  if (!timedOut && signal?.aborted !== true) refuseUnrunnable(command, outcome, output);
  return { command, exitCode: timedOut ? null : outcome.exitCode, timedOut, output };
}

function toShell(command: string, platform: NodeJS.Platform): readonly [string, readonly string[]] {
  return platform === "win32" ? ["cmd", ["/d", "/s", "/c", `"${command}"`]] : ["sh", ["-c", command]];
}

function refuseUnrunnable(command: string, outcome: SpawnOutcome, output: string): void {
  const said = outcome.spawnErrorMessage ?? (NOT_RUNNABLE_CODES.includes(outcome.exitCode) ? output.trim().slice(-300) || `exit code ${String(outcome.exitCode)}` : null);
  if (said === null) return;
  throw new JlgcliError("USAGE_INVALID", `--until: the command ${JSON.stringify(command)} cannot be run: ${said}`, {
    hint: "126 and 127 are what a shell says of a command that it cannot run; try it by hand in the working directory",
  });
}
