import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Adapter, AdapterAvailability, AdapterRunOnceArgs, AdapterRunOnceResult } from "../../src/adapters/types.js";
import { JlgcliError } from "../../src/errors.js";
import type { RunEvent } from "../../src/events/schema.js";
import { EXIT_TABLE, RUN_STATUSES } from "../../src/exit-codes.js";
import { runOnce } from "../../src/runner/index.js";
import type { RunOptions, RunResult } from "../../src/runner/types.js";

const doubles = vi.hoisted(() => ({ getAdapterById: vi.fn(), tryGetAdapterById: vi.fn(), loadConfig: vi.fn() }));
vi.mock("../../src/adapters/registry.js", () => ({ getAdapterById: doubles.getAdapterById, tryGetAdapterById: doubles.tryGetAdapterById }));
vi.mock("../../src/config/loader.js", () => ({ loadConfig: doubles.loadConfig }));

interface FakeAdapter extends Adapter {
  readonly asked: readonly AdapterRunOnceArgs[];
}

function createFakeAdapter(id: string, end: Partial<AdapterRunOnceResult> | ((args: AdapterRunOnceArgs) => Promise<AdapterRunOnceResult>) = {}, availability: AdapterAvailability = { status: "available" }): FakeAdapter {
  const asked: AdapterRunOnceArgs[] = [];
  return {
    id,
    asked,
    isAvailable: async () => availability,
    runOnce: async (args) => {
      asked.push(args);
      return typeof end === "function" ? end(args) : { exitCode: 0, text: "hi", ...end };
    },
  };
}

/** Makes these the adapters of the registry. */
function register(...adapters: readonly Adapter[]): void {
  const find = (id: string): Adapter | null => adapters.find((adapter) => adapter.id === id) ?? null;
  doubles.tryGetAdapterById.mockImplementation(find);
  doubles.getAdapterById.mockImplementation((id: string) => {
    const adapter = find(id);
    if (adapter === null) throw new JlgcliError("BACKEND_UNKNOWN", `no backend has the id '${id}'`);
    return adapter;
  });
}

/** Calls with what the types forbid, as a caller in JavaScript can. */
const runUntyped = (options: unknown): Promise<RunResult> => runOnce(options as RunOptions);

async function runWithEvents(options: Omit<RunOptions, "onEvent">): Promise<{ readonly result: RunResult; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const result = await runOnce({ ...options, onEvent: (event) => void events.push(event) });
  return { result, events };
}

const printed = { stdout: vi.fn(), stderr: vi.fn() };

beforeEach(() => {
  doubles.loadConfig.mockResolvedValue({});
  printed.stdout = vi.fn();
  printed.stderr = vi.fn();
  vi.spyOn(process.stdout, "write").mockImplementation((...args) => (printed.stdout(...args), true));
  vi.spyOn(process.stderr, "write").mockImplementation((...args) => (printed.stderr(...args), true));
});

afterEach(() => {
  const calls = [...printed.stdout.mock.calls, ...printed.stderr.mock.calls];
  vi.restoreAllMocks();
  for (const double of Object.values(doubles)) double.mockReset();
  // The runner never prints, whatever the test was about.
  expect(calls).toEqual([]);
});

describe("which backend runs", () => {
  it("is the one that is asked for, before the configured one", async () => {
    const [asked, configured] = [createFakeAdapter("asked"), createFakeAdapter("configured")];
    register(asked, configured, createFakeAdapter("copilot"));
    doubles.loadConfig.mockResolvedValue({ backend: "configured" });
    expect(await runOnce({ prompt: "x", backend: "asked" })).toMatchObject({ backend: "asked", exitCode: 0 });
    expect([asked.asked.length, configured.asked.length]).toEqual([1, 0]);
  });

  it("is the configured one, before the default", async () => {
    register(createFakeAdapter("configured"), createFakeAdapter("copilot"));
    doubles.loadConfig.mockResolvedValue({ backend: "configured" });
    expect(await runOnce({ prompt: "x" })).toMatchObject({ backend: "configured" });
  });

  it("is copilot where nobody says anything", async () => {
    register(createFakeAdapter("copilot"), createFakeAdapter("codex"));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ backend: "copilot", status: "success" });
  });

  it("is unknown: 64, with a guess and the ids that are known", async () => {
    register(createFakeAdapter("copilot"));
    const result = await runOnce({ prompt: "x", backend: "copilott" });
    expect(result).toMatchObject({ exitCode: 64, status: "backend-unknown", backend: "copilott" });
    expect(result.text).toContain("copilott");
    expect(result.details).toMatch(/did you mean 'copilot'/);
    expect(result.details).toContain("codex");
  });

  it("is unknown and like nothing else: 64 without a guess", async () => {
    register();
    const result = await runOnce({ prompt: "x", backend: "zzzzzzzzzz" });
    expect(result).toMatchObject({ exitCode: 64, status: "backend-unknown" });
    expect(result.details).not.toContain("did you mean");
  });
});

