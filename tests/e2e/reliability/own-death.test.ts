import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, findLeftOvers, parseObject, runCli, type Place } from "../support/cli.js";
import { createAgentPlace, endsOf, findLeftFiles, setSteps, waitForFile } from "./agent-place.js";
import type { Step } from "./faults.js";

let place: Place | undefined;

/** It may be gone by now: the shell of a terminal that was closed, for instance. */
function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster than we.
  }
}

afterEach(() => {
  if (place !== undefined) for (const left of findLeftOvers(place)) endQuietly(Number.parseInt(left, 10));
  place?.cleanUp();
  place = undefined;
});

const RUN = ["run", "--json", "--backend", "codex"];
const READY = "ready";
const answer: readonly Step[] = [
  { record: { type: "item.completed", item: { id: "i", type: "agent_message", text: "done" } } },
  { record: { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } } },
];

/** A place whose agent says when it is at work. */
function createHangingPlace(steps: readonly Step[] = []): { here: Place; ready: string } {
  const here = (place = createAgentPlace([]));
  const ready = join(here.home, READY);
  setSteps(here, [...steps, { log: ready }, { hang: true }]);
  return { here, ready };
}

async function untilEnd(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null; elapsedMs: number }> {
  const startedAt = Date.now();
  const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) => child.once("exit", (code, name) => resolve([code, name])));
  return { exitCode, signal, elapsedMs: Date.now() - startedAt };
}

function startCli(here: Place, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], { cwd: here.cwd, env: here.env, stdio: ["ignore", "pipe", "pipe"] });
}

const STUBBORN: readonly Step[] = [{ ignore: ["SIGINT", "SIGTERM", "SIGHUP"] }, { tool: "stubborn" }];

describe("a signal to us", () => {
  it("is immediate when it is the second, also for programs that ignore it", async () => {
    const { here, ready } = createHangingPlace(STUBBORN);
    const child = startCli(here, [...RUN, "hello"]);
    await waitForFile(ready);
    child.kill("SIGINT");
    await sleep(500);
    const ending = untilEnd(child);
    child.kill("SIGINT");
    const ended = await ending;
    expect(ended.signal).toBe(endsOf("second-signal"));
    expect(ended.elapsedMs).toBeLessThan(3000);
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("counts once when one key press arrives twice", async (context) => {
    const { here, ready } = createHangingPlace();
    let apartMs = 0;
    const ended = await runCli(here, [...RUN, "hello"], {
      onStart: (child) =>
        void waitForFile(ready).then(async () => {
          await sleep(100);
          child.kill("SIGINT");
          const firstAt = Date.now();
          await sleep(20);
          child.kill("SIGINT");
          apartMs = Date.now() - firstAt;
        }),
    });
    expect(ended.signal).toBe(endsOf("repeated-signal"));
    if (apartMs > 150) context.skip(`the machine is too busy: the two signals were ${apartMs} ms apart`);
    expect(parseObject(ended.stdout)).toMatchObject({ status: "interrupted" });
    expect(findLeftOvers(here)).toEqual([]);
    expect(findLeftFiles(here)).toEqual([]);
  });

  it.each([0, 30, 60, 90, 120, 160, 200])("leaves nothing when it comes %i ms after the start", async (delayMs) => {
    const { here } = createHangingPlace();
    const child = startCli(here, [...RUN, "hello"]);
    child.stdout?.resume();
    await sleep(delayMs);
    const ending = untilEnd(child);
    child.kill("SIGINT");
    expect((await ending).signal).toBe(endsOf("signal-before-spawn"));
    expect(findLeftOvers(here)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends the wait for standard input at once (%s)", async (signal) => {
    const { here } = createHangingPlace();
    let sentAt = 0;
    const ended = await runCli(here, RUN, {
      stdin: null,
      onStart: (child) => {
        child.stdin.write("half a prompt");
        setTimeout(() => {
          sentAt = Date.now();
          child.kill(signal);
        }, 700);
      },
    });
    expect(endsOf("signal-while-reading")).toBe("SIGTERM");
    expect(ended.signal).toBe(signal);
    expect(Date.now() - sentAt).toBeLessThan(3000);
    expect(parseObject(ended.stdout)).toMatchObject({ status: "interrupted", text: `cancelled by ${signal} while reading standard input` });
  });
});

describe("a Ctrl-C in a terminal", () => {
  it("ends the backend, us, and the shell's loop around us", async (context) => {
    if (spawnSync("tmux", ["-V"]).status !== 0) context.skip("tmux is not installed");
    const { here, ready } = createHangingPlace([{ tool: "session" }]);
    const socket = join(here.home, "tmux.sock");
    const tmux = (...args: string[]): string => spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env: { ...here.env, SHELL: "/bin/bash" }, encoding: "utf8" }).stdout;
    const count = join(here.home, "count");
    const loop = join(here.home, "loop.sh");
    writeFileSync(loop, `for n in 1 2 3; do echo $n >>${count}; '${process.execPath}' '${CLI}' run --backend codex hello; done\necho after >>${count}\n`);
    tmux("new-session", "-d", "-x", "120", "-y", "40", `bash --norc; echo`);
    try {
      await sleep(500);
      tmux("send-keys", `bash ${loop}; echo "code $?" > ${join(here.home, "code")}`, "Enter");
      await waitForFile(ready);
      await sleep(300);
      tmux("send-keys", "C-c");
      await waitUntil(() => readdirSync("/proc").every((pid) => !isCli(pid, here)));
      await sleep(500);
      expect(endsOf("terminal-interrupt")).toBe("SIGINT");
      expect(readFileSync(count, "utf8")).toBe("1\n");
      expect(findLeftOvers(here).filter((line) => /agent|codex|sleep/.test(line))).toEqual([]);
    } finally {
      tmux("kill-server");
    }
  });
});

describe("process 1 of a container", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends by %s with %i and leaves nothing", async (signal, exitCode, ) => {
    const unshare = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    if (spawnSync("unshare", [...unshare, "true"]).status !== 0) {
      console.warn("skipped: this system does not let us make a process namespace (unshare --pid)");
      return;
    }
    const { here, ready } = createHangingPlace([{ tool: "double-fork" }]);
    const child = spawn("unshare", [...unshare, process.execPath, CLI, ...RUN, "hello"], { cwd: here.cwd, env: here.env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await waitForFile(ready);
    await sleep(300);
    const ending = untilEnd(child);
    process.kill(findProcessOne(child), signal);
    const ended = await ending;
    expect(ended.exitCode).toBe(exitCode);
    if (signal === "SIGTERM") expect(ended.exitCode).toBe(endsOf("process-1"));
    expect(parseObject(stdout)).toMatchObject({ status: "interrupted", exitCode });
    expect(ended.elapsedMs).toBeLessThan(10_000);
    expect(findLeftOvers(here)).toEqual([]);
  });
});

