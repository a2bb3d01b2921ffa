import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SCHEMA_VERSION, type RunResult } from "../../../src/events/schema.js";
import { findBudgetOverrun } from "../../../src/sinks/budget.js";
import { parseLedgerLine, readUsageLedger } from "../../../src/sinks/read-usage-ledger.js";
import { summariseUsage, toLocalDay } from "../../../src/sinks/summarise-usage.js";
import { appendLine, appendUsage, usageLedgerFile, type LedgerEntry } from "../../../src/sinks/usage-ledger.js";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-ledger-"));
  file = join(folder, ".jlgcli/usage.ndjson");
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RESULT: RunResult = {
  schemaVersion: SCHEMA_VERSION, runId: "run-1", exitCode: 0, status: "success", text: "a secret answer", backend: "claude", durationMs: 12, reason: null,
  partialText: null, model: "m", sessionId: "s", cost: { amount: 0.5, currency: "USD" }, context: null, deniedTools: null, backendExitCode: 0, backendSignal: null,
  usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 3 },
  quota: [{ name: "five_hour", utilization: 0.1, resetsAt: null }], warnings: [], simulated: false, cwd: tmpdir(),
};

async function readAll(): Promise<{ entries: LedgerEntry[]; brokenLines: number }> {
  const entries: LedgerEntry[] = [];
  const { brokenLines } = await readUsageLedger(file, (entry) => entries.push(entry));
  return { entries, brokenLines };
}

describe("the usage ledger", () => {
  it("gets one private line for a run, without its answer", async () => {
    appendUsage(RESULT, { HOME: folder });
    expect(usageLedgerFile({ HOME: folder })).toBe(file);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(2);
    expect(readFileSync(file, "utf8")).not.toContain("secret answer");
    const { backend, model, status, usage, cost, quota, runId, durationMs } = RESULT;
    expect((await readAll()).entries).toMatchObject([{ backend, model, status, usage, cost, quota, runId, durationMs }]);
    if (process.platform !== "win32") expect([statSync(file).mode & 0o777, statSync(join(folder, ".jlgcli")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("names the git repository as the project, not the folder in it", async () => {
    const inside = join(folder, "repo/src/deep");
    mkdirSync(inside, { recursive: true });
    mkdirSync(join(folder, "repo/.git"));
    appendUsage({ ...RESULT, cwd: inside }, { HOME: folder });
    expect((await readAll()).entries[0]?.project).toBe(join(folder, "repo"));
  });

  it("loses only the line that was cut when a write before was cut", async () => {
    appendUsage(RESULT, { HOME: folder });
    appendFileSync(file, '{"v":1,"time":"2026-01-01T0');
    appendUsage({ ...RESULT, runId: "run-2" }, { HOME: folder });
    const { entries, brokenLines } = await readAll();
    expect(entries.map(({ runId }) => runId)).toEqual(["run-1", "run-2"]);
    expect(brokenLines).toBe(1);
  });

  it("says where it could not write", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => appendLine(join(folder, "file/usage.ndjson"), "{}")).toThrow(join(folder, "file/usage.ndjson"));
  });

  it("is empty where there is none", async () => {
    expect(await readAll()).toEqual({ entries: [], brokenLines: 0 });
    expect(existsSync(file)).toBe(false);
  });

  it("never takes a line of 2 MB for a run, and goes on after it", async () => {
    appendUsage(RESULT, { HOME: folder });
    appendLine(file, `{"time":"2026-01-01T00:00:00Z","backend":"${"x".repeat(2 * 1024 * 1024)}"}`);
    appendUsage(RESULT, { HOME: folder });
    expect(await readAll()).toMatchObject({ entries: [{ runId: "run-1" }, { runId: "run-1" }], brokenLines: 1 });
  });
});

describe("the reader of the ledger", () => {
  const line = (changes: object = {}): string => JSON.stringify({ v: 1, time: "2026-01-01T00:00:00.000Z", runId: "r", backend: "codex", status: "success", ...changes });
  const noise = fc.oneof(
    fc.string().filter((text) => !/[\n\r]/.test(text) && text.trim() !== ""),
    fc.json(),
    fc.constantFrom("{", "null", "[]", '{"time":1}', '{"time":"soon","backend":"x"}', '{"time":"2026-01-01","backend":""}', line().slice(0, -3), "\uFEFF\u0000"),
  );

  it("reads every whole line and counts every other, wherever they stand", async () => {
    const parts = fc.array(fc.oneof(fc.record({ broken: noise }), fc.record({ tokens: fc.nat() })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (lines, endsWithLine) => {
        const text = lines.map((part) => ("broken" in part ? part.broken : line({ usage: { totalTokens: part.tokens } }))).join("\n");
        mkdirSync(join(folder, ".jlgcli"), { recursive: true });
        writeFileSync(file, text + (endsWithLine ? "\n" : ""));
        const { entries, brokenLines } = await readAll();
        expect(entries.map(({ usage }) => usage?.totalTokens)).toEqual(lines.flatMap((part) => ("tokens" in part ? part.tokens : [])));
        expect(brokenLines).toBe(lines.filter((part) => "broken" in part).length);
      }),
      { numRuns: 100 },
    );
  });

  it("takes a figure that cannot be read for one that is not known", () => {
    const entry = parseLedgerLine(line({ usage: { totalTokens: "12", inputTokens: -1 }, cost: { amount: null }, quota: [{ name: "x" }, 3], model: 7, durationMs: null }));
    expect(entry).toMatchObject({ usage: { totalTokens: null, inputTokens: null }, cost: null, quota: [], model: null, durationMs: null });
  });

  it("never throws, whatever a line holds", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), fc.record({ time: fc.constant("2026-01-01"), backend: fc.string(), usage: fc.anything(), cost: fc.anything(), quota: fc.anything() }).map((value) => JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item)) ?? "")), (text) => {
      parseLedgerLine(text);
    }));
  });
});

