#!/usr/bin/env node
/**
 * `npm run drift`: the real-backend tests against the latest version of each backend, in a temporary folder.
 * `--backend ID` (may be repeated) and `--test PATTERN` limit it; `--more` takes gemini, opencode, qwen and pi too.
 * Prints a report and writes it to `drift-report.md`. Ends with 0 where nothing drifted, else with 1. Linux only.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BACKENDS } from "./drift/backends.mjs";
import { describeDrift, hasDrifted } from "./drift/describe-drift.mjs";
import { installLatest } from "./drift/install-latest.mjs";
import { runSuite } from "./drift/run-suite.mjs";

const { values } = parseArgs({
  options: { backend: { type: "string", multiple: true }, more: { type: "boolean", default: false }, test: { type: "string", default: "" } },
});
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const ids = chooseBackends(values);
const folder = mkdtempSync(join(tmpdir(), "jlgcli-drift-"));
try {
  const drift = findDrift(ids, values.test);
  const report = describeDrift(drift);
  writeFileSync("drift-report.md", report);
  console.log(report);
  process.exitCode = hasDrifted(drift) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function chooseBackends({ backend, more }) {
  const unknown = (backend ?? []).filter((id) => !Object.hasOwn(BACKENDS, id));
  if (unknown.length > 0) throw new Error(`no backend is called ${unknown.join(", ")}; there are ${Object.keys(BACKENDS).join(", ")}`);
  return backend ?? Object.keys(BACKENDS).filter((id) => more || BACKENDS[id].suite === "tests/real-backends");
}

function findDrift(wanted, pattern) {
  // The client that drives `jlgcli acp` in the tests is no backend: it stays as it is pinned.
  execFileSync("sh", ["tests/real-backends/acp-client/install.sh"], { stdio: ["ignore", 2, 2] });
  const backends = wanted.map((id) => installLatest(id, BACKENDS[id], folder));
  const installed = backends.filter(({ problem }) => problem === undefined).map(({ id }) => id);
  const configs = [...new Set(installed.map((id) => BACKENDS[id].config))];
  const runs = configs.map((config) => runSuite({ config, ids: installed.filter((id) => BACKENDS[id].config === config), pattern, folder }));
  return { backends, tests: runs.flatMap(({ tests }) => tests), faults: runs.flatMap(({ faults }) => faults) };
}
