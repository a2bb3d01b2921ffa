import { describe, expect, it } from "vitest";
import { describeWindowProblem, toWindowStart } from "../../../src/config/budget-window.js";

describe("a budget's window", () => {
  // A Thursday, by the clock on the wall.
  const now = new Date(2026, 0, 15, 13, 45, 30);

  it.each([
    ["hour", new Date(2026, 0, 15, 13)],
    ["day", new Date(2026, 0, 15)],
    ["week", new Date(2026, 0, 12)],
    ["month", new Date(2026, 0, 1)],
    ["5h", new Date(2026, 0, 15, 8, 45, 30)],
    ["90s", new Date(2026, 0, 15, 13, 44, 0)],
  ])("of '%s' began at %s", (window, start) => {
    expect(toWindowStart(window, now)).toEqual(start);
    expect(describeWindowProblem(window)).toBeNull();
  });

  it("of a week begins on a Monday, also on a Sunday and on that Monday", () => {
    expect(toWindowStart("week", new Date(2026, 0, 18, 23))).toEqual(new Date(2026, 0, 12));
    expect(toWindowStart("week", new Date(2026, 0, 12))).toEqual(new Date(2026, 0, 12));
  });

  it.each(["", "year", "0", "-1h", "5x"])("cannot be '%s'", (window) => {
    expect(describeWindowProblem(window)).toContain("hour, day, week or month");
  });
});
