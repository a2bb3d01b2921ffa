import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Adapter, AdapterRunOnceArgs, AdapterRunOnceResult } from "../../../src/adapters/types.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { exitCodeOf, type RunStatus } from "../../../src/exit-codes.js";
import { runPrompt } from "../../../src/runner/run-prompt.js";
import type { PromptRunOptions, RunResult } from "../../../src/runner/types.js";

const doubles = vi.hoisted(() => ({ tryGetAdapterById: vi.fn(), getAdapterById: vi.fn(), loadConfig: vi.fn() }));
vi.mock("../../../src/adapters/registry.js", () => ({ getAdapterById: doubles.getAdapterById, tryGetAdapterById: doubles.tryGetAdapterById }));
vi.mock("../../../src/config/loader.js", () => ({ loadConfig: doubles.loadConfig }));

type End = Partial<AdapterRunOnceResult> | ((args: AdapterRunOnceArgs) => Promise<Partial<AdapterRunOnceResult>>);

const failure = (status: RunStatus, more: Partial<AdapterRunOnceResult> = {}): End => ({ status, exitCode: exitCodeOf(status), text: `${status}; try again in 1ms`, backendExitCode: 1, ...more });
const usage = (totalTokens: number | null): Partial<AdapterRunOnceResult> => ({
  usage: { inputTokens: 1, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens },
  cost: { amount: 0.5, currency: "USD" },
});
const edits = async ({ onEvent }: AdapterRunOnceArgs): Promise<Partial<AdapterRunOnceResult>> => {
  await onEvent?.({ type: "tool_call", toolCallId: "t1", title: "edit", kind: "edit", status: "in_progress", rawInput: null });
  return { status: "unavailable", exitCode: exitCodeOf("unavailable"), text: "down; try again in 1ms", backendExitCode: 1 };
};

/** Adapters whose successive runs end so; the last end holds for all further ones. */
function register(ends: Readonly<Record<string, readonly End[]>>): Record<string, AdapterRunOnceArgs[]> {
  const asked: Record<string, AdapterRunOnceArgs[]> = {};
  const find = (id: string): Adapter | null => {
    const list = ends[id];
    if (list === undefined) return null;
    return {
      id,
      isAvailable: async () => ({ status: "available" }),
      runOnce: async (args) => {
        const calls = (asked[id] ??= []);
        const end = list[Math.min(calls.length, list.length - 1)] ?? {};
        calls.push(args);
        return { exitCode: 0, text: "hi", ...(typeof end === "function" ? await end(args) : end) };
      },
    };
  };
  doubles.tryGetAdapterById.mockImplementation(find);
  return asked;
}

async function runWithEvents(options: Omit<PromptRunOptions, "prompt" | "onEvent">): Promise<{ readonly result: RunResult; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const result = await runPrompt({ prompt: "go", ...options, onEvent: (event) => void events.push(event) });
  return { result, events };
}

const typesOf = (events: readonly RunEvent[]): readonly string[] => events.map((event) => (event.type === "warning" ? `warning ${event.code}` : event.type));

beforeEach(() => {
  doubles.loadConfig.mockResolvedValue({});
});

