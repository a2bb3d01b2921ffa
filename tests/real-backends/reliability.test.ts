import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS } from "./backends.js";
import { findLeftOverProcesses } from "./left-over-processes.js";
import { cutAfter, runBash, silence } from "./model-answer.js";

/** A state in which the backend would not come to an end by itself, and how to tell that it is reached. */
interface Standstill {
  readonly name: string;
  readonly prepare: (stage: BackendStage) => void;
  readonly isReached: (stage: BackendStage) => boolean;
}

const STANDSTILLS: readonly Standstill[] = [
  {
    name: "whose model never answers",
    prepare: ({ server }) => server.respondWith(() => silence),
    isReached: ({ server }) => server.calls.length > 0,
  },
  {
    name: "whose stream is cut, and whose next call is never answered",
    prepare: ({ server }) => {
      let calls = 0;
      server.respondWith(() => ((calls += 1) === 1 ? cutAfter(2) : silence));
    },
    isReached: ({ server }) => server.calls.length > 1,
  },
  {
    name: "whose tool runs (sleep 300)",
    prepare: ({ server }) => server.respondWith(() => runBash("echo started; sleep 300; echo done")),
    isReached: ({ place }) => findLeftOverProcesses({ home: place.home }).some(({ command }) => /^sleep 300$/.test(command)),
  },
];

// Retries stay on, so that a cut stream is not the end. claude refuses full access to root without IS_SANDBOX.
const OPTIONS = { withoutRetries: false, env: { IS_SANDBOX: "1" } };
const ARGS = ["--json", "--access", "full"];
const REACHED_LIMIT_MS = 60_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function waitUntilReached(stage: BackendStage, { isReached, name }: Standstill): Promise<void> {
  const until = Date.now() + REACHED_LIMIT_MS;
  while (!isReached(stage)) {
    if (Date.now() > until) throw new Error(`a run ${name} was not reached; calls: ${stage.server.describeRequests()}`);
    await pause(50);
  }
}

describe.concurrent.each(BACKEND_IDS)("a run of %s", (backend) => {
  describe.concurrent.each(STANDSTILLS)("$name", (standstill) => {
    it("is 75 at its deadline, and nothing of it is left", () =>
      onStage(backend, OPTIONS, async (stage) => {
        standstill.prepare(stage);
        const running = stage.run([...ARGS, "--timeout", "20s", "hello"]);
        await waitUntilReached(stage, standstill);
        const ended = await running;
        expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
        expect(ended).toMatchObject({ exitCode: 75, signal: null, result: { exitCode: 75, status: "timeout" } });
        expect(ended.durationMs).toBeLessThan(20_000 + 10_000);
      }));

    it.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("is gone within 7 s when jlgcli gets %s", (signal, exitCode) =>
      onStage(backend, OPTIONS, async (stage) => {
        standstill.prepare(stage);
        let kill: (signal: NodeJS.Signals) => void = () => undefined;
        const running = stage.run([...ARGS, "hello"], { onStart: (killer) => (kill = killer), timeoutMs: 90_000 });
        await waitUntilReached(stage, standstill);
        await pause(500);
        const signalledAt = Date.now();
        kill(signal);
        const ended = await running;
        expect(Date.now() - signalledAt).toBeLessThan(7_000);
        expect(findLeftOverProcesses({ home: stage.place.home })).toEqual([]);
        expect(ended).toMatchObject({ exitCode: null, signal, result: { exitCode, status: "interrupted" } });
      }),
    );
  });
});
