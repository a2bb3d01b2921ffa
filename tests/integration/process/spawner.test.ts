import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { BIN, startRun, timed } from "./run-child.js";

const spawner = createProcessSpawner();
const ENV = { PATH: process.env["PATH"] ?? "", JLGCLI_RUN_ID: "spawner-test" };
const MEBIBYTE = 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;

function spawnCollecting(command: string, args: readonly string[], input?: string, cwd = tmpdir()) {
  const child = spawner.spawn(command, args, { cwd, env: ENV });
  if (input !== undefined) child.writeStdin(input);
  child.endStdin();
  return child;
}

/** Checks the numbered blocks of flood.mjs chunk by chunk, without keeping them. */
function createFloodCheck() {
  let rest = "";
  let blocks = 0;
  let firstWrong: string | undefined;
  return {
    push(chunk: Uint8Array): void {
      rest += Buffer.from(chunk).toString("latin1");
      while (rest.length >= BLOCK_BYTES) {
        if (!rest.startsWith(`${String(blocks).padStart(10, "0")}:x`)) firstWrong ??= `block ${blocks}: ${rest.slice(0, 30)}`;
        rest = rest.slice(BLOCK_BYTES);
        blocks += 1;
      }
    },
    result: () => ({ bytes: blocks * BLOCK_BYTES + rest.length, firstWrong }),
  };
}