describe("a backend that cannot be asked", () => {
  it.each([
    ["missing", "backend-missing", 2],
    ["unauthenticated", "backend-unauthenticated", 6],
    ["unsupported", "backend-unsupported", 64],
  ] as const)("is %s: %s, %i, and is not run", async (availability, status, exitCode) => {
    const adapter = createFakeAdapter("codex", {}, { status: availability, details: "do this next" });
    register(adapter);
    const { result, events } = await runWithEvents({ prompt: "x", backend: "codex" });
    expect(result).toMatchObject({ status, exitCode, details: "do this next", backend: "codex" });
    expect(result.text).toContain("codex");
    expect(adapter.asked).toEqual([]);
    expect(events).toEqual([{ type: "result", ...result }]);
  });
});

describe("what the adapter gives", () => {
  it("is passed on as a success", async () => {
    register(createFakeAdapter("copilot", { exitCode: 0, text: "the answer" }));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 0, status: "success", text: "the answer" });
  });

  it("is passed on as an error", async () => {
    register(createFakeAdapter("copilot", { exitCode: 1, text: "it broke" }));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 1, status: "error", text: "it broke" });
  });

  it.each(RUN_STATUSES.map((status) => [status, EXIT_TABLE[status].code] as const))("keeps its finer status: %s", async (status, exitCode) => {
    register(createFakeAdapter("copilot", { exitCode, text: "so it ended", status }));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode, status, text: "so it ended" });
  });

  it("keeps its code unchanged, also 143", async () => {
    register(createFakeAdapter("copilot", { exitCode: 143, status: "interrupted", text: "ended" }));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 143, status: "interrupted" });
  });

  it("keeps all that it knows, with null for what it does not", async () => {
    const known: AdapterRunOnceResult = {
      exitCode: 0, text: "hi", status: "success", details: "d", reason: null, sessionId: "s", model: "m", backendExitCode: 3, backendSignal: "SIGHUP", partialText: "p", warnings: ["w"],
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 3 },
      cost: { amount: 1, currency: "USD" }, deniedTools: [{ name: "Bash", toolCallId: null, reason: null }],
    };
    register(createFakeAdapter("copilot", known), createFakeAdapter("codex"));
    expect(await runOnce({ prompt: "x" })).toMatchObject(known);
    expect(await runOnce({ prompt: "x", backend: "codex" })).toMatchObject({
      reason: null, sessionId: null, model: null, backendExitCode: null, backendSignal: null, partialText: null, warnings: [], usage: null, cost: null, deniedTools: null, simulated: false,
    });
  });

  it("took as long as it took", async () => {
    register(createFakeAdapter("copilot", () => new Promise((resolve) => setTimeout(() => resolve({ exitCode: 0, text: "hi" }), 60))));
    const { durationMs } = await runOnce({ prompt: "x" });
    expect(Number.isInteger(durationMs)).toBe(true);
    expect(durationMs).toBeGreaterThanOrEqual(50);
    expect(durationMs).toBeLessThan(5000);
  });

  it("is permission-denied under strict permissions when tools were refused, and then only", async () => {
    const denied = [{ name: "Bash", toolCallId: "t", reason: null }];
    register(createFakeAdapter("copilot", { deniedTools: denied }), createFakeAdapter("codex", { deniedTools: [] }));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 0, deniedTools: denied });
    expect(await runOnce({ prompt: "x", strictPermissions: true })).toMatchObject({ exitCode: 1, status: "permission-denied", partialText: "hi", deniedTools: denied });
    expect(await runOnce({ prompt: "x", backend: "codex", strictPermissions: true })).toMatchObject({ exitCode: 0 });
  });
});

