import { afterEach, describe, expect, it } from "vitest";
import { findMarked, HAS_PROC, isRunning, startRun } from "./run-child.js";

const left = new Set<number>();

afterEach(() => {
  for (const pid of left) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  left.clear();
});

/** The fault "no-sweep" of the end-to-end tests' list. Programs of the fixtures that leave a process behind, and print its id. */
const LEAVERS: readonly (readonly [string, readonly string[]])[] = [
  ["fork-and-exit.sh", []],
  ["double-fork.mjs", []],
  ["scrubbed-environment.sh", ["left"]],
];

describe.skipIf(!HAS_PROC)("control: without the sweep (needs /proc to see what is left)", () => {
  it.each(LEAVERS)("%s %j leaves a process running after its end", async (program, args) => {
    const run = startRun(program, args);
    left.add(Number(await run.saw(/\d+(?=\n)/)));
    await run.child.done;
    expect([...left].every(isRunning)).toBe(true);
  });

  it("a KILL of the child alone orphans its tool in a session of its own", async () => {
    const run = startRun("tool-in-session.mjs");
    left.add(Number(await run.saw(/\d+(?=\n)/)));
    process.kill(run.child.pid ?? 0, "SIGKILL");
    await run.child.done;
    expect([...left].every(isRunning)).toBe(true);
  });

  it("a signal to the group alone leaves the tool too", async () => {
    const run = startRun("tool-in-session.mjs");
    left.add(Number(await run.saw(/\d+(?=\n)/)));
    process.kill(-(run.child.pid ?? 0), "SIGTERM");
    await run.child.done;
    expect([...left].every(isRunning)).toBe(true);
    expect(findMarked(run.runId)).toEqual([]);
  });

  it.each(LEAVERS)("with the sweep, %s %j leaves nothing", async (program, args) => {
    const run = startRun(program, args);
    const pid = Number(await run.saw(/\d+(?=\n)/));
    left.add(pid);
    await run.child.done;
    expect(await run.child.endTree?.()).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });
});
