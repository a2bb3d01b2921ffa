import { describe, expect, it } from "vitest";
import { EXIT_TABLE, RUN_STATUSES, exitCodeOf, statusOfExitCode } from "../../src/exit-codes.js";

describe("exit codes", () => {
  it("gives 0 to success alone", () => {
    expect(RUN_STATUSES.filter((status) => EXIT_TABLE[status].code === 0)).toEqual(["success"]);
  });

  it("gives 2 to a missing backend alone", () => {
    expect(RUN_STATUSES.filter((status) => EXIT_TABLE[status].code === 2)).toEqual(["backend-missing"]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    [undefined, 130],
  ])("maps an interruption by %s to %i", (signal, code) => {
    expect(exitCodeOf("interrupted", signal)).toBe(code);
  });

  it("finds a status for each code of the table", () => {
    for (const status of RUN_STATUSES) {
      expect(exitCodeOf(statusOfExitCode(EXIT_TABLE[status].code))).toBe(EXIT_TABLE[status].code);
    }
  });
});