describe("a child's input and output", () => {
  it("writes stdin verbatim and closes it", async () => {
    const prompt = "first line\n\nwith 'quotes', $vars, é😀 and no newline at the end";
    expect(await spawnCollecting("cat", [], prompt).done).toEqual({ exitCode: 0, signal: null, stdout: prompt, stderr: "" });
  });

  it("gives end of file at once to a child that waits for it, when there is no prompt", async () => {
    const { value, elapsedMs } = await timed(spawnCollecting("cat", []).done);
    expect(value).toMatchObject({ exitCode: 0, stdout: "" });
    expect(elapsedMs).toBeLessThan(5000);
  });

  it("carries 10 MiB through stdin", async () => {
    const prompt = "0123456789abcdef".repeat((10 * MEBIBYTE) / 16);
    const { stdout } = await spawnCollecting("cat", [], prompt).done;
    expect(stdout === prompt).toBe(true);
  });

  it("takes a child that never reads its stdin as it is: its own code counts, the broken pipe is a remark", async () => {
    const outcome = await spawnCollecting("sh", ["-c", "echo 'no such option' >&2; exit 64"], "x".repeat(8 * MEBIBYTE)).done;
    expect(outcome).toMatchObject({ exitCode: 64, stderr: "no such option\n" });
    expect(outcome.streamErrorMessage).toMatch(/^stdin: .*EPIPE/);
    expect(outcome.spawnErrorMessage).toBeUndefined();
  });

  it("keeps the final newline, and tells the signal that ended the child", async () => {
    const outcome = await spawnCollecting("sh", ["-c", "echo out; echo err >&2; kill -TERM $$"]).done;
    expect(outcome).toEqual({ exitCode: null, signal: "SIGTERM", stdout: "out\n", stderr: "err\n" });
  });

  it("joins a character that came in two chunks", async () => {
    const outcome = await spawnCollecting(`${BIN}split-character.sh`, []).done;
    expect(outcome).toMatchObject({ stdout: "café\n", stderr: "café\n" });
  });

  it("keeps the last 64 KiB of stderr, and hands on all of it", async () => {
    let handedOn = 0;
    const run = startRun("flood.mjs", ["0", "2"], { onStderr: (chunk) => (handedOn += chunk.length) });
    const outcome = await run.child.done;
    expect(handedOn).toBe(2 * MEBIBYTE);
    expect(outcome).toMatchObject({ exitCode: 0, stderrTruncated: true });
    expect(outcome.stderr).toHaveLength(64 * 1024);
    expect(outcome.stderr).toMatch(/^0000000031:x+\n$/);
  });

  it("reads 64 MiB from both pipes at once, in order and without keeping them", async () => {
    const [stdout, stderr] = [createFloodCheck(), createFloodCheck()];
    const run = spawner.spawn(`${BIN}flood.mjs`, ["64", "64"], {
      cwd: tmpdir(),
      env: ENV,
      onStdout: (chunk) => stdout.push(chunk),
      onStderr: (chunk) => stderr.push(chunk),
    });
    run.endStdin();
    const outcome = await run.done;
    expect(outcome).toMatchObject({ exitCode: 0, stderrTruncated: true });
    expect(outcome.stdout).toBeUndefined();
    expect(stdout.result()).toEqual({ bytes: 64 * MEBIBYTE, firstWrong: undefined });
    expect(stderr.result()).toEqual({ bytes: 64 * MEBIBYTE, firstWrong: undefined });
  });

  it("holds a child back while the receiver is busy, and loses nothing of what it wrote before it exited", async () => {
    const check = createFloodCheck();
    let mostAtOnce = 0;
    let busy = 0;
    const child = spawner.spawn("sh", ["-c", `${BIN}flood.mjs 1; echo "$?" >&2`], {
      cwd: tmpdir(),
      env: ENV,
      async onStdout(chunk) {
        busy += 1;
        mostAtOnce = Math.max(mostAtOnce, busy);
        if (check.result().bytes === 0) await sleep(3000);
        check.push(chunk);
        busy -= 1;
      },
    });
    child.endStdin();
    const { value, elapsedMs } = await timed(child.done);
    expect(value).toMatchObject({ exitCode: 0, stderr: "0\n" });
    expect(check.result()).toEqual({ bytes: MEBIBYTE, firstWrong: undefined });
    expect(mostAtOnce).toBe(1);
    expect(elapsedMs).toBeGreaterThan(2900);
    expect(elapsedMs).toBeLessThan(15_000);
  });

  it("reads what a child left in the pipe when it has long exited before the receiver is ready", async () => {
    let text = "";
    const child = spawner.spawn("sh", ["-c", "printf first; sleep 0.2; printf '%60000s' last"], {
      cwd: tmpdir(),
      env: ENV,
      async onStdout(chunk) {
        if (text === "") await sleep(2000);
        text += Buffer.from(chunk).toString();
      },
    });
    child.endStdin();
    await child.done;
    expect(text).toBe(`first${"last".padStart(60_000)}`);
  });

  it("survives a receiver that throws, and says so", async () => {
    let calls = 0;
    const child = spawner.spawn("sh", ["-c", "echo one; sleep 0.2; echo two"], {
      cwd: tmpdir(),
      env: ENV,
      onStdout() {
        calls += 1;
        throw new Error("the receiver is broken");
      },
      onStderr() {
        throw new Error("never called");
      },
    });
    child.endStdin();
    expect(await child.done).toEqual({ exitCode: 0, signal: null, stderr: "", streamErrorMessage: "the receiver is broken" });
    expect(calls).toBe(2);
  });
});

