import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS } from "./backends.js";
import { endLeftOverProcesses, findLeftOverProcesses } from "./left-over-processes.js";
import { runBash, silence, stallAfter } from "./model-answer.js";
import { RAW_ARGS_ALLOWING_TOOLS } from "./raw-invocations.js";

/** A tool that does not go by itself. */
const STUBBORN = runBash("trap '' TERM INT HUP; echo started; sleep 300; sleep 300");

const isTool = ({ command }: { command: string }): boolean => /\bsleep 300\b/.test(command);

async function waitForTool({ place }: BackendStage): Promise<void> {
  const until = Date.now() + 30_000;
  while (!findLeftOverProcesses({ home: place.home }).some(isTool)) {
    if (Date.now() > until) throw new Error("the tool did not start");
    await pause(50);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

// claude refuses full access to root without it.
const SANDBOXED = { IS_SANDBOX: "1" };

describe.concurrent.each(BACKEND_IDS)("a run of %s whose tool does not end", (backend) => {
  it("is 75 at its deadline, and nothing of it is left", () =>
    onStage(backend, { env: SANDBOXED }, async (stage) => {
      stage.server.enqueue(STUBBORN);
      // codex asks the model again while its tool still runs.
      stage.server.respondWith(() => silence);
      const running = stage.run(["--json", "--access", "full", "--timeout", "12s", "hello"]);
      await waitForTool(stage);
      const ended = await running;
      // Looked at as soon as jlgcli has ended: nobody is to wait for the rest.
      expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
      expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout", reason: null });
      expect(ended.exitCode).toBe(75);
      expect(ended.durationMs).toBeLessThan(12_000 + 10_000);
    }));

  it("is gone altogether when jlgcli itself is ended", () =>
    onStage(backend, { env: SANDBOXED }, async (stage) => {
      stage.server.enqueue(STUBBORN);
      // codex asks the model again while its tool still runs.
      stage.server.respondWith(() => silence);
      let kill: (signal: NodeJS.Signals) => void = () => undefined;
      const running = stage.run(["--json", "--access", "full", "hello"], { onStart: (killer) => (kill = killer) });
      await waitForTool(stage);
      kill("SIGTERM");
      const ended = await running;
      expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
      expect(ended.signal).toBe("SIGTERM");
      expect(ended.result).toMatchObject({ exitCode: 143, status: "interrupted" });
    }));

  // The control: what the two tests above look for is really there where only the group is killed.
  it("would leave its tool behind if its process group alone were killed", () =>
    onStage(backend, { env: SANDBOXED }, async (stage) => {
      const { place, server } = stage;
      server.enqueue(runBash("sleep 300; echo done"));
      const args = backend === "claude" ? [...RAW_ARGS_ALLOWING_TOOLS.claude, "--allowedTools", "Bash"] : RAW_ARGS_ALLOWING_TOOLS[backend];
      const child = spawn(backend, args, { cwd: place.cwd, env: place.env, detached: true, stdio: ["pipe", "ignore", "ignore"] });
      const gone = once(child, "exit");
      child.stdin?.end("hello");
      await waitForTool(stage);
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await gone;
      await pause(500);
      expect(findLeftOverProcesses({ home: place.home }).some(isTool)).toBe(true);
      await endLeftOverProcesses({ home: place.home });
    }));
});

describe.concurrent.each(BACKEND_IDS)("a run of %s whose model falls silent", (backend) => {
  it("is 75 after the idle time, and keeps what was said", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => stallAfter(3));
      const ended = await run(["--json", "--idle-timeout", "8s", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout" });
      expect(ended.result.text).toContain("gave no sign of life within 8 s");
      if (backend === "codex") expect(ended.result.partialText).toBeNull();
      else expect(ended.result.partialText).toMatch(/^one two three/);
    }));
});
