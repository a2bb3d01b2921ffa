import { describe, expect, it, test } from "vitest";
import { createProcessSource, parseProcStat, parsePsOutput } from "../../../src/process/process-table.js";

/** A line of /proc/PID/stat with 52 fields, of which only those that count differ. */
function statLine(head: string, { parent = 1, group = 10, startedAt = 555 } = {}): string {
  const afterGroup = [10, 0, -1, 4194560, 1, 2, 3, 4, 5, 6, 7, 8, 20, 0, 1, 0];
  return `${head} ${parent} ${group} ${[...afterGroup, startedAt].join(" ")} 1000 50 ${Array.from({ length: 28 }, () => 0).join(" ")}\n`;
}

describe("a line of /proc/PID/stat", () => {
  test.each([
    ["a plain name", "42 (node) S"],
    ["a blank in the name", "42 (tmux: server) S"],
    ["parentheses in the name", "42 (a) b (c)) S"],
    ["a name that looks like fields", "42 (x) Z 7 7 7) S"],
    ["an empty name", "42 () S"],
    ["a line break in the name", "42 (a\nb) S"],
  ])("is read with %s", (_title, head) => {
    expect(parseProcStat(statLine(head, { parent: 7, group: 9, startedAt: 123456 }))).toEqual({
      pid: 42,
      parentPid: 7,
      groupId: 9,
      startedAt: 123456,
      isZombie: false,
    });
  });

  test.each([
    ["Z", true],
    ["X", true],
    ["x", true],
    ["R", false],
    ["D", false],
    ["T", false],
    ["I", false],
  ])("with state %s has ended: %s", (state, isZombie) => {
    expect(parseProcStat(statLine(`42 (sh) ${state}`))?.isZombie).toBe(isZombie);
  });

  test.each(["", "garbage", "42 (sh", "42 (sh) S 1"])("is refused when it is cut: %j", (line) => {
    expect(parseProcStat(line)).toBeNull();
  });
});

describe("the output of ps on macOS", () => {
  const output = [
    "    1     0     1 Ss   Mon Nov 30 09:00:00 2026    ",
    "  501     1   501 S+   Mon Nov 30 09:50:12 2026    ",
    "  502   501   501 Z    Mon Nov 30 09:50:13 2026    ",
    "99999   502 99999 R    Tue Dec  1 00:00:00 2026    ",
    "",
    "not a process",
  ].join("\n");

  it("gives one row a process and skips what is none", () => {
    const table = parsePsOutput(output);
    expect([...table.keys()]).toEqual([1, 501, 502, 99999]);
    expect(table.get(502)).toMatchObject({ parentPid: 501, groupId: 501, isZombie: true });
    expect(table.get(501)?.isZombie).toBe(false);
  });

  it("orders processes by their start", () => {
    const table = parsePsOutput(output);
    const starts = [...table.values()].map(({ startedAt }) => startedAt);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect((table.get(502)?.startedAt ?? 0) - (table.get(501)?.startedAt ?? 0)).toBe(1000);
  });
});

describe.runIf(process.platform === "linux")("the processes of this system (needs /proc)", () => {
  const source = createProcessSource();

  it("include this process, with its parent and start time", () => {
    const own = source.loadTable().get(process.pid);
    expect(own).toMatchObject({ pid: process.pid, parentPid: process.ppid, isZombie: false });
    expect(source.findProcess(process.pid)).toEqual(own);
  });

  it("tell a process from a later one with the same id", () => {
    const own = source.findProcess(process.pid);
    expect(own && source.isAlive(own)).toBe(true);
    expect(own && source.isAlive({ ...own, startedAt: own.startedAt - 1 })).toBe(false);
  });

  it("tell an exact variable from one that only looks like it", () => {
    const path = `PATH=${process.env["PATH"] ?? ""}`;
    expect(source.hasVariable(process.pid, path)).toBe(true);
    expect(source.hasVariable(process.pid, path.slice(0, -1))).toBe(false);
    expect(source.hasVariable(process.pid, path.slice(1))).toBe(false);
  });

  it("lack a process that does not exist", () => {
    expect(source.findProcess(2 ** 30)).toBeUndefined();
    expect(source.hasVariable(2 ** 30, "PATH=/bin")).toBe(false);
  });
});

describe("the processes as ps tells them", () => {
  it("include this process where there is a ps", (context) => {
    const table = createProcessSource("darwin").loadTable();
    if (table.size === 0) context.skip("no /bin/ps that knows lstart here");
    expect(table.get(process.pid)).toMatchObject({ parentPid: process.ppid, isZombie: false });
  });
});
