import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const MODULE = join(import.meta.dirname, "../../../scripts/drift/describe-drift.mjs");
const PASSED = { name: "codex answers", file: "a.test.ts", status: "passed", message: "" };
const FAILED = { name: "codex fails", file: "a.test.ts", status: "failed", message: "AssertionError: expected 1\n    at somewhere" };
const CODEX = { id: "codex", pinned: "1.0.0", latest: "1.1.0" };

function report(drift: object): string {
  const script = `const m = await import(process.argv[1]); const d = JSON.parse(process.argv[2]); console.log(m.hasDrifted(d) + "\\n" + m.describeDrift(d));`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", script, MODULE, JSON.stringify(drift)], { encoding: "utf8" });
}

describe("the report of drift", () => {
  it.each([
    ["nothing failed", { backends: [CODEX], tests: [PASSED], faults: [] }, "false"],
    ["a case failed", { backends: [CODEX], tests: [PASSED, FAILED], faults: [] }, "true"],
    ["no case ran", { backends: [CODEX], tests: [], faults: [] }, "true"],
    ["a suite did not start", { backends: [CODEX], tests: [PASSED], faults: ["it did not start"] }, "true"],
    ["a backend could not be installed", { backends: [{ ...CODEX, problem: "404" }], tests: [PASSED], faults: [] }, "true"],
  ])("tells whether there is any where %s", (_case, drift, expected) => {
    expect(report(drift).split("\n")[0]).toBe(expected);
  });

  it("shows versions, counts and what failed, without the stack", () => {
    const text = report({ backends: [CODEX], tests: [PASSED, FAILED], faults: [] });
    expect(text).toContain("| codex | 1.0.0 | 1.1.0 | 1 | 1 |");
    expect(text).toContain("### codex fails\n\na.test.ts\n\n    AssertionError: expected 1\n");
    expect(text).not.toContain("somewhere");
  });
});
