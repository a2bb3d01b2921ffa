import { describe, expect, it } from "vitest";
import type { ChildProcessSpawner, SpawnedChild, SpawnOptions, SpawnOutcome } from "../../../src/adapters/traits.js";
import { createRecordingSpawner, type RecordingSink } from "../../../src/sinks/recording-spawner.js";

interface Fake {
  readonly spawner: ChildProcessSpawner;
  readonly calls: unknown[];
  readonly options: () => SpawnOptions;
  readonly finish: (outcome: SpawnOutcome) => void;
}

/** A spawner whose child does what the test says. */
function createFake(extra: Partial<SpawnedChild> = {}): Fake {
  const calls: unknown[] = [];
  let given: SpawnOptions | undefined;
  let finish: (outcome: SpawnOutcome) => void = () => undefined;
  const done = new Promise<SpawnOutcome>((resolve) => (finish = resolve));
  let isSettled = false;
  void done.then(() => (isSettled = true));
  const child: SpawnedChild = {
    writeStdin: (text) => void calls.push(["writeStdin", text]),
    endStdin: () => void calls.push(["endStdin"]),
    killTree: () => void calls.push(["killTree"]),
    done,
    get settled() {
      return isSettled;
    },
    pid: 42,
    ...extra,
  };
  const spawner: ChildProcessSpawner = {
    spawn(command, args, options) {
      calls.push(["spawn", command, args]);
      given = options;
      return child;
    },
  };
  const options = (): SpawnOptions => given ?? { cwd: "not spawned" };
  return { spawner, calls, options, finish: (outcome) => finish(outcome) };
}

function createSink(): { readonly sink: RecordingSink; readonly taken: unknown[] } {
  const taken: unknown[] = [];
  const sink: RecordingSink = {
    start: (argv) => void taken.push(["start", ...argv]),
    write: (fd, bytes) => void taken.push([fd, Buffer.from(bytes).toString()]),
    end: ({ exitCode, signal }) => void taken.push(["end", exitCode, signal]),
  };
  return { sink, taken };
}

describe("a spawner that records", () => {
  it("passes everything on and takes it down", async () => {
    const { sink, taken } = createSink();
    const fake = createFake({ endTree: async () => 3 });
    const seen: string[] = [];
    const child = createRecordingSpawner(fake.spawner, sink).spawn("tool", ["--json", "x"], {
      cwd: "/tmp",
      stdout: "file",
      onStdout: (chunk) => void seen.push(`out ${Buffer.from(chunk).toString()}`),
      onStderr: (chunk) => void seen.push(`err ${Buffer.from(chunk).toString()}`),
    });
    child.writeStdin("prompt");
    child.endStdin();
    await fake.options().onStdout?.(Buffer.from("a"));
    fake.options().onStderr?.(Buffer.from("b"));
    child.killTree();
    expect([child.pid, child.settled, await child.endTree?.()]).toEqual([42, false, 3]);

    const outcome: SpawnOutcome = { exitCode: null, signal: "SIGTERM", stderr: "b" };
    fake.finish(outcome);
    expect(await child.done).toBe(outcome);
    expect(child.settled).toBe(true);
    expect(fake.options()).toMatchObject({ cwd: "/tmp", stdout: "file" });
    expect(fake.calls).toEqual([["spawn", "tool", ["--json", "x"]], ["writeStdin", "prompt"], ["endStdin"], ["killTree"]]);
    expect(seen).toEqual(["out a", "err b"]);
    expect(taken).toEqual([["start", "tool", "--json", "x"], [1, "a"], [2, "b"], ["end", null, "SIGTERM"]]);
  });

  it("holds the program back as the caller does", async () => {
    const fake = createFake();
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    createRecordingSpawner(fake.spawner, createSink().sink).spawn("tool", [], { cwd: "/", onStdout: () => held });
    const passed = fake.options().onStdout?.(Buffer.from("a"));
    expect(passed).toBe(held);
    goOn();
    await passed;
  });

  it("adds no callbacks of its own and takes the output from the outcome instead", async () => {
    const { sink, taken } = createSink();
    const fake = createFake();
    const child = createRecordingSpawner(fake.spawner, sink).spawn("tool", [], { cwd: "/" });
    expect(fake.options()).toEqual({ cwd: "/" });
    expect("endTree" in child).toBe(false);
    fake.finish({ exitCode: 1, stdout: "all of it", stderr: "a warning" });
    await child.done;
    expect(taken).toEqual([["start", "tool"], [1, "all of it"], [2, "a warning"], ["end", 1, null]]);
  });

  it("records no end of a program that could not be started", async () => {
    const { sink, taken } = createSink();
    const fake = createFake();
    const child = createRecordingSpawner(fake.spawner, sink).spawn("tool", [], { cwd: "/" });
    fake.finish({ exitCode: null, stderr: "", spawnErrorMessage: "spawn tool ENOENT", spawnErrorCode: "ENOENT" });
    await child.done;
    const broken: ChildProcessSpawner = {
      spawn: () => {
        throw new Error("E2BIG");
      },
    };
    expect(() => createRecordingSpawner(broken, sink).spawn("tool", [], { cwd: "/" })).toThrow("E2BIG");
    expect(taken).toEqual([["start", "tool"], ["start", "tool"]]);
  });
});
