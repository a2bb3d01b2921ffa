import { randomUUID } from "node:crypto";
import type { BackendRecord } from "../adapters/record.js";
import type { ChildProcessSpawner, SpawnedChild, SpawnOptions } from "../adapters/traits.js";
import { toChildEnv } from "../process/child-env.js";
import type { FoundProgram } from "../process/find-program.js";

/** How a backend's program is asked something that it must answer at once. */
export interface ProbeOptions {
  readonly record: BackendRecord;
  readonly program: FoundProgram;
  readonly env: Readonly<Record<string, string>>;
  /** A folder that holds nothing of a project's. */
  readonly cwd: string;
  /** How long an answer is waited for, in milliseconds from the start of the program. */
  readonly deadlineMs: number;
  /** Called when a question is not answered in time. Its process is ended. */
  readonly onLate?: () => void;
}

/** What a program said to a question. */
export interface ProbeAnswer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** More than any version needs. */
const MAX_ANSWER_CHARS = 64 * 1024;

/**
 * A spawner that starts one backend's program as a run would (its environment, without a shell), in a neutral folder
 * and with a deadline: what has not ended by then is ended with its whole tree.
 */
export function createProbeSpawner(spawner: ChildProcessSpawner, probe: ProbeOptions): ChildProcessSpawner {
  return {
    spawn(_command, args, options) {
      const { program, cwd } = probe;
      const child = spawner.spawn(program.path, [...program.args, ...args], { ...options, cwd, env: toProbeEnv(probe) });
      endWhenLate(child, probe);
      return child;
    },
  };
}

/** Asks a program a question, for instance `--version`, with its stdin closed. */
export async function runProbe(spawner: ChildProcessSpawner, args: readonly string[], cwd: string): Promise<ProbeAnswer> {
  let stdout = "";
  const decoder = new TextDecoder();
  const options: SpawnOptions = {
    cwd,
    onStdout: (chunk) => {
      if (stdout.length < MAX_ANSWER_CHARS) stdout += decoder.decode(chunk, { stream: true });
    },
  };
  const child = spawner.spawn("", args, options);
  child.endStdin();
  const { exitCode, stderr } = await child.done;
  return { exitCode, stdout, stderr };
}

function toProbeEnv({ record, env, cwd }: ProbeOptions): Record<string, string> {
  const { set = {}, remove = [] } = record.traits.env ?? {};
  return toChildEnv(env, { set, remove, runId: randomUUID(), cwd });
}

function endWhenLate(child: SpawnedChild, { deadlineMs, onLate }: ProbeOptions): void {
  const timer = setTimeout(() => {
    if (child.settled) return;
    onLate?.();
    child.killTree();
  }, deadlineMs);
  void child.done.then(() => clearTimeout(timer));
}
