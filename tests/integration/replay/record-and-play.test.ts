import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapterFromRecord } from "../../../src/adapters/from-record.js";
import { claude } from "../../../src/adapters/records/claude.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { loadCassette } from "../../../src/sinks/cassette.js";
import { createCassetteWriter } from "../../../src/sinks/cassette-writer.js";
import { createRecordingSpawner } from "../../../src/sinks/recording-spawner.js";
import { createRedactor } from "../../../src/sinks/redact.js";
import { buildPlayer, bundle, makeFolder, removeFolders } from "./bundle.js";
import { runProgram } from "./run-program.js";

const SAMPLE = "assets/sample.cassette.ndjson";
const AT_ONCE = { JLGCLI_REPLAY_SPEED: "0" };

let player = "";
let folder = "";
beforeAll(async () => {
  player = await buildPlayer();
  folder = await makeFolder();
});
afterAll(removeFolders);

/** Records a program of Node. */
async function record(script: string, stdout: "pipe" | "file"): Promise<{ readonly path: string; readonly seen: Buffer }> {
  const path = join(folder, `${stdout}.ndjson`);
  const writer = createCassetteWriter(path, { backend: "claude", backendVersion: null }, createRedactor({}));
  const seen: Uint8Array[] = [];
  const child = createRecordingSpawner(createProcessSpawner(), writer).spawn(process.execPath, ["-e", script], {
    cwd: folder,
    env: {},
    stdout,
    onStdout: (chunk) => void seen.push(Buffer.from(chunk)),
    onStderr: () => undefined,
  });
  child.endStdin();
  await child.done;
  expect(writer.close()).toBe(path);
  return { path, seen: Buffer.concat(seen) };
}

describe("a run that was recorded", () => {
  it.each(["pipe", "file"] as const)("is played byte by byte as it was (stdout is a %s)", async (stdout) => {
    const { path, seen } = await record(
      `process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
       for (let i = 0; i < 20000; i++) process.stdout.write(JSON.stringify({ i, text: "ü€😀\\u2028" }) + "\\n");
       process.stdout.write("no line end"); process.stderr.write("a warning\\n"); process.exitCode = 3;`,
      stdout,
    );
    const played = await runProgram([player, path], { env: AT_ONCE });
    expect(played.stdout.equals(seen)).toBe(true);
    expect(seen.length).toBe(668_904);
    expect([played.stderr, played.code, played.signal]).toEqual(["a warning\n", 3, null]);
  });

  it("is played with the signal that ended it", async () => {
    const { path } = await record(`process.stdout.write("a\\n", () => process.kill(process.pid, "SIGKILL")); setInterval(() => 0, 1000);`, "pipe");
    const played = await runProgram([player, path], { env: AT_ONCE });
    expect([played.stdout.toString(), played.code, played.signal]).toEqual(["a\n", null, "SIGKILL"]);
  });
});

