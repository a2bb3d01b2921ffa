import type { ChildProcessSpawner, SpawnedChild, SpawnOptions, SpawnOutcome } from "../../../src/adapters/traits.js";

/** A spawner without any process: what it was asked for, and how its child behaves. */
export interface FakeSpawner extends ChildProcessSpawner {
  readonly calls: readonly SpawnCall[];
}

export interface SpawnCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  readonly child: FakeChild;
}

export interface FakeChild extends SpawnedChild {
  readonly written: readonly string[];
  readonly stdinEnded: boolean;
  readonly kills: number;
  settle(outcome?: Partial<SpawnOutcome>): void;
}

export interface FakeBehaviour {
  /** The end that the child comes to, unless `script` decides. */
  readonly outcome?: Partial<SpawnOutcome>;
  /** What the child does once its stdin is closed; without it the child settles with `outcome` at once. */
  readonly script?: (child: FakeChild, options: SpawnOptions) => unknown;
  /** What the child does when it is killed; without it, it settles as killed. */
  readonly onKill?: (child: FakeChild) => void;
  readonly onWrite?: (text: string) => void;
  readonly onEnd?: (child: FakeChild) => void;
  /** As our own spawner: the child has an `endTree`. */
  readonly endTree?: (child: FakeChild) => Promise<number>;
}

const QUIET: SpawnOutcome = { exitCode: 0, stdout: "", stderr: "" };

/** A spawner as a foreign program would bring one: stdout comes in one piece with the outcome. */
export function createFakeSpawner(behaviour: FakeBehaviour = {}): FakeSpawner {
  const calls: SpawnCall[] = [];
  return {
    calls,
    spawn(command, args, options) {
      const child = createFakeChild(behaviour, options);
      calls.push({ command, args, options, child });
      return child;
    },
  };
}

/** A spawner whose child prints these chunks one by one, waiting for each to be taken, and then ends. */
export function createStreamingSpawner(chunks: readonly (string | Uint8Array)[], outcome: Partial<SpawnOutcome> = {}): FakeSpawner {
  return createFakeSpawner({
    script: async (child, options) => {
      for (const chunk of chunks) await options.onStdout?.(Buffer.from(chunk));
      child.settle({ ...outcome });
    },
  });
}

function createFakeChild(behaviour: FakeBehaviour, options: SpawnOptions): FakeChild {
  const written: string[] = [];
  let resolve: (outcome: SpawnOutcome) => void = () => undefined;
  const done = new Promise<SpawnOutcome>((settleWith) => (resolve = settleWith));
  const state = { settled: false, stdinEnded: false, kills: 0 };
  const child: FakeChild = {
    written,
    done,
    get settled() {
      return state.settled;
    },
    get stdinEnded() {
      return state.stdinEnded;
    },
    get kills() {
      return state.kills;
    },
    settle(outcome) {
      state.settled = true;
      resolve({ ...QUIET, ...outcome });
    },
    writeStdin(text) {
      behaviour.onWrite?.(text);
      written.push(text);
    },
    endStdin() {
      state.stdinEnded = true;
      behaviour.onEnd?.(child);
      if (behaviour.script !== undefined) void behaviour.script(child, options);
      else child.settle(behaviour.outcome);
    },
    killTree() {
      if (state.settled) return;
      state.kills += 1;
      if (behaviour.onKill !== undefined) behaviour.onKill(child);
      else child.settle({ exitCode: null, signal: "SIGKILL" });
    },
  };
  const { endTree } = behaviour;
  return endTree === undefined ? child : Object.assign(child, { endTree: () => endTree(child) });
}
