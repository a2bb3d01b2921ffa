import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { readUsageLedger } from "../../../src/sinks/read-usage-ledger.js";

const WRITERS = 50;
const LINES = 40;

/** The ledger as one file, so that plain processes can use it. */
async function bundleLedger(folder: string): Promise<void> {
  const bundle = await rolldown({ input: "src/sinks/usage-ledger.ts", platform: "node" });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "usage-ledger.mjs" });
  await bundle.close();
}

/** Lines of very different lengths, the longest beyond what a pipe would take as a whole. */
const WRITER = `
  import { appendLine } from "./usage-ledger.mjs";
  const [file, writer] = process.argv.slice(2);
  for (let n = 0; n < ${LINES}; n += 1) {
    const entry = { v: 1, time: new Date().toISOString(), runId: writer + "-" + n, backend: "x".repeat(1 + (n * 997) % 9000), status: "success" };
    appendLine(file, JSON.stringify(entry));
  }
`;

it("keeps every line of 50 processes that write at the same time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-writers-"));
  try {
    const script = join(folder, "writer.mjs");
    const file = join(folder, "home/usage.ndjson");
    await bundleLedger(folder);
    writeFileSync(script, WRITER);
    const codes = await Promise.all(Array.from({ length: WRITERS }, (_, writer) => runNode([script, file, String(writer)])));
    expect(codes.filter((code) => code !== 0)).toEqual([]);
    const ids = new Set<string>();
    const { brokenLines } = await readUsageLedger(file, ({ runId, backend }) => {
      expect(backend).toMatch(/^x+$/);
      ids.add(runId);
    });
    expect({ brokenLines, lines: ids.size }).toEqual({ brokenLines: 0, lines: WRITERS * LINES });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

function runNode(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve) => child.once("close", resolve));
}
