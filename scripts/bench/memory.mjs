import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeFigure, median } from "./statistics.mjs";

const ROUNDS = 5;
const FLOOD_BYTES = 256 * 1024 * 1024;
const hook = fileURLToPath(new URL("peak-memory.cjs", import.meta.url));

/** Prints as many bytes of records as its environment says, then an answer. */
const FLOOD_BACKEND = `
const { writeSync } = require("node:fs");
const write = (record) => { const bytes = Buffer.from(JSON.stringify(record) + "\\n"); for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at); return bytes.length; };
const item = { id: "item_1", type: "command_execution", command: "cat", aggregated_output: "x".repeat(16000), exit_code: 0, status: "completed" };
for (let sent = 0; sent < Number(process.env.BENCH_FLOOD_BYTES); ) sent += write({ type: "item.completed", item });
write({ type: "item.completed", item: { id: "item_2", type: "agent_message", text: "hello" } });
write({ type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } });
`;

/** Peak memory of jlgcli while a backend prints a great deal, above that of a run where it prints nothing but the answer. */
export function measureMemory(workshop) {
  workshop.installBackend(FLOOD_BACKEND);
  const idle = [];
  const flooded = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    idle.push(measurePeakMiB(workshop, 0));
    flooded.push(measurePeakMiB(workshop, FLOOD_BYTES));
  }
  const [low, high] = [median(idle), median(flooded)];
  return [
    `medians of ${ROUNDS}; peak resident memory of the jlgcli process (getrusage), ${FLOOD_BYTES >> 20} MiB of records of 16 KB`,
    describeFigure("answer only", `${low.toFixed(0)} MiB`),
    describeFigure("256 MiB, then the answer", `${high.toFixed(0)} MiB`),
    describeFigure("above idle", `${(high - low).toFixed(0)} MiB`, "(target < 32 MiB)"),
  ];
}

function measurePeakMiB({ cli, cwd, env, file }, floodBytes) {
  const report = file("peak-memory.txt");
  const run = spawnSync(process.execPath, ["-r", hook, cli, "run", "--backend", "codex", "hello"], {
    cwd,
    env: { ...env, BENCH_PEAK_MEMORY: report, BENCH_FLOOD_BYTES: String(floodBytes) },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`the run to measure ended with ${run.status}: ${run.stderr}`);
  return Number(readFileSync(report, "utf8")) / 1024;
}
