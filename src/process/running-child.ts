import type { Readable, Writable } from "node:stream";
import type { SpawnedChild, SpawnOptions, SpawnOutcome } from "../adapters/traits.js";
import { openPipeOutput, type ChildOutput } from "./child-output.js";
import { createProcessTree } from "./kill-tree.js";
import { trackTree } from "./live-trees.js";
import { writeRunningRecord } from "./running-record.js";
import { createTailBuffer, type TextBuffer } from "./text-buffer.js";

/** A child that has been started. */
export interface StartedChild {
  readonly process: {
    readonly stdin: Writable;
    readonly stderr: Readable | null;
    once(event: "exit", listener: (exitCode: number | null, signal: string | null) => void): unknown;
  };
  readonly pid: number;
  readonly stdout: ChildOutput;
  /** What nobody receives chunk by chunk. */
  readonly collected: TextBuffer | undefined;
  readonly runId: string;
  readonly options: SpawnOptions;
  readonly runningFolder: string | undefined;
}

/** How much of stderr is kept in the outcome. */
export const STDERR_LIMIT_BYTES = 64 * 1024;

/** Reads both outputs at once, watches for the child's end, and puts the outcome together. */
export function createRunningChild({ process, pid, stdout, collected, runId, options, runningFolder }: StartedChild): SpawnedChild {
  const tree = createProcessTree({ pid, runId });
  const mark = markRunning(runningFolder, { runId, pid, startedAt: tree.startedAt ?? Date.now() });
  const tail = createTailBuffer(STDERR_LIMIT_BYTES);
  const stderr = openPipeOutput(process.stderr, (chunk) => {
    tail.push(chunk);
    options.onStderr?.(chunk);
  });
  const stdin = openStdin(process.stdin);
  const end = watchEnd(process);
  let isSettled = false;

  const settle = async (): Promise<SpawnOutcome> => {
    const { exitCode, signal, complaint } = await end.promise;
    if (complaint === undefined) tree.noteRootGone();
    // From a child that cannot be ended nothing more is waited for.
    if (complaint !== undefined) for (const output of [stdout, stderr]) output.abandon();
    await Promise.all([stdout.finish(), stderr.finish()]);
    isSettled = true;
    mark.noteSettled();
    const complaints = [complaint, stdin.complaint(), stdout.complaint(), stderr.complaint()];
    return { exitCode, signal, ...toStdoutFields(collected), ...toStderrFields(tail), ...toComplaintField(complaints) };
  };

  const noteSurvivors = (count: number): number => {
    if (count > 0) end.giveUp(`${count} of the run's processes could not be ended`);
    return count;
  };

  return {
    writeStdin: stdin.write,
    endStdin: stdin.end,
    done: trackTree(tree, settle()),
    get settled() {
      return isSettled;
    },
    killTree() {
      if (isSettled) return;
      tree.kill();
      void tree.end([]).then(noteSurvivors);
    },
    endTree: () => trackTree(tree, mark.whileEnding(tree.end(options.endSignals))).then(noteSurvivors),
    pid,
  };
}

interface RunningMark {
  noteSettled(): void;
  whileEnding(ending: Promise<number>): Promise<number>;
}

/** On record until the child is settled and whoever is ending its tree has found nothing left. */
function markRunning(folder: string | undefined, child: Parameters<typeof writeRunningRecord>[1]): RunningMark {
  const unmark = folder === undefined ? () => undefined : writeRunningRecord(folder, child);
  let isSettled = false;
  let wasEnded = false;
  let endings = 0;
  let survivors = 0;
  const unmarkWhenOver = (): void => {
    if (isSettled && endings === 0 && survivors === 0) unmark();
  };
  return {
    noteSettled() {
      isSettled = true;
      // Whoever waits for the child ends the rest of its tree right after, if that was not done before.
      if (wasEnded) unmarkWhenOver();
      else setImmediate(unmarkWhenOver);
    },
    async whileEnding(ending) {
      endings += 1;
      survivors = await ending;
      endings -= 1;
      wasEnded = true;
      unmarkWhenOver();
      return survivors;
    },
  };
}

/** A child may end without reading its stdin; what it says about that itself is the real news. */
function openStdin(stream: Writable) {
  let errorMessage: string | undefined;
  stream.on("error", (error) => {
    errorMessage ??= error.message;
  });
  return {
    write: (text: string): void => void stream.write(text),
    end: (): void => void stream.end(),
    complaint: () => (errorMessage === undefined ? undefined : `stdin: ${errorMessage}`),
  };
}

interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly complaint?: string;
}

/** Settles with the child's exit, or with `giveUp` for a child that not even KILL ends (stuck in the system). */
function watchEnd(process: StartedChild["process"]): { promise: Promise<ChildEnd>; giveUp: (complaint: string) => void } {
  let giveUp = (_complaint: string): void => {};
  const promise = new Promise<ChildEnd>((resolve) => {
    process.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    giveUp = (complaint) => resolve({ exitCode: null, signal: null, complaint });
  });
  return { promise, giveUp };
}

function toStdoutFields(collected: TextBuffer | undefined): Partial<SpawnOutcome> {
  if (collected === undefined) return {};
  return { stdout: collected.toText(), ...(collected.isTruncated && { stdoutTruncated: true }) };
}

function toStderrFields(tail: TextBuffer): Pick<SpawnOutcome, "stderr" | "stderrTruncated"> {
  return { stderr: tail.toText(), ...(tail.isTruncated && { stderrTruncated: true }) };
}

function toComplaintField(complaints: readonly (string | undefined)[]): Partial<SpawnOutcome> {
  const known = complaints.filter((complaint) => complaint !== undefined);
  return known.length === 0 ? {} : { streamErrorMessage: known.join("; ") };
}