describe("the sums", () => {
  const add = (changes: object): void => appendLine(file, JSON.stringify({ v: 1, time: "2026-01-10T12:00:00.000Z", runId: "r", backend: "codex", status: "success", ...changes }));

  it("are of what is known, and say how many runs told nothing", async () => {
    add({ usage: { totalTokens: 10, inputTokens: 8 } });
    add({ usage: { totalTokens: null, inputTokens: 1 }, status: "timeout" });
    add({ backend: "claude", usage: { totalTokens: 5 }, cost: { amount: 0.25, currency: "USD" } });
    add({ backend: "claude", cost: { amount: 1, currency: "EUR" } });
    const { groups, total } = await summariseUsage(file, { since: null, by: "backend" });
    expect(groups.map(({ key, runs, succeeded, runsWithoutTokens, runsWithoutCost, cost, tokens }) => [key, runs, succeeded, runsWithoutTokens, runsWithoutCost, cost, tokens.totalTokens, tokens.inputTokens, tokens.outputTokens])).toEqual([
      ["codex", 2, 1, 1, 2, {}, 10, 9, null],
      ["claude", 2, 2, 1, 0, { USD: 0.25, EUR: 1 }, 5, null, null],
    ]);
    expect(total).toMatchObject({ runs: 4, cost: { USD: 0.25, EUR: 1 } });
  });

  it.each([
    ["model", [["m", 2], [null, 1]]],
    ["project", [["/p", 2], [null, 1]]],
    ["day", [[toLocalDay(new Date("2026-01-10T12:00:00Z")), 2], [toLocalDay(new Date("2026-01-12T12:00:00Z")), 1]]],
  ] as const)("by %s", async (by, expected) => {
    add({ time: "2026-01-12T12:00:00.000Z" });
    add({ model: "m", project: "/p", usage: { totalTokens: 1 } });
    add({ model: "m", project: "/p", usage: { totalTokens: 1 } });
    const { groups } = await summariseUsage(file, { since: null, by });
    expect(groups.map(({ key, runs }) => [key, runs])).toEqual(expected);
  });

  it("leave out what is older, but not the last limits that a vendor told", async () => {
    add({ time: "2026-01-01T00:00:00.000Z", backend: "claude", quota: [{ name: "five_hour", utilization: 0.2, resetsAt: null }] });
    add({ time: "2026-01-02T00:00:00.000Z", backend: "claude", quota: [{ name: "five_hour", utilization: 0.4, resetsAt: null }] });
    add({ time: "2026-01-03T00:00:00.000Z", backend: "claude", quota: null });
    const { total, quota } = await summariseUsage(file, { since: new Date("2026-01-03"), by: "backend" });
    expect(total.runs).toBe(1);
    expect(quota).toEqual([{ backend: "claude", observedAt: "2026-01-02T00:00:00.000Z", windows: [{ name: "five_hour", utilization: 0.4, resetsAt: null }] }]);
  });
});

describe("a budget", () => {
  const now = new Date("2026-01-10T12:00:00.000Z");
  const add = (time: string, changes: object): void => appendLine(file, JSON.stringify({ v: 1, time, runId: "r", backend: "claude", status: "success", ...changes }));

  it.each([
    [{ maxTokens: 100, window: "1h" }, null],
    [{ maxTokens: 99, window: "1h" }, "99 of 99 tokens since 2026-01-10T11:00:00.000Z, and 1 run(s) that do not tell their tokens"],
    [{ maxTokens: 150, window: "3h" }, "199 of 150 tokens since 2026-01-10T09:00:00.000Z, and 1 run(s) that do not tell their tokens"],
    [{ maxCost: 0.5, window: "1h" }, null],
    [{ maxCost: 0.3, window: "1h" }, "0.3 of 0.3 USD since 2026-01-10T11:00:00.000Z, and 1 run(s) that do not tell their cost"],
    [{ maxCost: 0.3, maxTokens: 1, window: "10m" }, null],
  ])("of %j is used up: %s", async (budget, sentence) => {
    add("2026-01-10T09:30:00.000Z", { usage: { totalTokens: 100 }, cost: { amount: 9, currency: "EUR" } });
    add("2026-01-10T11:15:00.000Z", { usage: { totalTokens: 50 }, cost: { amount: 0.1, currency: "USD" } });
    add("2026-01-10T11:20:00.000Z", { usage: { totalTokens: 49 }, cost: { amount: 0.2, currency: "USD" } });
    add("2026-01-10T11:30:00.000Z", { status: "timeout" });
    const overrun = await findBudgetOverrun(file, budget, now);
    if (sentence === null) expect(overrun).toBeNull();
    else expect(overrun).toBe(`the budget is used up: ${sentence}`);
  });
});
