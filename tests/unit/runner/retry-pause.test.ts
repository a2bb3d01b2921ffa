import { describe, expect, it } from "vitest";
import { findPauseMs } from "../../../src/runner/retry-pause.js";

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const pauseFor = (text: string, retry = 0): number | null => findPauseMs({ text }, retry, () => 0.5, NOW);
/** A little is added to a moment that was named. */
const told = (ms: number): number => ms + 250;

describe("the pause before a retry", () => {
  it.each([
    ["Please try again in 1.898s.", told(1898)],
    ["try again in 20 seconds", told(20_000)],
    ["retry in 350ms", told(350)],
    ["Try again after 2 minutes and 5 seconds", told(125_000)],
    ["resets in 1m30s", told(90_000)],
    ["Retry-After: 30", told(30_000)],
    ['{"retry_after": 2.5}', told(2500)],
    ["your limit resets at 2026-11-30T12:01:00Z", told(60_000)],
    ["try again at 2026-11-30T13:01:00+01:00", told(60_000)],
    ["usage limit reached|1796040060", told(60_000)],
    ["try again at 2026-11-30T11:00:00Z", told(0)],
  ])("that '%s' names is %i ms", (text, ms) => {
    expect(pauseFor(text)).toBe(ms);
  });

  it.each(["try again in 2 hours", "try again in 3 days", "Retry-After: 3600", "resets at 2026-12-01T12:00:00Z"])("is none where '%s' is too far away", (text) => {
    expect(pauseFor(text)).toBeNull();
  });

  it.each([
    ["429 Too Many Requests", 0, 1000],
    ["429 Too Many Requests", 1, 2000],
    ["try again in a while", 3, 8000],
    ["retry 5 times in total", 20, 60_000],
    ["", 2, 4000],
  ])("for '%s' doubles (retry %i: %i ms)", (text, retry, ms) => {
    expect(pauseFor(text, retry)).toBe(ms);
  });

  it("leaves a part to chance", () => {
    expect(findPauseMs({ text: "" }, 0, () => 0)).toBe(750);
    expect(findPauseMs({ text: "" }, 0, () => 0.999)).toBeCloseTo(1249.5, 0);
  });

  it.each([
    [[1], told(60_000)],
    [[0.5], 1000],
    [[1, 0.9], told(60_000)],
  ])("is that of the limits that are used up (%j)", (used, ms) => {
    const quota = used.map((utilization, index) => ({ name: `window-${index}`, utilization, resetsAt: new Date(NOW + 60_000 * (index + 1)).toISOString() }));
    expect(findPauseMs({ text: "429", quota }, 0, () => 0.5, NOW)).toBe(ms);
  });

  it("may stand in the details", () => {
    expect(findPauseMs({ text: "busy", details: "try again in 3s" }, 0, () => 0.5, NOW)).toBe(told(3000));
  });
});
