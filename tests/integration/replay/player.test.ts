import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPlayer, makeFolder, removeFolders } from "./bundle.js";
import { runProgram, type ProgramOptions } from "./run-program.js";

let player = "";
let folder = "";
beforeAll(async () => {
  player = await buildPlayer();
  folder = await makeFolder();
});
afterAll(removeFolders);

const HEADER = { jlgcli: "cassette", version: 1, backend: "codex", recordedAt: "2026-01-01T00:00:00Z", argv: ["codex"], label: "a test" };
const AT_ONCE = { JLGCLI_REPLAY_SPEED: "0" };
let cassettes = 0;

async function makeCassette(...lines: readonly object[]): Promise<string> {
  const path = join(folder, `${++cassettes}.ndjson`);
  await writeFile(path, [HEADER, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

async function play(lines: readonly object[], options: ProgramOptions = { env: AT_ONCE }, args: readonly string[] = []) {
  return runProgram([player, await makeCassette(...lines), ...args], options);
}

const success = { t: 30, exit: 0, signal: null };

describe("the player", () => {
  it("writes exactly the recorded bytes to the recorded descriptors", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const run = await play([
      { t: 1, fd: 1, text: "first \u2028 ü\r\n" },
      { t: 2, fd: 2, text: "a warning\n" },
      { t: 3, fd: 1, base64: bytes.toString("base64") },
      success,
    ]);
    expect(run.stdout).toEqual(Buffer.concat([Buffer.from("first \u2028 ü\r\n"), bytes]));
    expect(run.stderr).toBe("a warning\n");
    expect([run.code, run.signal]).toEqual([0, null]);
  });

  it.each([0, 1, 42, 255])("ends with the recorded exit code %i", async (exit) => {
    expect((await play([{ t: 0, exit, signal: null }])).code).toBe(exit);
  });

  it.each(["SIGTERM", "SIGINT", "SIGKILL", "SIGHUP", "SIGUSR2"])("ends by the recorded signal %s", async (signal) => {
    const run = await play([{ t: 0, fd: 1, text: "partial" }, { t: 1, exit: null, signal }]);
    expect([run.code, run.signal, run.stdout.toString()]).toEqual([null, signal, "partial"]);
  });

  it("ends with 128 and the signal's number where the signal does not end a process", async () => {
    expect((await play([{ t: 0, exit: null, signal: "SIGPIPE" }])).code).toBe(128 + 13);
    expect((await play([{ t: 0, exit: null, signal: "SIGNOSUCH" }])).code).toBe(128);
  });

  it("ignores the arguments of the program that was recorded and everything on stdin", async () => {
    const run = await play([{ t: 0, fd: 1, text: "ok" }, success], { env: AT_ONCE, stdin: "x".repeat(5_000_000) }, ["exec", "--json", "--", "a prompt"]);
    expect([run.stdout.toString(), run.code]).toEqual(["ok", 0]);
  });

  it("does not hang on a stdin that nobody closes", async () => {
    const run = await play([{ t: 0, fd: 1, text: "ok" }, success], { env: AT_ONCE, stdin: null });
    expect([run.stdout.toString(), run.code]).toEqual(["ok", 0]);
    expect(run.durationMs).toBeLessThan(10_000);
  });

  it("keeps the recorded time, cuts long pauses and takes its speed from the environment", async () => {
    const lines = [{ t: 300, fd: 1, text: "a" }, { t: 600, fd: 1, text: "b" }, { ...success, t: 600 }];
    const recorded = await play(lines, { env: {} });
    expect(recorded.durationMs).toBeGreaterThan(590);
    expect(recorded.stdout.toString()).toBe("ab");
    const slow = await play(lines, { env: { JLGCLI_REPLAY_SPEED: "0.5" } });
    expect(slow.durationMs).toBeGreaterThan(1190);
    const long = await play([{ t: 3_600_000, fd: 1, text: "a" }, { ...success, t: 3_600_000 }], { env: {} });
    expect(long.durationMs).toBeGreaterThan(1990);
    expect(long.durationMs).toBeLessThan(15_000);
  });

  it("loses nothing when its reader is slow", async () => {
    const line = `${"x".repeat(999)}\n`;
    const path = await makeCassette(...Array.from({ length: 4000 }, () => ({ t: 0, fd: 1, text: line })), success);
    const child = spawn(process.execPath, [player, path], { env: AT_ONCE, stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await text(child.stdout)).length).toBe(4_000_000);
    if (child.exitCode === null) await once(child, "close");
    expect(child.exitCode).toBe(0);
  });

  it("writes everything to a regular file", async () => {
    const file = await open(join(folder, "stdout"), "w+");
    const lines = Array.from({ length: 200 }, () => ({ t: 0, fd: 1, text: "y".repeat(5000) }));
    const run = await play([...lines, success], { env: AT_ONCE, stdio: ["ignore", file.fd, "inherit"] });
    expect(run.code).toBe(0);
    expect((await file.stat()).size).toBe(1_000_000);
    await file.close();
  });

  it("ends quietly when its reader has gone", async () => {
    const path = await makeCassette(...Array.from({ length: 5000 }, () => ({ t: 0, fd: 1, text: "z".repeat(1000) })), success);
    const child = spawn(process.execPath, [player, path], { env: AT_ONCE, stdio: ["ignore", "pipe", "pipe"] });
    const stderr = text(child.stderr);
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "close");
    expect([await stderr, child.signalCode]).toEqual(["", null]);
  });

  it.each([
    ["a cassette that does not exist", ["/nowhere/at-all.ndjson"], {}, 66, "/nowhere/at-all.ndjson: the cassette cannot be read"],
    ["no cassette", [], {}, 64, "no cassette was named"],
  ])("says what is wrong with %s", async (_, args, env, code, message) => {
    const run = await runProgram([player, ...args], { env });
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
  });

  it("says what is wrong with a speed that is no number", async () => {
    const run = await play([success], { env: { JLGCLI_REPLAY_SPEED: "fast" } });
    expect([run.code, run.stderr]).toEqual([64, 'replay-player: JLGCLI_REPLAY_SPEED: expected a number that is 0 or more, got "fast"\n']);
  });

  it("plays what is whole of a cassette that was cut and tells of the rest", async () => {
    const run = await play([{ t: 0, fd: 1, text: "ok" }]);
    expect([run.code, run.stdout.toString()]).toEqual([65, "ok"]);
    expect(run.stderr).toContain("the recording was cut");
  });
});