describe("a full disk", () => {
  it("ends the recording, not the run", async () => {
    const driver = await bundle("tests/integration/replay/record-driver.ts", join(folder, "driver.mjs"), "esm");
    const path = join(folder, "full.ndjson");
    // A limit of the size of files stands for a disk without space: in blocks of 512 bytes or 1 KiB.
    writeFileSync(join(folder, "limited.sh"), 'ulimit -f 64\nexec "$@"\n');
    const run = await runProgram([
      "-e",
      `const { spawnSync } = require("node:child_process");
       const r = spawnSync("sh", ${JSON.stringify([join(folder, "limited.sh"), process.execPath, driver, path])}, { encoding: "utf8" });
       console.log(r.stdout); console.error(r.stderr);`,
    ], { env: { PATH: "/usr/bin:/bin" } });
    expect(run.stderr.trim()).toBe("");
    expect(JSON.parse(run.stdout.toString())).toEqual({
      exitCode: 0,
      seenBytes: 1_000_000,
      error: "OUTPUT_FAILED",
      message: expect.stringContaining(`${path}: cannot be written: EFBIG`) as unknown,
    });
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("the sample", () => {
  it("is a whole cassette of a real backend, says so, and holds no secret and no place of the machine it came from", async () => {
    const { header, output, end } = await loadCassette(SAMPLE);
    expect(header).toMatchObject({ backend: "claude", backendVersion: "2.1.197", sample: true });
    expect(header.label).toContain("claude 2.1.197, recorded");
    expect(output.length).toBeGreaterThan(20);
    expect([end.exit, end.signal]).toEqual([0, null]);
    const text = readFileSync(SAMPLE, "utf8");
    expect(createRedactor({})(text)).toBe(text);
    expect(text).not.toMatch(/\/(?:root|tmp|var|work)\b|127\.0\.0\.1|localhost/);
  });

  it("gives the recorded answer, tool call and usage through the record of its backend", async () => {
    const { result, events } = await runThroughRecord(SAMPLE);
    expect(result).toMatchObject({ exitCode: 0, status: "success", model: "stub-model", usage: { inputTokens: 197, outputTokens: 211 } });
    expect(result.text).toMatch(/^jlgcli is one command for every AI coding agent\./);
    expect(textOf(events).endsWith(result.text)).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["tool_call", "tool_call_update", "agent_message_chunk", "usage_update"]));
  });

  it("gives another answer when the cassette is edited", async () => {
    const edited = join(folder, "edited.ndjson");
    writeFileSync(edited, readFileSync(SAMPLE, "utf8").replaceAll("You are reading a recording", "You are reading an edited recording"));
    expect((await runThroughRecord(edited)).result.text).toContain("You are reading an edited recording");
  });
});

async function runThroughRecord(cassette: string) {
  const events: RunEvent[] = [];
  const adapter = adapterFromRecord(claude, { command: process.execPath, commandArgs: [player, cassette] });
  const result = await adapter.runOnce({ prompt: "hi", cwd: ".", env: AT_ONCE, onEvent: (event) => void events.push(event) });
  return { result, events };
}

function textOf(events: readonly RunEvent[]): string {
  return events.map((event) => (event.type === "agent_message_chunk" ? event.content.text : "")).join("");
}

describe("where the player and the sample are found", () => {
  it.each([
    ["in the bundled command line", "dist/cli.cjs", "cjs"],
    ["in a chunk of it", "dist/chunks/replay-record.cjs", "cjs"],
    ["in the library", "dist/lib/replay/replay-record.js", "esm"],
  ] as const)("works %s", async (_, file, format) => {
    const root = await makePackage();
    const module = await bundle("src/replay/replay-record.ts", join(root, file), format);
    const source = await askSource(module, null);
    expect(source).toMatchObject({
      cassettePath: join(root, "assets", "sample.cassette.ndjson"),
      playerCommand: process.execPath,
      playerArgs: [join(root, "dist", "replay-player.cjs"), join(root, "assets", "sample.cassette.ndjson")],
      header: { backend: "claude" },
    });
  });

  it("takes the cassette that is named, and tells what is wrong with it before anything is played", async () => {
    const root = await makePackage();
    const module = await bundle("src/replay/replay-record.ts", join(root, "dist/cli.cjs"), "cjs");
    writeFileSync(join(root, "mine.ndjson"), readFileSync(SAMPLE, "utf8").replace('"backend":"claude"', '"backend":"codex"'));
    expect(await askSource(module, "mine.ndjson", root)).toMatchObject({ cassettePath: join(root, "mine.ndjson"), header: { backend: "codex" } });
    expect(await askSource(module, "none.ndjson", root)).toMatchObject({ code: "INPUT_NOT_FOUND" });
    writeFileSync(join(root, "cut.ndjson"), readFileSync(SAMPLE, "utf8").split("\n").slice(0, 5).join("\n"));
    expect(await askSource(module, "cut.ndjson", root)).toMatchObject({ code: "CASSETTE_INVALID" });
  });

  it("says what is missing of a package that is not whole", async () => {
    const root = await makePackage();
    const module = await bundle("src/replay/replay-record.ts", join(root, "dist/cli.cjs"), "cjs");
    writeFileSync(join(root, "package.json"), '{"name":"other"}');
    expect(await askSource(module, null)).toMatchObject({ code: "INTERNAL", message: expect.stringContaining("sample.cassette.ndjson") as unknown });
  });
});

/** What an installed package looks like, as far as it matters here. */
async function makePackage(): Promise<string> {
  const root = await makeFolder();
  for (const name of ["assets", "dist/chunks", "dist/lib/replay"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"name":"jlgcli"}');
  writeFileSync(join(root, "dist/lib/package.json"), '{"type":"module"}');
  copyFileSync(SAMPLE, join(root, SAMPLE));
  copyFileSync(player, join(root, "dist/replay-player.cjs"));
  return root;
}

/** Asks the module in a process of its own, where it stands. */
async function askSource(module: string, cassettePath: string | null, cwd = folder): Promise<unknown> {
  const script = `process.chdir(${JSON.stringify(cwd)});
    import(${JSON.stringify(`file://${module}`)})
      .then(({ loadReplaySource }) => loadReplaySource({ cassettePath: ${JSON.stringify(cassettePath)} }))
      .catch(({ code, message }) => ({ code, message }))
      .then((value) => console.log(JSON.stringify(value)));`;
  const run = await runProgram(["--input-type=module", "-e", script]);
  expect(run.stderr).toBe("");
  return JSON.parse(run.stdout.toString());
}
