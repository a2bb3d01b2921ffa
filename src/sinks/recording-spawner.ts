import type { ChildProcessSpawner, SpawnedChild, SpawnOptions, SpawnOutcome } from "../adapters/traits.js";

/** Takes down what a program does. None of it may throw: a sink keeps its failure and tells it when it is closed. */
export interface RecordingSink {
  /** A program is started with these arguments, the program first. */
  start(argv: readonly string[]): void;
  write(fd: 1 | 2, bytes: Uint8Array): void;
  /** The program has ended. Not called for one that could not be started. */
  end(end: { readonly exitCode: number | null; readonly signal: string | null }): void;
}

/** A spawner that does as `inner` does and takes everything down on the way: same output, same outcome, same backpressure. */
export function createRecordingSpawner(inner: ChildProcessSpawner, sink: RecordingSink): ChildProcessSpawner {
  return {
    spawn(command, args, options) {
      sink.start([command, ...args]);
      return followChild(inner.spawn(command, args, tapOutput(options, sink)), options, sink);
    },
  };
}

/** Only what the caller takes as it comes is tapped: without a callback the output is found in the outcome. */
function tapOutput(options: SpawnOptions, sink: RecordingSink): SpawnOptions {
  const { onStdout, onStderr } = options;
  return {
    ...options,
    ...(onStdout && {
      onStdout: (chunk: Uint8Array) => {
        sink.write(1, chunk);
        return onStdout(chunk);
      },
    }),
    ...(onStderr && {
      onStderr: (chunk: Uint8Array) => {
        sink.write(2, chunk);
        onStderr(chunk);
      },
    }),
  };
}

function followChild(child: SpawnedChild, options: SpawnOptions, sink: RecordingSink): SpawnedChild {
  return {
    writeStdin: (text) => child.writeStdin(text),
    endStdin: () => child.endStdin(),
    done: child.done.then((outcome) => {
      recordOutcome(outcome, options, sink);
      return outcome;
    }),
    get settled() {
      return child.settled;
    },
    killTree: () => child.killTree(),
    ...("endTree" in child && { endTree: async () => (await child.endTree?.()) ?? 0 }),
    get pid() {
      return child.pid;
    },
  };
}

function recordOutcome(outcome: SpawnOutcome, options: SpawnOptions, sink: RecordingSink): void {
  if (outcome.spawnErrorMessage !== undefined) return;
  if (options.onStdout === undefined && outcome.stdout) sink.write(1, Buffer.from(outcome.stdout));
  if (options.onStderr === undefined && outcome.stderr) sink.write(2, Buffer.from(outcome.stderr));
  sink.end({ exitCode: outcome.exitCode, signal: outcome.signal ?? null });
}
