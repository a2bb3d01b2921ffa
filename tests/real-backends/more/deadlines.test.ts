import { describe, expect, it } from "vitest";
import { findLeftOverProcesses } from "../left-over-processes.js";
import { runBash, stallAfter } from "../model-answer.js";
import { MORE_BACKEND_IDS } from "./backends.js";
import { type MoreStage, onMoreStage } from "./stage.js";

/** A tool that does not go by itself. */
const STUBBORN = runBash("trap '' TERM INT HUP; echo started; sleep 300; sleep 300");

const isTool = ({ command }: { command: string }): boolean => /\bsleep 300\b/.test(command);

async function waitForTool({ place }: MoreStage): Promise<void> {
  const until = Date.now() + 40_000;
  while (!findLeftOverProcesses({ home: place.home }).some(isTool)) {
    if (Date.now() > until) throw new Error("the tool did not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.concurrent.each(MORE_BACKEND_IDS)("a run of %s whose tool does not end", (backend) => {
  it("is 75 at its deadline, and nothing of it is left", () =>
    onMoreStage(backend, {}, async (stage) => {
      stage.server.enqueue(STUBBORN);
      const running = stage.run(["--json", "--access", "full", "--timeout", "20s", "hello"]);
      await waitForTool(stage);
      const ended = await running;
      // Looked at as soon as jlgcli has ended: nobody is to wait for the rest.
      expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
      expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout", reason: null });
      expect(ended.durationMs).toBeLessThan(20_000 + 10_000);
    }));

  it("is gone altogether when jlgcli itself is ended", () =>
    onMoreStage(backend, {}, async (stage) => {
      stage.server.enqueue(STUBBORN);
      let kill: (signal: NodeJS.Signals) => void = () => undefined;
      const running = stage.run(["--json", "--access", "full", "hello"], { onStart: (killer) => (kill = killer) });
      await waitForTool(stage);
      kill("SIGTERM");
      const ended = await running;
      expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
      expect(ended.signal).toBe("SIGTERM");
      expect(ended.result).toMatchObject({ exitCode: 143, status: "interrupted" });
    }));
});

describe.concurrent.each(MORE_BACKEND_IDS)("a run of %s whose model falls silent", (backend) => {
  it("is 75 after the idle time, and keeps what was said", () =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => stallAfter(3));
      const ended = await run(["--json", "--idle-timeout", "12s", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout" });
      expect(ended.result.text).toContain("gave no sign of life within 12 s");
      // opencode streams nothing.
      if (backend === "opencode") expect(ended.result.partialText).toBeNull();
      else expect(ended.result.partialText).toMatch(/^one two three/);
    }));
});