describe("what is handed down", () => {
  it("is what the caller gave", async () => {
    const adapter = createFakeAdapter("copilot");
    register(adapter);
    const { signal } = new AbortController();
    await runOnce({ prompt: " p\n", cwd: "/tmp", env: { A: "1" }, timeoutMs: 1234, idleTimeoutMs: 5, firstByteTimeoutMs: 6, signal, model: "m", access: "full", backendArgs: ["--x"] });
    expect(adapter.asked[0]).toMatchObject({ prompt: " p\n", cwd: "/tmp", env: { A: "1" }, timeoutMs: 1234, idleTimeoutMs: 5, firstByteTimeoutMs: 6, model: "m", access: "full", backendArgs: ["--x"] });
    expect(adapter.asked[0]?.signal).toBe(signal);
    expect(doubles.loadConfig).toHaveBeenCalledWith(expect.objectContaining({ cwd: "/tmp", env: { A: "1" } }));
  });

  it("is the current directory, and no deadline but the idle one, where nothing is said", async () => {
    const adapter = createFakeAdapter("copilot");
    register(adapter);
    await runOnce({ prompt: "x" });
    expect(adapter.asked[0]).toMatchObject({ cwd: process.cwd(), idleTimeoutMs: 15 * 60 * 1000 });
    expect(adapter.asked[0]).not.toHaveProperty("timeoutMs");
    expect(adapter.asked[0]).not.toHaveProperty("env");
  });

  it("is no command's expansion: a prompt that begins with a slash stays as it is", async () => {
    const adapter = createFakeAdapter("copilot");
    register(adapter);
    await runOnce({ prompt: "/help me" });
    expect(adapter.asked[0]?.prompt).toBe("/help me");
  });
});

describe("faults", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("boom"))],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an adapter from outside may do so
    ["throws no error", () => Promise.reject("boom")],
  ])("an adapter that %s is 70", async (_name, end) => {
    register(createFakeAdapter("copilot", end));
    const { result, events } = await runWithEvents({ prompt: "x" });
    expect(result).toMatchObject({ exitCode: 70, status: "internal" });
    expect(result.text).toContain("boom");
    expect(events.at(-1)).toEqual({ type: "result", ...result });
  });

  it("an availability check that throws is 70", async () => {
    register({ ...createFakeAdapter("copilot"), isAvailable: () => Promise.reject(new Error("no table")) });
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 70, status: "internal" });
  });

  it("an option that a backend cannot honour is 64", async () => {
    register(createFakeAdapter("copilot", () => Promise.reject(new JlgcliError("BACKEND_OPTION_UNSUPPORTED", "no --effort here", { hint: "leave it out" }))));
    expect(await runOnce({ prompt: "x" })).toMatchObject({ exitCode: 64, status: "backend-unsupported", text: "no --effort here", details: "leave it out" });
  });

  it("a configuration that cannot be loaded is 78", async () => {
    register(createFakeAdapter("copilot"));
    doubles.loadConfig.mockRejectedValue(new JlgcliError("CONFIG_INVALID", "backend: expected a string, got 3 in .jlgcli.json", { hint: "fix it" }));
    const { result, events } = await runWithEvents({ prompt: "x" });
    expect(result).toMatchObject({ exitCode: 78, status: "config", text: "backend: expected a string, got 3 in .jlgcli.json", details: "fix it" });
    expect(events).toEqual([{ type: "result", ...result }]);
  });

  it.each(["", "   ", "\n\t"])("an empty prompt is 64: %j", async (prompt) => {
    const adapter = createFakeAdapter("copilot");
    register(adapter);
    expect(await runOnce({ prompt })).toMatchObject({ exitCode: 64, status: "usage" });
    expect(adapter.asked).toEqual([]);
  });

  it("a prompt with NUL is 65", async () => {
    const adapter = createFakeAdapter("copilot");
    register(adapter);
    const result = await runOnce({ prompt: "a\0b" });
    expect(result).toMatchObject({ exitCode: 65, status: "invalid-data" });
    expect(result.text).not.toContain("\0");
    expect(adapter.asked).toEqual([]);
  });

  it.each([
    ["no options", undefined],
    ["null", null],
    ["no prompt", {}],
    ["a prompt that is no string", { prompt: 5 }],
    ["a backend that is no string", { prompt: "x", backend: {} }],
    ["a timeout that is no number", { prompt: "x", timeoutMs: "5" }],
    ["a timeout that is NaN", { prompt: "x", timeoutMs: Number.NaN }],
    ["a negative timeout", { prompt: "x", timeoutMs: -1 }],
    ["a signal that is none", { prompt: "x", signal: {} }],
    ["an environment that is none", { prompt: "x", env: "A=1" }],
    ["a variable that is no string", { prompt: "x", env: { A: 1 } }],
    ["a callback that is none", { prompt: "x", onEvent: "log" }],
    ["an access level that is none", { prompt: "x", access: "root" }],
    ["arguments that are no list", { prompt: "x", backendArgs: "--x" }],
    ["forbidden tools that are no list", { prompt: "x", disallowedTools: "Bash" }],
    ["a forbidden tool that is no string", { prompt: "x", disallowedTools: ["Bash", 1] }],
    ["an MCP server without a transport", { prompt: "x", mcpServers: [{ name: "a", command: "b", args: [], env: {} }] }],
    ["an MCP server whose variables are a list", { prompt: "x", mcpServers: [{ type: "stdio", name: "a", command: "b", args: [], env: [{ name: "A", value: "1" }] }] }],
    ["an MCP server without a url", { prompt: "x", mcpServers: [{ type: "http", name: "a", headers: {} }] }],
  ])("an argument of the wrong type rejects: %s", async (_name, options) => {
    register(createFakeAdapter("copilot"));
    await expect(runUntyped(options)).rejects.toThrow(TypeError);
  });
});