describe("the start after a run that was killed", () => {
  const killRun = async (steps: readonly Step[]): Promise<Place> => {
    const { here, ready } = createHangingPlace(steps);
    const child = startCli(here, [...RUN, "hello"]);
    await waitForFile(ready);
    await sleep(100);
    const ending = untilEnd(child);
    child.kill("SIGKILL");
    await ending;
    return here;
  };

  it("ends what it left, says so in one line, and then runs", async () => {
    const here = await killRun([{ tool: "session" }, { tool: "double-fork" }]);
    expect(findLeftOvers(here).length).toBeGreaterThan(2);
    setSteps(here, answer);
    const ended = await runCli(here, ["run", "--backend", "codex", "hello"]);
    expect(ended).toMatchObject({ exitCode: endsOf("killed"), stdout: "done\n" });
    expect(ended.stderr).toMatch(/^jlgcli: an earlier run was killed and had left \d+ processes running, which were ended\njlgcli: codex: success in .*\n$/);
    expect(findLeftOvers(here)).toEqual([]);
    expect(findLeftFiles(here)).toEqual([]);
  });

  it("finds what is left by its mark when the backend itself is gone", async () => {
    const here = await killRun([{ tool: "double-fork" }]);
    const agent = Number(parseObject(readFileSync(join(here.home, READY), "utf8"))["pid"]);
    process.kill(agent, "SIGKILL");
    await waitUntil(() => findLeftOvers(here).length === 1);
    expect(findLeftOvers(here).length).toBe(1);
    setSteps(here, answer);
    expect((await runCli(here, ["run", "--backend", "codex", "hello"])).stderr).toContain("had left 1 process running");
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("does not touch a process that has got the id of one of them", async () => {
    const here = await killRun([]);
    const bystander = spawn("sleep", ["300"], { detached: true, stdio: "ignore", env: { HOME: "/elsewhere" } });
    try {
      const file = onlyRecord(here);
      const record = parseObject(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ ...record, pid: bystander.pid }));
      setSteps(here, answer);
      const ended = await runCli(here, ["run", "--backend", "codex", "hello"]);
      expect(ended.exitCode).toBe(endsOf("killed-recycled"));
      expect(bystander.exitCode).toBeNull();
      expect(bystander.signalCode).toBeNull();
      expect(existsSync(`/proc/${bystander.pid}`)).toBe(true);
    } finally {
      bystander.kill("SIGKILL");
    }
  });

  it("leaves a run alone that is still going", async () => {
    const { here, ready } = createHangingPlace();
    const child = startCli(here, [...RUN, "hello"]);
    await waitForFile(ready);
    const script = join(here.home, "second.json");
    writeFileSync(script, JSON.stringify(answer));
    const second = await runCli({ ...here, env: { ...here.env, AGENT_SCRIPT: script } }, ["run", "-q", "--backend", "codex", "hello"]);
    expect(second).toMatchObject({ exitCode: endsOf("killed-owner-lives"), stderr: "", stdout: "done\n" });
    expect(child.exitCode).toBeNull();
    expect(existsSync(onlyRecord(here))).toBe(true);
    const ending = untilEnd(child);
    child.kill("SIGTERM");
    await ending;
    expect(findLeftFiles(here)).toEqual([]);
  });

  it.each(["not json", "{}", '{"runId":"../../x","pid":1}', "[1]", ""])("is not disturbed by a file there that is no record (%j)", async (text) => {
    const here = (place = createAgentPlace(answer));
    spawnSync("mkdir", ["-p", join(here.home, ".jlgcli/running")]);
    writeFileSync(join(here.home, ".jlgcli/running/x.json"), text);
    expect(await runCli(here, ["run", "-q", "--backend", "codex", "hello"])).toMatchObject({ exitCode: 0, stderr: "", stdout: "done\n" });
  });
});

function onlyRecord(here: Place): string {
  const folder = join(here.home, ".jlgcli/running");
  const [name = "missing"] = readdirSync(folder);
  return join(folder, name);
}

/** The child of unshare, which is process 1 in there. */
function findProcessOne(unshare: ChildProcess): number {
  const children = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, "utf8");
  return Number(children.trim().split(" ")[0]);
}

function isCli(pid: string, here: Place): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(CLI) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(here.home);
  } catch {
    return false;
  }
}

async function waitUntil(isTrue: () => boolean, limitMs = 15_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!isTrue() && Date.now() < until) await sleep(50);
}
