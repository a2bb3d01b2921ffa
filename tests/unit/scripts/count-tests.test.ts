import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/count-tests.mjs", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "jlgcli-count-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a run reported -> what the count says. `null` is a report that was never written. */
const CASES = [
  { says: "adds two runs up", reports: [["passed", "passed"], ["passed"]], flags: [], line: "3 passed, 0 failed", exit: 0 },
  { says: "counts a failed test", reports: [["passed", "failed"]], flags: [], line: "1 passed, 1 failed", exit: 1 },
  { says: "lets a skipped test be", reports: [["passed", "skipped"]], flags: [], line: "1 passed, 0 failed", exit: 0 },
  { says: "fails a skipped test where none may be skipped", reports: [["passed", "skipped"]], flags: ["--no-skips"], line: "1 passed, 1 failed", exit: 1 },
  { says: "fails an empty run", reports: [["passed"], []], flags: [], line: "1 passed, 1 failed", exit: 1 },
  { says: "fails a run without a report", reports: [["passed"], null], flags: [], line: "1 passed, 1 failed", exit: 1 },
  { says: "counts a failed step that no report shows", reports: [["passed"]], flags: ["--failed-steps=1"], line: "1 passed, 1 failed", exit: 1 },
  { says: "does not count a failed test again as a step", reports: [["failed"]], flags: ["--failed-steps=1"], line: "0 passed, 1 failed", exit: 1 },
] as const;

describe("the count of several test runs", () => {
  it.each(CASES)("$says", ({ reports, flags, line, exit }) => {
    const files = reports.map((statuses, index) => writeReport(`${index}.json`, statuses));
    const count = spawnSync(process.execPath, [script, ...flags, ...files], { encoding: "utf8" });
    expect(count.stdout.trimEnd().split("\n").at(-1)).toBe(line);
    expect(count.status).toBe(exit);
  });

  it("counts a file that could not be loaded", () => {
    const file = path.join(folder, "broken.json");
    writeFileSync(file, JSON.stringify({ testResults: [{ name: "a.test.ts", status: "failed", message: "no such module", assertionResults: [] }] }));
    const count = spawnSync(process.execPath, [script, writeReport("good.json", ["passed"]), file], { encoding: "utf8" });
    expect(count.stdout).toContain("a.test.ts: no such module");
    expect(count.status).toBe(1);
  });
});

function writeReport(name: string, statuses: readonly string[] | null): string {
  const file = path.join(folder, name);
  const assertionResults = (statuses ?? []).map((status, index) => ({ status, fullName: `test ${index}` }));
  const report = { testResults: [{ name: "some.test.ts", status: "passed", assertionResults }] };
  if (statuses !== null) writeFileSync(file, JSON.stringify(report));
  return file;
}
