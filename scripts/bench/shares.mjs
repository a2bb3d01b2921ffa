import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeFigure, median } from "./statistics.mjs";

const ROUNDS = 21;
const hook = fileURLToPath(new URL("load-times.cjs", import.meta.url));

/** The groups that are told apart, first match wins. */
const GROUPS = [
  ["Node's own modules", (name) => name.startsWith("node:")],
  ["commander", (name) => name === "lib-commander.cjs"],
  ["execa", (name) => name === "lib-execa.cjs"],
  ["cosmiconfig", (name) => name === "lib-cosmiconfig.cjs"],
  ["zod", (name) => name === "lib-zod.cjs"],
  ["own code", () => true],
];

/** What loading each module costs `jlgcli run` (wall time: read, compile, run its top level), and what is left. */
export function measureShares(workshop) {
  const runs = Array.from({ length: ROUNDS + 1 }, () => runOnce(workshop)).slice(1);
  const names = new Set(runs.flatMap((run) => Object.keys(run.times)));
  const groups = new Map(GROUPS.map(([group]) => [group, { ms: 0, files: [] }]));
  for (const name of names) {
    const ms = median(runs.map((run) => run.times[name] ?? 0));
    const [group] = GROUPS.find(([, holds]) => holds(name));
    groups.get(group).ms += ms;
    groups.get(group).files.push(`${name} ${ms.toFixed(1)}`);
  }
  const total = median(runs.map((run) => run.sinceStartMs));
  const bare = median(Array.from({ length: ROUNDS }, () => runBare(workshop).sinceStartMs));
  const loading = [...groups.values()].reduce((sum, { ms }) => sum + ms, 0);
  return [
    `medians of ${ROUNDS}, milliseconds inside the process; loading only, each module without what it loads itself`,
    ...[...groups].filter(([, { ms }]) => ms > 0).map(([group, { ms, files }]) => describeFigure(group, ms.toFixed(1), files.join(", "))),
    describeFigure("Node itself, until it ends an empty script", bare.toFixed(1)),
    describeFigure("the run itself, backend and waiting included", (total - bare - loading).toFixed(1)),
  ];
}

function runOnce(workshop) {
  return runHooked(workshop, [workshop.cli, "run", "--backend", "codex", "hello"]);
}

function runBare(workshop) {
  return runHooked(workshop, ["-e", "0"]);
}

function runHooked({ cwd, env, file }, args) {
  const report = file("load-times.json");
  spawnSync(process.execPath, ["-r", hook, ...args], { cwd, env: { ...env, BENCH_LOAD_TIMES: report }, stdio: "ignore" });
  return JSON.parse(readFileSync(report, "utf8"));
}
