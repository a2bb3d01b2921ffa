import { describe, expect, it } from "vitest";
import { toBar, toUsageText } from "../../../src/commands/usage-text.js";
import type { UsageSummary, UsageTotals } from "../../../src/sinks/summarise-usage.js";

const NONE = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: null };
const totals = (changes: Partial<UsageTotals>): UsageTotals => ({ runs: 1, succeeded: 1, tokens: NONE, cost: {}, runsWithoutTokens: 0, runsWithoutCost: 0, ...changes });
const summary = (changes: Partial<UsageSummary>): UsageSummary => ({ total: totals({}), groups: [], quota: [], brokenLines: 0, ...changes });
const view = { since: null, by: "backend", home: "/home/me", isTty: false } as const;

describe("the usage for people", () => {
  it("says that there is nothing", () => {
    expect(toUsageText(summary({ total: totals({ runs: 0 }) }), view)).toBe("no runs\n");
  });

  it("shows an unknown figure as a dash, never as 0", () => {
    const text = toUsageText(summary({ total: totals({ runsWithoutTokens: 1 }), groups: [{ key: null, ...totals({}) }] }), view);
    expect(text).toContain("1 run(s), 1 succeeded: - tokens\n");
    expect(text).toMatch(/\(unknown\) +1 +1 +- +- +- +-\n/);
    expect(text).toContain("1 run(s) did not tell their tokens\n");
  });

  it("draws bars on a terminal alone", () => {
    const groups = [{ key: "codex", ...totals({ tokens: { ...NONE, totalTokens: 1000 } }) }, { key: "claude", ...totals({ tokens: { ...NONE, totalTokens: 1 } }) }];
    expect(toUsageText(summary({ groups }), view)).not.toContain("█");
    expect(toUsageText(summary({ groups }), { ...view, isTty: true })).toMatch(/codex .* 1,000 .*█{20}\nclaude .* 1 .*▏\n/);
  });

  it("lets no name steer the terminal", () => {
    expect(toUsageText(summary({ groups: [{ key: "\u001B[2Jx", ...totals({}) }] }), view)).not.toContain("\u001B");
  });

  it("tells a vendor's limits", () => {
    const quota = [{ backend: "claude", observedAt: "2026-01-01T00:00:00Z", windows: [{ name: "five_hour", utilization: 0.126, resetsAt: null }] }];
    expect(toUsageText(summary({ quota }), view)).toMatch(/limits of claude, told .*: five_hour 13 %\n/);
  });
});

describe("a bar", () => {
  it.each([
    [0, 10, ""],
    [5, 0, ""],
    [10, 10, "█".repeat(20)],
    [5, 10, "█".repeat(10)],
    [1, 1_000_000, "▏"],
  ])("of %i of %i is '%s'", (value, most, bar) => {
    expect(toBar(value, most)).toBe(bar);
  });
});
