import { describe, expect, it } from "vitest";
import { describeDurationProblem, parseDuration, type Duration } from "../../../src/config/duration.js";
import { JlgcliError } from "../../../src/errors.js";

describe("durations", () => {
  it.each<[Duration, number]>([
    ["500ms", 500],
    ["90s", 90_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1.5h", 5_400_000],
    [" 5m ", 300_000],
    ["30", 30_000],
    [30, 30_000],
    [0.25, 250],
    ["0", 0],
    [0, 0],
    ["0s", 0],
    ["576h", 24 * 24 * 3_600_000],
  ])("reads %j as %i milliseconds", (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
    expect(describeDurationProblem(value)).toBeNull();
  });

  it("never rounds a tiny duration down to 0, which would mean off", () => {
    expect(parseDuration("0.1ms")).toBe(1);
  });

  it.each<[Duration]>([["5 minutes"], ["m"], [""], ["-1"], [-1], ["1d"], ["1e3"], ["0x10"], ["5m30s"], [Number.NaN], [Infinity], ["Infinity"], ["٣s"]])(
    "refuses %j with the value and the forms that are allowed",
    (value) => {
      expect(() => parseDuration(value, "--timeout")).toThrow(/^--timeout: .*is no duration: write 500ms, 90s, 5m or 2h/);
    },
  );

  it.each<[Duration]>([["577h"], ["99999999999999999999"], [2_073_601]])("refuses %j, which is above 24 days, because Node would fire such a timer at once", (value) => {
    expect(() => parseDuration(value)).toThrow(/is too long: at most 24 days/);
  });

  it("ends with a usage error", () => {
    const error = catchError(() => parseDuration("x", "--timeout"));
    expect(error).toBeInstanceOf(JlgcliError);
    expect(error).toMatchObject({ code: "USAGE_INVALID", exitCode: 64 });
  });
});

function catchError(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
