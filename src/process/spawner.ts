import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { execa } from "execa";
import type { ChildProcessSpawner, SpawnedChild, SpawnOptions, SpawnOutcome } from "../adapters/traits.js";
import { describeError } from "../errors.js";
import { createRunId } from "../run-id.js";
import { RUN_ID_VARIABLE } from "./child-env.js";
import { openFileOutput, openPipeOutput, type FileOutput } from "./child-output.js";
import { describeSpawnFailure, errorCodeOf, type SpawnFailure } from "./describe-spawn-failure.js";
import { findProgram } from "./find-program.js";
import { createRunningChild } from "./running-child.js";
import { createHeadBuffer } from "./text-buffer.js";

export interface ProcessSpawnerOptions {
  /** The environment of children for which none is given; absent: this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where each child is on record while it runs, so that what outlives this process is found; absent: nowhere. */
  readonly runningFolder?: string;
}

/** How much of stdout is collected where nobody receives it. */
export const STDOUT_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Starts children for real: without a shell, each with a process group of its own and the complete environment given.
 * Two variables are always ours there: a true `PWD`, and a `JLGCLI_RUN_ID` that is not the one this process inherited.
 * A bare command is looked up on the `PATH` of that environment (see `findProgram`).
 *
 * `spawn` does not throw and `done` does not reject: a failed start, a broken pipe or a callback that threw is told in
 * the outcome. After the child's exit its pipes are waited for only as long as `drainReader` says.
 */
export function createProcessSpawner(spawnerOptions: ProcessSpawnerOptions = {}): ChildProcessSpawner {
  return {
    spawn(command, args, options) {
      const env = toSpawnEnv(options.env ?? spawnerOptions.env ?? process.env, options.cwd);
      return startChild({ command, args, cwd: options.cwd, env, options, runningFolder: spawnerOptions.runningFolder });
    },
  };
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly options: SpawnOptions;
  readonly runningFolder: string | undefined;
}

function toSpawnEnv(base: Readonly<Record<string, string | undefined>>, cwd: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) if (value !== undefined) env[name] = value;
  env["PWD"] = resolve(cwd);
  // An inherited id marks the run that we are a part of: sweeping by it would end our own siblings.
  const runId = env[RUN_ID_VARIABLE];
  if (runId === undefined || runId === "" || runId === process.env[RUN_ID_VARIABLE]) env[RUN_ID_VARIABLE] = createRunId();
  return env;
}


function startChild(start: Start): SpawnedChild {
  const program = findProgram(start.command, start);
  if (program === null) return failedChild(describeUnfound(start));
  if ("refusal" in program) return failedChild({ code: "EINVAL", message: program.refusal });
  const collected = start.options.onStdout === undefined ? createHeadBuffer(STDOUT_LIMIT_BYTES) : undefined;
  const onStdout = start.options.onStdout ?? ((chunk) => collected?.push(chunk));
  let file: FileOutput | undefined;
  try {
    file = start.options.stdout === "file" ? openFileOutput(onStdout) : undefined;
    const subprocess = launch(program.path, [...program.args, ...start.args], start, file?.writerFd);
    file?.closeWriter();
    if (subprocess.pid === undefined) {
      file?.abandon();
      return failedChild(describeFailedLaunch(subprocess, start));
    }
    return createRunningChild({
      process: subprocess,
      pid: subprocess.pid,
      stdout: file ?? openPipeOutput(subprocess.stdout, onStdout),
      collected,
      runId: start.env[RUN_ID_VARIABLE] ?? "",
      options: start.options,
      runningFolder: start.runningFolder,
    });
  } catch (error) {
    file?.abandon();
    return failedChild(describeSpawnFailure(errorCodeOf(error), describeError(error), start));
  }
}

function launch(path: string, args: readonly string[], { cwd, env }: Start, stdoutFd: number | undefined) {
  return execa(path, args, {
    cwd,
    env,
    extendEnv: false,
    stdin: "pipe",
    // Any open descriptor works and reaches the child as it is; execa's types know only 1 and 2.
    stdout: (stdoutFd as 1 | undefined) ?? "pipe",
    stderr: "pipe",
    buffer: false,
    encoding: "buffer",
    stripFinalNewline: false,
    reject: false,
    // A process group of its own, so that the tree can be signalled as one. On Windows it would mean a new console.
    detached: process.platform !== "win32",
    windowsHide: true,
    // Whoever starts a child ends its whole tree; execa would end only the child.
    cleanup: false,
  });
}

/** An empty look-up of a path still has its reasons: it may be a folder, or not executable. */
function describeUnfound(start: Start): SpawnFailure {
  const isThere = start.command.includes("/") && existsSync(resolve(start.cwd, start.command));
  return describeSpawnFailure(isThere ? "EACCES" : "ENOENT", "", start);
}

async function describeFailedLaunch(subprocess: ReturnType<typeof launch>, start: Start): Promise<SpawnFailure> {
  const { cause, originalMessage = "" } = await subprocess;
  return describeSpawnFailure(errorCodeOf(cause), originalMessage, start);
}

function failedChild(failure: SpawnFailure | Promise<SpawnFailure>): SpawnedChild {
  let isSettled = false;
  const done = Promise.resolve(failure).then(({ code, message }): SpawnOutcome => {
    isSettled = true;
    return { exitCode: null, signal: null, stderr: "", spawnErrorMessage: message, spawnErrorCode: code };
  });
  return {
    writeStdin: () => {},
    endStdin: () => {},
    done,
    get settled() {
      return isSettled;
    },
    killTree: () => {},
    endTree: () => Promise.resolve(0),
    pid: undefined,
  };
}
