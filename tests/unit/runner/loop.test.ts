import { describe, expect, it } from "vitest";
import type { LoopIteration } from "../../../src/events/schema.js";
import { MAX_CARRIED_CHARS } from "../../../src/runner/carry.js";
import { runLoop } from "../../../src/runner/loop.js";
import type { LoopOptions } from "../../../src/runner/loop-options.js";
import type { RunOptions, RunResult } from "../../../src/runner/types.js";

const USAGE = { inputTokens: 10, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: 0, reasoningTokens: 0, totalTokens: 12 };

function toResult(end: Partial<RunResult>): RunResult {
  return {
    schemaVersion: 1, runId: "run", exitCode: 0, status: "success", text: "hello", backend: "fake", durationMs: 1, reason: null, partialText: null,
    model: "m", sessionId: "s", usage: USAGE, cost: { amount: 0.25, currency: "USD" }, context: null, quota: null, deniedTools: [], backendExitCode: 0, backendSignal: null, warnings: [], simulated: false, cwd: "/",
    ...end,
  };
}

/** Runs a loop on a backend that answers from a list, the last one for ever. */
async function loopOver(ends: readonly Partial<RunResult>[], options: Partial<LoopOptions> = {}) {
  const asked: RunOptions[] = [];
  const saved: (readonly LoopIteration[])[] = [];
  const result = await runLoop(
    { completion: { kind: "marker", marker: "DONE" }, ...options, run: { prompt: "go", ...options.run } },
    {
      runOnce: async (run) => {
        asked.push(run);
        return toResult(ends[Math.min(asked.length, ends.length) - 1] ?? {});
      },
      onIteration: (_iteration, all) => void saved.push([...all]),
    },
  );
  return { result, asked, saved };
}

describe("a loop", () => {
  it("adds up what its iterations used, and says null where a term is unknown", async () => {
    const { result, saved } = await loopOver([{ warnings: ["w"] }, { warnings: ["w", "x"] }, { text: "DONE", sessionId: "t" }]);
    expect(result).toMatchObject({
      status: "success", exitCode: 0, text: "DONE", sessionId: "t", model: "m", warnings: ["w", "x"], deniedTools: [], partialText: null,
      usage: { inputTokens: 30, outputTokens: 6, cacheReadTokens: null, cacheWriteTokens: 0, totalTokens: 36 },
      cost: { amount: 0.75, currency: "USD" },
    });
    expect(saved.map((all) => all.length)).toEqual([1, 2, 3]);
    const { result: unknown } = await loopOver([{}, { text: "DONE", usage: null, cost: null, deniedTools: null }]);
    expect(unknown).toMatchObject({ usage: null, cost: null, deniedTools: null });
    const { result: mixed } = await loopOver([{}, { text: "DONE", cost: { amount: 1, currency: "EUR" } }]);
    expect(mixed.cost).toBeNull();
  });

  it("ends when its cost is reached, and counts what earlier processes have spent", async () => {
    const first = await loopOver([{}], { maxCost: 0.5, noProgressAfter: 0 });
    expect(first.result).toMatchObject({ status: "rate-limited", exitCode: 69, partialText: "hello", cost: { amount: 0.5 } });
    const second = await loopOver([{}], { maxCost: 0.75, noProgressAfter: 0, earlier: first.result.iterations ?? [] });
    expect(second.asked).toHaveLength(1);
    const third = await loopOver([{}], { maxCost: 0.75, earlier: second.result.iterations ?? [] });
    expect(third.asked).toHaveLength(0);
    expect(third.result).toMatchObject({ status: "rate-limited", partialText: "hello", iterations: { length: 3 } });
  });

  it("is done though the cost is reached by the last answer", async () => {
    expect((await loopOver([{ text: "DONE" }], { maxCost: 0.1 })).result.status).toBe("success");
  });

  it("leaves to each run what is left of the time", async () => {
    const { asked } = await loopOver([{}, { text: "DONE" }], { run: { prompt: "go", timeoutMs: 60_000 } });
    const times = asked.map(({ timeoutMs = 0 }) => timeoutMs);
    expect(times[0]).toBeLessThanOrEqual(60_000);
    expect(times[1]).toBeLessThanOrEqual(times[0] ?? 0);
    const bounded = await loopOver([{ text: "DONE" }], { run: { prompt: "go", timeoutMs: 60_000 }, iterationTimeoutMs: 500 });
    expect(bounded.asked[0]?.timeoutMs).toBe(500);
    const unbounded = await loopOver([{ text: "DONE" }]);
    expect(unbounded.asked[0]).not.toHaveProperty("timeoutMs");
  });

  it("tells the run's own words where one iteration's time was over, not the loop's", async () => {
    const { result } = await loopOver([{ status: "timeout", exitCode: 75, text: "fake did not finish within 0.5 s" }], { run: { prompt: "go", timeoutMs: 60_000 }, iterationTimeoutMs: 500 });
    expect(result).toMatchObject({ status: "timeout", text: "fake did not finish within 0.5 s" });
  });

  it("runs nothing when it was cancelled before", async () => {
    const { result, asked } = await loopOver([{}], { run: { prompt: "go", signal: AbortSignal.abort("SIGTERM") } });
    expect(result).toMatchObject({ status: "interrupted", exitCode: 143, iterations: [] });
    expect(asked).toHaveLength(0);
  });

  it("ends where a session is to be kept and the backend gives no id", async () => {
    expect((await loopOver([{ sessionId: null }], { keepSession: true })).result).toMatchObject({ status: "backend-unsupported", exitCode: 64 });
  });

  it("carries the end of a long answer alone, without half a character", async () => {
    const text = `${"x".repeat(100)}\u{1F600}${"y".repeat(MAX_CARRIED_CHARS - 1)}`;
    const { asked } = await loopOver([{ text }, { text: "DONE" }], { carry: "answer" });
    expect(asked[1]?.prompt).toBe(`go\n\nAnswer of the previous iteration:\n\n[the first 102 characters are left out]\n${"y".repeat(MAX_CARRIED_CHARS - 1)}`);
  });

  it("says nothing of the iteration before where there is nothing to say", async () => {
    const { asked } = await loopOver([{ text: '{"status":"continue"}' }, { text: '{"status":"done"}' }], { completion: { kind: "json" }, carry: "next" });
    expect(asked.map(({ prompt }) => prompt)).toEqual(["go", "go"]);
  });

  it("goes on though a callback throws, and says so", async () => {
    const result = await runLoop(
      { completion: { kind: "marker", marker: "DONE" }, run: { prompt: "go" } },
      {
        runOnce: async (_options, iteration) => toResult({ text: iteration === 2 ? "DONE" : "not yet" }),
        onIteration: () => {
          throw new Error("oops");
        },
      },
    );
    expect(result).toMatchObject({ status: "success", iterations: { length: 2 }, warnings: ["an iteration callback failed: oops"] });
  });

  it("is 70 where it has no way to run its command", async () => {
    expect((await loopOver([{}], { completion: { kind: "until", command: "true", timeoutMs: 0 } })).result).toMatchObject({ status: "internal", exitCode: 70, partialText: "hello" });
  });
});
