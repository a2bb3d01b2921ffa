import { spawn, spawnSync } from "node:child_process";
import { openSync, closeSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, findLeftOvers, parseObject, runCli, runForResult, type Place } from "../support/cli.js";
import { createAgentPlace, endsOf, findLeftFiles } from "./agent-place.js";
import type { Step } from "./faults.js";

let place: Place | undefined;
const withSteps = (steps: readonly Step[]): Place => (place = createAgentPlace(steps));

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const says = (text: string): Step => ({ record: { type: "item.completed", item: { id: "i", type: "agent_message", text } } });
const done: Step = { record: { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } } };
const MIB = 1024 * 1024;

describe("a backend that prints much", () => {
  // The rest of the record around the text.
  const before = '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"';
  const after = '"}}';

  it("has its answer whole in one line of nearly 64 MiB", async () => {
    const bytes = 64 * MIB - before.length - after.length - 1;
    const ended = await runCli(withSteps([{ long: { before, bytes, after } }, done]), ["run", "--backend", "codex", "hello"], { timeoutMs: 60_000 });
    expect(ended.exitCode, ended.stderr).toBe(endsOf("long-line"));
    expect(ended.stdout.length).toBe(bytes + 1);
  }, 90_000);

  it("loses a line above 64 MiB, says so, and goes on", async () => {
    const { result, exitCode } = await runForResult(withSteps([{ long: { before, bytes: 65 * MIB, after } }, says("done"), done]), ["--backend", "codex", "hello"], { timeoutMs: 60_000 });
    expect(exitCode).toBe(endsOf("too-long-line"));
    expect(result).toMatchObject({ status: "success", text: "done", warnings: [expect.stringContaining("1 line(s)")] });
  }, 90_000);

  it("needs no more memory for 1 GiB than for little", async () => {
    const count = 16_384;
    const flood: Step = { flood: { count, bytes: 65_536, record: { type: "item.updated", item: { id: "x", type: "command_execution" } } } };
    const small = await measurePeak(withSteps([says("done"), done]));
    place?.cleanUp();
    const large = await measurePeak(withSteps([flood, says("done"), done]));
    expect(large).toMatchObject({ exitCode: endsOf("gigabyte"), stdout: "done\n" });
    console.warn(`peak memory: ${(small.peakBytes / MIB).toFixed(0)} MiB for nothing, ${(large.peakBytes / MIB).toFixed(0)} MiB for 1 GiB`);
    expect(large.peakBytes - small.peakBytes).toBeLessThan(160 * MIB);
  }, 240_000);

  it("needs no more memory for 256 MiB of its answer's pieces that go on as events", async () => {
    const flood: Step = { flood: { count: 4096, bytes: 1, record: { type: "item.completed", item: { id: "x", type: "reasoning", text: "y".repeat(65_536) } } } };
    const large = await measurePeak(withSteps([flood, says("done"), done]), ["--output", "stream-json"]);
    expect(large.exitCode).toBe(0);
    expect(large.peakBytes).toBeLessThan(256 * MIB);
  }, 240_000);
});

/** The largest resident set of the CLI itself, asked of the system while it runs. */
async function measurePeak(here: Place, flags: readonly string[] = []): Promise<{ peakBytes: number; exitCode: number | null; stdout: string }> {
  const child = spawn(process.execPath, [CLI, "run", "--backend", "codex", ...flags, "hello"], { cwd: here.cwd, env: here.env, stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout = (stdout + chunk.toString()).slice(-1000)));
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid ?? 0));
  }, 10);
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  return { peakBytes, exitCode, stdout };
}

