#!/usr/bin/env node
/**
 * `npm run bench`: what a start, a run, a byte and a line cost. Ratios are against `node -e 0`, measured in the same run
 * and interleaved, so that a busy machine slows both. The environment of every process is made from nothing.
 * `npm run bench -- start-up` runs only the parts that are named. Nothing fails here: it prints, people judge.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import os from "node:os";
import { measureFirstByte } from "./bench/first-byte.mjs";
import { measureMemory } from "./bench/memory.mjs";
import { measureShares } from "./bench/shares.mjs";
import { measureStartUp } from "./bench/start-up.mjs";
import { measureThroughput } from "./bench/throughput.mjs";
import { makeWorkshop } from "./bench/workshop.mjs";

/** Part -> what it measures. Each gives lines to print. */
const PARTS = {
  "start-up": measureStartUp,
  shares: measureShares,
  "first-byte": measureFirstByte,
  throughput: measureThroughput,
  memory: measureMemory,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}`);

const buildScript = fileURLToPath(new URL("build.mjs", import.meta.url));
execFileSync(process.execPath, [buildScript, "--if-stale"], { stdio: ["ignore", 2, 2] });

console.log(`Node ${process.version}, ${os.platform()} ${os.arch()}, ${os.availableParallelism()} cores, load ${os.loadavg()[0].toFixed(1)}`);
const workshop = makeWorkshop();
try {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}`);
    for (const line of await measure(workshop)) console.log(`  ${line}`);
  }
} finally {
  workshop.remove();
}