describe("a child whose pipes do not end with it", () => {
  it("is over soon after its exit when a process that it left holds them silently", async () => {
    const run = startRun("hold-stdout.sh");
    const { value, elapsedMs } = await timed(run.child.done);
    expect(value).toMatchObject({ exitCode: 0, stderr: "note\n" });
    expect(run.text()).toBe("answer\n");
    expect(elapsedMs).toBeLessThan(3000);
    expect(await run.child.endTree?.()).toBe(0);
  });

  test.each([
    ["slowly", "slow", 0],
    ["without a pause", "fast", 0],
    ["without a pause, to a receiver that is slow", "fast", 5],
  ])("is over when a process that it left goes on writing %s", async (_title, speed, receiverMs) => {
    let start = "";
    const child = spawner.spawn(`${BIN}trickle-after-exit.sh`, [speed], {
      cwd: tmpdir(),
      env: { ...ENV, JLGCLI_RUN_ID: `trickle-${speed}-${receiverMs}` },
      // Only the start is kept: the fast one writes hundreds of MiB.
      onStdout(chunk) {
        if (!start.includes("answer\n")) start += Buffer.from(chunk).toString();
        if (receiverMs > 0) return sleep(receiverMs);
      },
    });
    child.endStdin();
    const { value, elapsedMs } = await timed(child.done);
    expect(await child.endTree?.()).toBe(0);
    expect(value.exitCode).toBe(0);
    expect(start).toContain("answer\n");
    expect(elapsedMs).toBeLessThan(15_000);
  });

  it("is not over when it only closed them", async () => {
    const run = startRun("close-stdout.sh");
    const { value, elapsedMs } = await timed(run.child.done);
    expect(value.exitCode).toBe(7);
    expect(run.text()).toBe("before\n");
    expect(elapsedMs).toBeGreaterThan(400);
  });

  it("is not over when it printed its result and never exits, until it is ended", async () => {
    const run = startRun("print-and-hang.sh");
    await run.saw(/result/);
    await sleep(300);
    expect(run.child.settled).toBe(false);
    const { value, elapsedMs } = await timed(async () => [await run.child.endTree?.(), await run.child.done] as const);
    expect(value[0]).toBe(0);
    expect(value[1]).toMatchObject({ exitCode: null, signal: "SIGTERM" });
    expect(run.child.settled).toBe(true);
    expect(elapsedMs).toBeLessThan(5000);
  });
});

describe("a child's surroundings", () => {
  it("are the given environment and nothing else", async () => {
    const child = spawner.spawn("env", [], { cwd: "/", env: { PATH: ENV.PATH, JLGCLI_RUN_ID: "mine", ONLY: "this" } });
    child.endStdin();
    const lines = (await child.done).stdout?.trim().split("\n").sort();
    expect(lines).toEqual([`JLGCLI_RUN_ID=mine`, "ONLY=this", `PATH=${ENV.PATH}`, "PWD=/"]);
  });

  it("are this process's own environment where none is given, with a mark of its own", async () => {
    const own = createProcessSpawner({ env: { PATH: ENV.PATH, GIVEN: "1", ABSENT: undefined } });
    const child = own.spawn("env", [], { cwd: "/" });
    child.endStdin();
    const { stdout = "" } = await child.done;
    expect(stdout).toMatch(/^GIVEN=1$/m);
    expect(stdout).toMatch(/^JLGCLI_RUN_ID=[0-9a-f-]{36}$/m);
    expect(stdout).not.toContain("ABSENT");
  });

  it("do not have the mark that this process inherited from a run that it is a part of", async () => {
    const inherited = process.env["JLGCLI_RUN_ID"];
    process.env["JLGCLI_RUN_ID"] = "outer";
    try {
      const child = spawner.spawn("sh", ["-c", "echo $JLGCLI_RUN_ID"], { cwd: "/", env: { PATH: ENV.PATH, JLGCLI_RUN_ID: "outer" } });
      child.endStdin();
      expect((await child.done).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    } finally {
      if (inherited === undefined) delete process.env["JLGCLI_RUN_ID"];
      else process.env["JLGCLI_RUN_ID"] = inherited;
    }
  });

  it("have the working directory with its true PWD, also through a link", async () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "spawner-"));
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    const child = spawner.spawn("sh", ["-c", 'echo "$PWD"; pwd -P'], { cwd: link, env: { ...ENV, PWD: "/wrong" } });
    child.endStdin();
    expect((await child.done).stdout).toBe(`${link}\n${folder}\n`);
    rmSync(link);
    rmSync(folder, { recursive: true });
  });

  it("pass arguments on exactly, without a shell", async () => {
    const args = ["-n", "a b", "", "$HOME", "`id`", "it's", 'say "hi"', "line\nbreak", "*", "--"];
    const child = spawnCollecting(process.execPath, ["-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...args]);
    expect(JSON.parse((await child.done).stdout ?? "")).toEqual(args);
  });

  it("are a process group of its own", async () => {
    const child = spawnCollecting("sh", ["-c", "ps -o pgid= -p $$"]);
    expect(Number((await child.done).stdout)).toBe(child.pid);
  });
});