/** VmHWM: the most that was ever resident, in kB. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe("the reader of our stdout", () => {
  const chatter: Step = { chatter: { type: "item.completed", item: { id: "i", type: "agent_message", text: "again" } } };

  it("may leave: quietly, and the backend is ended", async () => {
    const here = withSteps([{ tool: "session" }, chatter]);
    const shell = spawnSync("bash", ["-c", `'${process.execPath}' '${CLI}' run --output stream-json --backend codex hello | head -1; echo "\${PIPESTATUS[0]}"`], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 });
    expect(shell.stdout.trimEnd().split("\n").at(-1)).toBe(String(endsOf("reader-leaves")));
    expect(shell.stderr).toBe("");
    expect(findLeftOvers(here)).toEqual([]);
    expect(findLeftFiles(here)).toEqual([]);
  });

  it.each(["text", "json"])("may leave before a long answer (%s)", async (format) => {
    const here = withSteps([says("x".repeat(4 * MIB)), done]);
    const shell = spawnSync("bash", ["-c", `'${process.execPath}' '${CLI}' run -q --output ${format} --backend codex hello | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 });
    expect(shell.stdout).toBe("141\n");
    expect(shell.stderr).toBe("");
  });

  it.each(["text", "json", "stream-json"])("may be slow: every byte arrives (%s)", async (format) => {
    const here = withSteps([says("x".repeat(4 * MIB)), done]);
    const child = spawn(process.execPath, [CLI, "run", "--output", format, "--backend", "codex", "hello"], { cwd: here.cwd, env: here.env, stdio: ["ignore", "pipe", "pipe"] });
    await sleep(3000);
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length));
    const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
    expect(exitCode).toBe(endsOf("reader-slow"));
    expect(bytes).toBeGreaterThan(4 * MIB);
    if (format === "text") expect(bytes).toBe(4 * MIB + 1);
  });
});

describe.skipIf(process.platform !== "linux")("a full disk (/dev/full)", () => {
  const runOnFull = (here: Place, fd: 1 | 2, args: readonly string[]) => {
    const full = openSync("/dev/full", "w");
    try {
      const stdio = fd === 1 ? (["ignore", full, "pipe"] as const) : (["ignore", "pipe", full] as const);
      return spawnSync(process.execPath, [CLI, "run", "--backend", "codex", ...args, "hello"], { cwd: here.cwd, env: here.env, stdio: [...stdio], encoding: "utf8", timeout: 25_000 });
    } finally {
      closeSync(full);
    }
  };

  it.each(["text", "json", "stream-json"])("under stdout is 74 and told once (%s)", (format) => {
    const here = withSteps([says("done"), done]);
    const ended = runOnFull(here, 1, ["-q", "--output", format]);
    expect(ended.status).toBe(endsOf("disk-full"));
    expect(ended.stderr).toBe("jlgcli: output cannot be written: ENOSPC: no space left on device, write\n");
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("under stdout ends a backend that would go on", () => {
    const here = withSteps([chatterForEver(), { hang: true }]);
    expect(runOnFull(here, 1, ["--output", "stream-json"]).status).toBe(74);
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("under stderr does not touch the answer", () => {
    const ended = runOnFull(withSteps([{ err: "noise\n" }, says("done"), done]), 2, ["--verbose"]);
    expect(ended).toMatchObject({ status: endsOf("stderr-full"), stdout: "done\n" });
  });
});

function chatterForEver(): Step {
  return { chatter: { type: "item.completed", item: { id: "i", type: "agent_message", text: "again" } } };
}

describe("a stderr that is closed", () => {
  it.each(["2>&-", "2> >(true)"])("does not touch the answer (%s)", (redirection) => {
    const here = withSteps([{ err: "noise\n" }, says("done"), done]);
    const shell = spawnSync("bash", ["-c", `'${process.execPath}' '${CLI}' run --verbose --backend codex hello ${redirection}`], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 });
    expect(shell).toMatchObject({ status: 0, stdout: "done\n" });
  });
});

describe("a failure", () => {
  it("prints nothing on stdout in text mode, whatever the backend called an answer", async () => {
    const here = withSteps([{ record: { type: "result", subtype: "success", is_error: true, api_error_status: 429, result: "API Error: 429 limit reached" } }]);
    const ended = await runCli(here, ["run", "--backend", "claude", "hello"]);
    expect(ended).toMatchObject({ exitCode: endsOf("success-is-error"), stdout: "" });
    expect(ended.stderr).toContain("429 limit reached");
  });

  it("gives exactly one result line with --json", async () => {
    const { stdout } = await runForResult(withSteps([{ exit: 1 }]), ["--backend", "codex", "hello"]);
    expect(stdout.trimEnd().split("\n").map(parseObject)).toHaveLength(1);
  });
});
