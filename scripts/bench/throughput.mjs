import { pathToFileURL } from "node:url";
import path from "node:path";
import { describeFigure, median } from "./statistics.mjs";

const ROUNDS = 20;
const CHUNK_BYTES = 64 * 1024;
const TOTAL_BYTES = 16 * 1024 * 1024;

/** JSONL through the parser that runs use (lines, records, events, usage), against nothing but JSON.parse. */
export async function measureThroughput({ lib }) {
  const { createOutputReader } = await import(pathToFileURL(path.join(lib, "parse/output-reader.js")).href);
  const { codex } = await import(pathToFileURL(path.join(lib, "adapters/records/codex.js")).href);
  const rates = { "large records (16 KiB of tool output)": 16 * 1024, "mixed records (1 KiB)": 1024, "small records (100 bytes)": 100 };
  const lines = [`medians of ${ROUNDS}, interleaved, ${TOTAL_BYTES >> 20} MiB in chunks of ${CHUNK_BYTES >> 10} KiB; bare is split + JSON.parse per line; CPU time`];
  for (const [name, bytes] of Object.entries(rates)) {
    const chunks = makeChunks(bytes);
    const bare = [];
    const ours = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const times = [timeMs(() => parseBare(chunks)), timeMs(() => parseOurs(chunks, createOutputReader(codex.traits.output)))];
      if (round === 0) continue;
      bare.push(times[0]);
      ours.push(times[1]);
    }
    lines.push(describeRates(name, median(bare), median(ours)));
  }
  return lines;
}

function makeChunks(outputBytes) {
  const record = { type: "item.completed", item: { id: "item_1", type: "command_execution", command: "ls -la", aggregated_output: "x é\n".repeat(outputBytes / 5), exit_code: 0, status: "completed" } };
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  const all = Buffer.concat(Array.from({ length: Math.ceil(TOTAL_BYTES / line.length) }, () => line));
  return Array.from({ length: Math.ceil(all.length / CHUNK_BYTES) }, (_, at) => all.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES));
}

/** The least that any reader has to do. */
function parseBare(chunks) {
  let rest = "";
  let count = 0;
  const decoder = new TextDecoder();
  for (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop();
    for (const line of parts) if (JSON.parse(line).type !== undefined) count += 1;
  }
  return count;
}

function parseOurs(chunks, reader) {
  let count = 0;
  for (const chunk of chunks) count += reader.push(chunk).length;
  return count + reader.end().length;
}

/** CPU time: the work waits for nothing, and a busy machine does not count. */
function timeMs(work) {
  const from = process.cpuUsage();
  if (work() === 0) throw new Error("nothing was parsed");
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

function describeRates(name, bareMs, oursMs) {
  const rate = (ms) => `${((TOTAL_BYTES / 1024 / 1024) / (ms / 1000)).toFixed(0)} MiB/s`;
  return describeFigure(name, `${rate(oursMs)} of ${rate(bareMs)}`, `${((bareMs / oursMs) * 100).toFixed(0)} % (target >= 60 %)`);
}