describe("events", () => {
  it("begin with the start and end with the result, made by the runner", async () => {
    register(createFakeAdapter("copilot", async ({ onEvent }) => {
      await onEvent?.({ type: "agent_message_chunk", content: { type: "text", text: "hi" }, messageId: null });
      return { exitCode: 0, text: "hi" };
    }));
    const { result, events } = await runWithEvents({ prompt: "x", cwd: "/tmp", model: "m" });
    expect(events.map(({ type }) => type)).toEqual(["start", "agent_message_chunk", "result"]);
    expect(events[0]).toMatchObject({ schemaVersion: 1, backend: "copilot", runId: result.runId, cwd: "/tmp", model: "m", simulated: false, recordedFrom: null });
    expect(events[2]).toEqual({ type: "result", ...result });
    expect(result.runId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("say when no model is asked", async () => {
    register({ ...createFakeAdapter("replay"), simulated: true, describeRecording: async () => "a recording" });
    const { result, events } = await runWithEvents({ prompt: "x", backend: "replay" });
    expect(events[0]).toMatchObject({ simulated: true, recordedFrom: "a recording" });
    expect(result.simulated).toBe(true);
  });

  it.each([
    ["throws", (): never => { throw new Error("caller's bug"); }],
    ["rejects", (): Promise<never> => Promise.reject(new Error("caller's bug"))],
  ])("change nothing when the callback %s, but for one warning", async (_name, onEvent) => {
    register(createFakeAdapter("copilot", async (args) => {
      await args.onEvent?.({ type: "warning", code: "retry", message: "again" });
      return { exitCode: 0, text: "hi" };
    }));
    const result = await runOnce({ prompt: "x", onEvent });
    expect(result).toMatchObject({ exitCode: 0, status: "success", text: "hi" });
    expect(result.warnings).toEqual([expect.stringContaining("caller's bug")]);
  });

  it("wait for the caller", async () => {
    const order: string[] = [];
    register(createFakeAdapter("copilot", async ({ onEvent }) => {
      await onEvent?.({ type: "warning", code: "retry", message: "again" });
      order.push("ran on");
      return { exitCode: 0, text: "hi" };
    }));
    await runOnce({ prompt: "x", onEvent: (event) => new Promise((resolve) => setTimeout(() => (order.push(`took ${event.type}`), resolve()), 10)) });
    expect(order).toEqual(["took start", "took warning", "ran on", "took result"]);
  });
});

it("runs in parallel without mixing anything up", async () => {
  register(createFakeAdapter("copilot", ({ prompt }) => new Promise((resolve) => setTimeout(() => resolve({ exitCode: 0, text: prompt }), Math.random() * 20))));
  const prompts = Array.from({ length: 20 }, (_, index) => `prompt ${index}`);
  const results = await Promise.all(prompts.map((prompt) => runOnce({ prompt })));
  expect(results.map(({ text }) => text)).toEqual(prompts);
  expect(new Set(results.map(({ runId }) => runId)).size).toBe(20);
});