describe("a prompt", () => {
  it("is one run where nothing more is asked for", async () => {
    register({ one: [{}] });
    const { result, events } = await runWithEvents({ backend: "one" });
    expect(result).toMatchObject({ exitCode: 0, text: "hi" });
    expect(result).not.toHaveProperty("attempts");
    expect(typesOf(events)).toEqual(["start", "result"]);
  });

  it("has one result event, the last, after the events of every attempt", async () => {
    register({ one: [failure("rate-limited")], two: [failure("unavailable"), {}] });
    const { result, events } = await runWithEvents({ backend: "one", fallback: ["two"], retries: 1 });
    expect(typesOf(events)).toEqual(["start", "warning retry", "start", "warning fallback", "start", "warning retry", "start", "result"]);
    expect(events.at(-1)).toEqual({ type: "result", ...result });
    expect(result.attempts?.map(({ cause, backend, exitCode }) => [cause, backend, exitCode])).toEqual([
      ["first", "one", 69],
      ["retry", "one", 69],
      ["fallback", "two", 69],
      ["retry", "two", 0],
    ]);
  });

  it.each(["backend-missing", "backend-unauthenticated", "rate-limited", "unavailable"] as const)("goes to the next backend on '%s'", async (status) => {
    register({ one: [failure(status)], two: [{ text: "from two" }] });
    expect((await runWithEvents({ backend: "one", fallback: ["two"] })).result).toMatchObject({ exitCode: 0, backend: "two", text: "from two" });
  });

  it.each(["error", "timeout", "invalid-data", "no-input", "internal", "backend-unsupported", "config"] as const)("does not go to the next backend on '%s'", async (status) => {
    const asked = register({ one: [failure(status)], two: [{}] });
    expect((await runWithEvents({ backend: "one", fallback: ["two"], retries: 3 })).result).toMatchObject({ status, backend: "one" });
    expect(asked).not.toHaveProperty("two");
    expect(asked["one"]).toHaveLength(1);
  });

  it.each(["backend-missing", "backend-unauthenticated"] as const)("is not asked again on '%s', which no pause heals", async (status) => {
    const asked = register({ one: [failure(status)] });
    await runWithEvents({ backend: "one", retries: 3 });
    expect(asked["one"]).toHaveLength(1);
  });

  it("ends with the code of the last attempt when all fail", async () => {
    register({ one: [failure("rate-limited")], two: [failure("backend-unauthenticated")] });
    expect((await runWithEvents({ backend: "one", fallback: ["two"] })).result).toMatchObject({ exitCode: 6, backend: "two" });
  });

  it.each([
    [false, 1],
    [true, 3],
  ])("is asked again after a tool has acted: %s", async (fallbackAfterTools, runs) => {
    const asked = register({ one: [edits] });
    await runWithEvents({ backend: "one", retries: 2, fallbackAfterTools });
    expect(asked["one"]).toHaveLength(runs);
  });

  it("is asked again after a tool that was refused", async () => {
    const refused = async (args: AdapterRunOnceArgs): Promise<Partial<AdapterRunOnceResult>> => ({ ...(await edits(args)), deniedTools: [{ name: "edit", toolCallId: "t1", reason: null }] });
    const asked = register({ one: [refused, {}] });
    expect((await runWithEvents({ backend: "one", retries: 2 })).result.exitCode).toBe(0);
    expect(asked["one"]).toHaveLength(2);
  });

  it("shares one time limit among its attempts", async () => {
    const asked = register({ one: [failure("unavailable", { text: "down; try again in 20ms" })] });
    await runWithEvents({ backend: "one", retries: 2, timeoutMs: 60_000 });
    const limits = asked["one"]?.map(({ timeoutMs }) => timeoutMs ?? 0) ?? [];
    expect(limits).toHaveLength(3);
    expect(limits[0]).toBeLessThanOrEqual(60_000);
    expect(limits[2]).toBeLessThan((limits[0] ?? 0) - 30);
  });

  it("takes the configured time limit where none is given", async () => {
    doubles.loadConfig.mockResolvedValue({ timeout: "30s" });
    const asked = register({ one: [failure("unavailable")] });
    await runWithEvents({ backend: "one", retries: 1 });
    expect(asked["one"]?.every(({ timeoutMs }) => timeoutMs !== undefined && timeoutMs <= 30_000)).toBe(true);
  });

  it("adds the figures of its attempts up, and knows nothing where one tells nothing", async () => {
    register({ one: [failure("unavailable", usage(3)), usage(4)], two: [failure("unavailable"), usage(4)] });
    expect((await runWithEvents({ backend: "one", retries: 1 })).result).toMatchObject({ usage: { totalTokens: 7, inputTokens: 2, outputTokens: null }, cost: { amount: 1, currency: "USD" } });
    expect((await runWithEvents({ backend: "two", retries: 1 })).result).toMatchObject({ usage: null, cost: null });
  });

  it("counts nothing for a backend that was never started", async () => {
    register({ one: [failure("backend-missing", { backendExitCode: null })], two: [usage(4)] });
    expect((await runWithEvents({ backend: "one", fallback: ["two"] })).result).toMatchObject({ usage: { totalTokens: 4 } });
  });

  it("ends when it is cancelled while it waits", async () => {
    register({ one: [failure("unavailable", { text: "try again in 100s" })] });
    const controller = new AbortController();
    const result = await runPrompt({ prompt: "go", backend: "one", retries: 1, signal: controller.signal, onEvent: (event) => void (event.type === "warning" && setTimeout(() => controller.abort("SIGTERM"), 10)) });
    expect(result).toMatchObject({ status: "interrupted", exitCode: 143 });
  });

  it("is not disturbed by a callback that throws", async () => {
    register({ one: [failure("rate-limited")], two: [{}] });
    const result = await runPrompt({
      prompt: "go",
      backend: "one",
      fallback: ["two"],
      onEvent: () => {
        throw new Error("mine");
      },
    });
    expect(result.exitCode).toBe(0);
  });
});

describe("a schema", () => {
  const schema = '{"type":"object","required":["a"]}';

  it("takes the value that a backend gives as such before its text", async () => {
    register({ one: [{ text: "done", structured: { a: 1 } }] });
    expect((await runWithEvents({ backend: "one", schema })).result).toMatchObject({ exitCode: 0, text: '{"a":1}', structured: { a: 1 } });
  });

  it("hands the answer on once, when it is valid", async () => {
    register({ one: [async ({ onAnswer }) => (await onAnswer?.("{}"), { text: "{}" }), { text: '{"a":2}' }] });
    const answers: string[] = [];
    await runPrompt({ prompt: "go", backend: "one", schema, onAnswer: (text) => void answers.push(text) });
    expect(answers).toEqual(['{"a":2}']);
  });

  it("keeps the code of a repair that fails otherwise, and the answer that was broken", async () => {
    register({ one: [{ text: "no JSON" }, failure("timeout")] });
    expect((await runWithEvents({ backend: "one", schema })).result).toMatchObject({ exitCode: 75, partialText: "no JSON" });
  });

  it("is given with each attempt, and the violations with the next prompt", async () => {
    const asked = register({ one: [{ text: "[]" }] });
    const { result, events } = await runWithEvents({ backend: "one", schema, schemaRepairs: 2 });
    expect(result).toMatchObject({ exitCode: 65, partialText: "[]", text: "the answer does not match the schema: the value must be object" });
    expect(asked["one"]?.map((args) => args.schema)).toEqual([schema, schema, schema]);
    expect(asked["one"]?.[2]?.prompt).toContain("- the value must be object");
    expect(typesOf(events).filter((type) => type === "warning repair")).toHaveLength(2);
  });

  it("that is none ends before the backend is asked", async () => {
    const asked = register({ one: [{}] });
    expect((await runWithEvents({ backend: "one", schema: "{" })).result).toMatchObject({ exitCode: 64, status: "usage" });
    expect(asked).toEqual({});
  });
});
