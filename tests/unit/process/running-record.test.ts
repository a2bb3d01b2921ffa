import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canDieBySignal } from "../../../src/process/can-die-by-signal.js";
import { isSameStart } from "../../../src/process/end-recorded-trees.js";
import { endOrphans } from "../../../src/process/end-orphans.js";
import { runningFolderOf } from "../../../src/process/running-folder.js";
import { loadRunningRecord, parseRunningRecord, writeRunningRecord } from "../../../src/process/running-record.js";

let home = "";
beforeEach(() => (home = mkdtempSync(join(tmpdir(), "jlgcli-running-"))));
afterEach(() => rmSync(home, { recursive: true }));

const WHOLE = { runId: "a-1", pid: 4242, startedAt: 7, ownerPid: 4241, ownerStartedAt: 6, place: "here" };

describe.skipIf(process.platform === "win32")("the record of a running child", () => {
  it("is written for its owner alone and taken away again", () => {
    const folder = runningFolderOf(home);
    const remove = writeRunningRecord(folder, { runId: "run-1", pid: 4242, startedAt: 7 });
    expect(readdirSync(folder)).toEqual(["run-1.json"]);
    const path = join(folder, "run-1.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(parseRunningRecord(readFileSync(path, "utf8"))).toMatchObject({ runId: "run-1", pid: 4242, startedAt: 7, ownerPid: process.pid });
    remove();
    expect(readdirSync(folder)).toEqual([]);
    remove();
  });

  it.each(["../escape", "", "a/b", "x".repeat(101)])("is not written under a name such as %j", (runId) => {
    writeRunningRecord(runningFolderOf(home), { runId, pid: 4242, startedAt: 7 });
    expect(() => readdirSync(runningFolderOf(home))).toThrow();
  });

  it.each(["/proc/nowhere", "/dev/null/x"])("costs nothing where no folder can be made (%s)", (folder) => {
    expect(() => writeRunningRecord(folder, { runId: "run-1", pid: 4242, startedAt: 7 })()).not.toThrow();
  });

  it("is not read through a link, nor when it is too long or not a file", () => {
    const at = (name: string): string => join(home, name);
    writeFileSync(at("real.json"), JSON.stringify(WHOLE));
    symlinkSync(at("real.json"), at("link.json"));
    writeFileSync(at("long.json"), JSON.stringify({ ...WHOLE, place: "x".repeat(5000) }));
    mkdirSync(at("folder.json"));
    expect(loadRunningRecord(at("real.json"))?.record).toEqual(WHOLE);
    for (const name of ["link.json", "long.json", "folder.json", "missing.json"]) expect(loadRunningRecord(at(name))).toBeNull();
  });
});

describe("parsing a record", () => {
  it.each([
    ["a process id of the system", { pid: 1 }],
    ["a process id that names a group", { pid: -5 }],
    ["a process id with a fraction", { pid: 4.5 }],
    ["a process id as text", { pid: "4242" }],
    ["no start time", { startedAt: null }],
    ["an id that is a path", { runId: "../x" }],
    ["no place", { place: undefined }],
    ["an owner without an id", { ownerPid: 0 }],
  ])("refuses %s", (_name, change) => {
    expect(parseRunningRecord(JSON.stringify(WHOLE))).toEqual(WHOLE);
    expect(parseRunningRecord(JSON.stringify({ ...WHOLE, ...change }))).toBeNull();
  });

  it.each(["", "[]", "null", "{", "1"])("refuses %j", (text) => expect(parseRunningRecord(text)).toBeNull());
});

describe("looking for what earlier runs left", () => {
  it("does nothing without a folder, and nothing in an empty one", async () => {
    expect(await endOrphans(join(home, "nowhere"))).toEqual({ found: 0, survivors: 0 });
    expect(await endOrphans(home)).toEqual({ found: 0, survivors: 0 });
  });

  it.skipIf(process.platform === "win32")("keeps a record of another place until it is old, and one that is being written", async () => {
    writeFileSync(join(home, "elsewhere.json"), JSON.stringify(WHOLE));
    writeFileSync(join(home, "x.1.partial"), "");
    await endOrphans(home);
    expect(readdirSync(home).sort()).toEqual(["elsewhere.json", "x.1.partial"]);
  });

  it("survives a folder that may not be read", async () => {
    const folder = join(home, "closed");
    mkdirSync(folder);
    chmodSync(folder, 0o000);
    await expect(endOrphans(folder)).resolves.toEqual({ found: 0, survivors: 0 });
    chmodSync(folder, 0o700);
  });
});

describe("the same process", () => {
  it.each([
    ["linux", 100, 100, true],
    ["linux", 100, 101, false],
    ["darwin", 1_700_000_000_000, 1_700_000_001_900, true],
    ["darwin", 1_700_000_000_000, 1_700_000_003_000, false],
  ] as const)("on %s started at %i when it is recorded at %i: %s", (platform, row, recorded, same) => {
    expect(isSameStart(row, recorded, platform)).toBe(same);
  });
});

describe("dying by a signal", () => {
  it.each([
    ["linux", 4242, true],
    ["darwin", 4242, true],
    ["linux", 1, false],
    ["win32", 4242, false],
  ] as const)("on %s as process %i: %s", (platform, pid, can) => expect(canDieBySignal({ platform, pid })).toBe(can));
});
