import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Runs one suite of real backends against the programs in `folder`: its tests, and what kept it from its end. */
export function runSuite({ config, ids, pattern, folder }) {
  const report = join(folder, `${basename(join(config, ".."))}.json`);
  const args = ["vitest", "run", "-c", config, "--retry=1", "-t", toNamePattern(ids, pattern), "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // stdout is for the report.
  const env = { ...process.env, NO_COLOR: "1", JLGCLI_BACKENDS_DIR: folder, JLGCLI_BACKENDS: ids.join(",") };
  spawnSync("npx", args, { stdio: ["ignore", 2, 2], env });
  if (!existsSync(report)) return { tests: [], faults: [`${config} left no report: it did not start`] };
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return { tests: testResults.flatMap(toTests), faults: testResults.flatMap(toFaults) };
}

/** Only titles that name one of the backends, and fit the pattern. */
function toNamePattern(ids, pattern) {
  return `^(?=[\\s\\S]*\\b(${ids.join("|")})\\b)(?=[\\s\\S]*(${pattern}))`;
}

function toTests({ name, assertionResults }) {
  return assertionResults.map(({ fullName, status, failureMessages }) => ({ name: fullName, file: basename(name), status, message: failureMessages.join("\n") }));
}

/** A file that could not be loaded has no tests to show for it. */
function toFaults({ name, status, message, assertionResults }) {
  return status === "failed" && assertionResults.length === 0 ? [`${basename(name)} could not be run: ${message.split("\n")[0]}`] : [];
}
