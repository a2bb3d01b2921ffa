import { describe, expect, it, test } from "vitest";
import type { EndSignal } from "../../../src/adapters/traits.js";
import { endTree } from "../../../src/process/kill-tree.js";
import { createProcessSource } from "../../../src/process/process-table.js";
import { findMarked, groupOf, HAS_PROC, isRunning, startRun, timed, type StartedRun } from "./run-child.js";

const QUICK: readonly EndSignal[] = [{ signal: "SIGTERM", to: "tree", waitMs: 200 }];

async function printedPid(run: StartedRun): Promise<number> {
  return Number(await run.saw(/\d+(?=\n)/));
}

async function endRun(run: StartedRun): Promise<{ survivors: number; elapsedMs: number }> {
  const { value, elapsedMs } = await timed(() => run.child.endTree?.() ?? Promise.resolve(-1));
  await run.child.done;
  return { survivors: value, elapsedMs };
}

describe.skipIf(!HAS_PROC)("ending a tree (needs /proc to see what is left)", () => {
  it("ends a program that ignores every signal but KILL", async () => {
    const run = startRun("ignore-signals.sh", [], { endSignals: QUICK });
    await run.saw(/ready/);
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeGreaterThan(190);
    expect(elapsedMs).toBeLessThan(5000);
    expect((await run.child.done).signal).toBe("SIGKILL");
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("waits no longer than the program needs", async () => {
    const run = startRun("print-and-hang.sh", [], { endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 4000 }] });
    await run.saw(/result/);
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeLessThan(3000);
    expect((await run.child.done).signal).toBe("SIGTERM");
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("ends what a program left behind in its group when it exited", async () => {
    const run = startRun("fork-and-exit.sh");
    const left = await printedPid(run);
    expect((await run.child.done).exitCode).toBe(0);
    expect(isRunning(left)).toBe(true);
    expect((await endRun(run)).survivors).toBe(0);
    expect(isRunning(left)).toBe(false);
  });

  it("ends what left by a double fork into a session of its own", async () => {
    const run = startRun("double-fork.mjs");
    const left = await printedPid(run);
    await run.child.done;
    expect(isRunning(left)).toBe(true);
    expect(groupOf(left)).not.toBe(run.child.pid);
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeLessThan(5000);
    expect(isRunning(left)).toBe(false);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("ends a tool in a session of its own that carries no mark, although the signal cuts its line to us", async () => {
    const run = startRun("tool-in-session.mjs", [], { endSignals: QUICK });
    const tool = await printedPid(run);
    expect(groupOf(tool)).toBe(tool);
    expect(findMarked(run.runId)).not.toContain(tool);
    expect((await endRun(run)).survivors).toBe(0);
    expect(isRunning(tool)).toBe(false);
  });

  test.each(["left", "stay"])("ends a process without any environment by its group (%s)", async (mode) => {
    const run = startRun("scrubbed-environment.sh", [mode], { endSignals: QUICK });
    const scrubbed = await printedPid(run);
    if (mode === "left") await run.child.done;
    expect((await endRun(run)).survivors).toBe(0);
    expect(isRunning(scrubbed)).toBe(false);
  });

  it("sends each process of a launcher and its native program a signal once", async () => {
    const run = startRun("launcher.mjs", [], { endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 4000 }] });
    const native = await printedPid(run);
    expect((await endRun(run)).survivors).toBe(0);
    expect(run.text()).toContain("signals: 1\n");
    expect(isRunning(native)).toBe(false);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("ends the native program whose launcher was killed, although it held stdout", async () => {
    const run = startRun("launcher.mjs", [], { endSignals: QUICK });
    const native = await printedPid(run);
    process.kill(run.child.pid ?? 0, "SIGKILL");
    const { value, elapsedMs } = await timed(run.child.done);
    expect(value.signal).toBe("SIGKILL");
    expect(elapsedMs).toBeLessThan(3000);
    expect(isRunning(native)).toBe(true);
    expect((await endRun(run)).survivors).toBe(0);
    expect(isRunning(native)).toBe(false);
  });

  it("lets a program that was told first end its own tool", async () => {
    const run = startRun("clean-up-on-interrupt.sh", [], {
      endSignals: [
        { signal: "SIGINT", to: "child", waitMs: 3000 },
        { signal: "SIGTERM", to: "tree", waitMs: 1000 },
      ],
    });
    await run.saw(/ready/);
    expect((await endRun(run)).survivors).toBe(0);
    expect(run.text()).toBe("ready\ninterrupted\n");
    expect((await run.child.done).exitCode).toBe(0);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("goes straight on when the child that a signal is meant for is gone", async () => {
    const run = startRun("fork-and-exit.sh", [], { endSignals: [{ signal: "SIGINT", to: "child", waitMs: 4000 }] });
    const left = await printedPid(run);
    await run.child.done;
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeLessThan(3000);
    expect(isRunning(left)).toBe(false);
  });

  it("finds what was started while it was ending the rest", async () => {
    const run = startRun("respawn.sh", [], { endSignals: QUICK });
    await run.saw(/ready/);
    expect((await endRun(run)).survivors).toBe(0);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("stays under 7 s however long the signals' waits are", async () => {
    const run = startRun("ignore-signals.sh", [], {
      endSignals: [
        { signal: "SIGINT", to: "child", waitMs: 60_000 },
        { signal: "SIGTERM", to: "tree", waitMs: 60_000 },
      ],
    });
    await run.saw(/ready/);
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeLessThan(7000);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("has nothing to do for a program that ended by itself with all that it started", async () => {
    const run = startRun("/bin/sh", ["-c", "sleep 0.1 & wait; echo over"]);
    await run.child.done;
    const { survivors, elapsedMs } = await endRun(run);
    expect(survivors).toBe(0);
    expect(elapsedMs).toBeLessThan(1000);
  });

  it("can be asked twice, and at the same time", async () => {
    const run = startRun("ignore-signals.sh", [], { endSignals: QUICK });
    await run.saw(/ready/);
    const both = await Promise.all([run.child.endTree?.(), run.child.endTree?.()]);
    expect(both).toEqual([0, 0]);
    expect(await run.child.endTree?.()).toBe(0);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it("leaves the processes of another run alone", async () => {
    const other = startRun("print-and-hang.sh");
    const run = startRun("print-and-hang.sh");
    await Promise.all([other.saw(/result/), run.saw(/result/)]);
    expect((await endRun(run)).survivors).toBe(0);
    expect(findMarked(other.runId).length).toBeGreaterThan(0);
    expect((await endRun(other)).survivors).toBe(0);
  });
});

describe.skipIf(!HAS_PROC)("killing a tree at once (needs /proc to see what is left)", () => {
  it("ends everything without any grace", async () => {
    const run = startRun("tool-in-session.mjs", [], { endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 4000 }] });
    const tool = await printedPid(run);
    const { value, elapsedMs } = await timed(() => {
      run.child.killTree();
      return run.child.done;
    });
    expect(value.signal).toBe("SIGKILL");
    expect(elapsedMs).toBeLessThan(3000);
    expect(await run.child.endTree?.()).toBe(0);
    expect(isRunning(tool)).toBe(false);
  });

  it("does nothing after the end", async () => {
    const run = startRun("fork-and-exit.sh");
    const left = await printedPid(run);
    await run.child.done;
    expect(run.child.settled).toBe(true);
    run.child.killTree();
    expect(isRunning(left)).toBe(true);
    expect((await endRun(run)).survivors).toBe(0);
  });
});

describe.skipIf(!HAS_PROC)("without the sweep (the control: what the tests above would see)", () => {
  test.each(["double-fork.mjs", "tool-in-session.mjs"])("%s leaves a process running when the child's group is killed", async (program) => {
    const run = startRun(program);
    const left = await printedPid(run);
    if (program === "double-fork.mjs") await run.child.done;
    else process.kill(-(run.child.pid ?? 0), "SIGKILL");
    await run.child.done;
    expect(isRunning(left)).toBe(true);
    process.kill(-left, "SIGKILL");
    await run.child.endTree?.();
  });

  it("fork-and-exit.sh leaves a process running when the child has exited", async () => {
    const run = startRun("fork-and-exit.sh");
    const left = await printedPid(run);
    await run.child.done;
    expect(isRunning(left)).toBe(true);
    expect(findMarked(run.runId)).toEqual([left]);
    await run.child.endTree?.();
  });
});

describe.skipIf(!HAS_PROC)("ending a tree that another process left (needs start times)", () => {
  const findStart = (pid: number): number => createProcessSource().findProcess(pid)?.startedAt ?? -1;

  it("works by id, start time and mark", async () => {
    const run = startRun("launcher.mjs");
    const native = await printedPid(run);
    const pid = run.child.pid ?? 0;
    expect(await endTree({ pid, startedAt: findStart(pid), runId: run.runId, endSignals: QUICK })).toBe(0);
    expect(isRunning(native)).toBe(false);
    await run.child.done;
  });

  it("does not touch a process that has only the same id", async () => {
    const run = startRun("print-and-hang.sh");
    await run.saw(/result/);
    const pid = run.child.pid ?? 0;
    expect(await endTree({ pid, startedAt: findStart(pid) - 1, runId: "another-run", endSignals: QUICK })).toBe(0);
    expect(isRunning(pid)).toBe(true);
    expect((await endRun(run)).survivors).toBe(0);
  });
});
