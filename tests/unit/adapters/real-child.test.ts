import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCliExecutorAdapter } from "../../../src/adapters/create-cli-executor-adapter.js";
import type { ExecutorTraits, RunRequest } from "../../../src/adapters/traits.js";
import type { RunEvent } from "../../../src/events/schema.js";

/** A real child: Node with a few lines of its own, over our own spawner. */
const toTraits = (script: string, change: Partial<ExecutorTraits> = {}): ExecutorTraits => ({
  executorId: "tiny",
  command: process.execPath,
  args: ["-e", script],
  promptDelivery: "stdin",
  exitGraceMs: 200,
  output: {
    payload: "jsonl",
    resultPath: ["text"],
    terminal: { success: { path: ["type"], equals: "done" } },
    events: [{ emit: "agent_message_chunk", fields: { text: ["delta"] } }],
  },
  ...change,
});

const SAY = 'const say = (r) => process.stdout.write(JSON.stringify(r) + "\\n");';
const ECHO = `${SAY} let p = ""; process.stdin.on("data", (d) => (p += d)).on("end", () => { say({ text: "got " + p }); say({ type: "done" }); });`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(traits: ExecutorTraits, request: Partial<RunRequest> = {}) {
  const from = performance.now();
  const workspace = { id: "w", rootPath: folder, capabilities: ["read"] } as const;
  const envelope = await createCliExecutorAdapter(traits).run({ prompt: "hello 世界\n", workspace, env: {}, ...request });
  if (envelope.run === undefined) throw new Error("no run");
  return { ...envelope.run, tookMs: performance.now() - from };
}

describe("the engine over a real child", () => {
  it.each(["pipe", "file"] as const)("delivers the prompt and reads the answer: %s", async (stdout) => {
    expect(await run(toTraits(ECHO, { stdout }))).toMatchObject({ status: "success", text: "got hello 世界\n", backendExitCode: 0, warnings: [] });
  });

  it("passes an argument as it is, without a shell", async () => {
    const script = `${SAY} say({ text: process.argv.at(-1) }); say({ type: "done" });`;
    const prompt = "-x $(touch hacked) `id` \"quoted\" 'single' *";
    expect(await run(toTraits(script, { promptDelivery: "argument", promptArgSeparator: "--" }), { prompt })).toMatchObject({ status: "success", text: prompt });
  });

  it("does not wait for a child that has said it all", async () => {
    const { tookMs, ...end } = await run(toTraits(`${SAY} say({ text: "hi" }); say({ type: "done" }); setInterval(() => {}, 1000);`));
    expect(end).toMatchObject({ status: "success", text: "hi" });
    expect(tookMs).toBeLessThan(10_000);
  });

  it("ends a silent child at its deadline", async () => {
    const { tookMs, ...end } = await run(toTraits("setInterval(() => {}, 1000);"), { deadlines: { totalMs: 300 } });
    expect(end).toMatchObject({ status: "timeout", exitCode: 75 });
    expect(tookMs).toBeLessThan(10_000);
  });

  it("ends a child when the caller changes its mind, and keeps what was streamed", async () => {
    const cancel = new AbortController();
    const onEvent = (event: RunEvent) => void (event.type === "agent_message_chunk" && cancel.abort("SIGINT"));
    const end = await run(toTraits(`${SAY} say({ delta: "half" }); setInterval(() => {}, 1000);`), { signal: cancel.signal, onEvent });
    expect(end).toMatchObject({ status: "interrupted", exitCode: 130, partialText: "half" });
    expect(end.tookMs).toBeLessThan(10_000);
  });

  it("is not disturbed by a child that does not read its prompt", async () => {
    const end = await run(toTraits(`${SAY} say({ text: "hi" }); say({ type: "done" }); process.exit(0);`), { prompt: "x".repeat(4_000_000) });
    expect(end).toMatchObject({ status: "success", exitCode: 0, text: "hi" });
  });

  it("reads a long answer whole while the caller takes its time", async () => {
    const script = `${SAY} for (let i = 0; i < 40; i += 1) say({ delta: "x".repeat(50000) }); say({ text: "y".repeat(1900000) }); say({ type: "done" });`;
    let taken = 0;
    const onEvent = async () => {
      taken += 1;
      await new Promise((resolve) => setTimeout(resolve, taken === 1 ? 1000 : 1));
    };
    const end = await run(toTraits(script), { onEvent, deadlines: { idleMs: 500 } });
    expect(end.status).toBe("success");
    expect(end.text).toHaveLength(1_900_000);
    expect(taken).toBe(40);
  });

  it("tells a missing program", async () => {
    expect(await run({ ...toTraits(""), command: "no-such-program-at-all" })).toMatchObject({ status: "backend-missing", exitCode: 2 });
  });

  it("does not call a missing directory a missing program", async () => {
    const workspace = { id: "w", rootPath: join(folder, "gone"), capabilities: ["read"] } as const;
    const { exitCode } = await run(toTraits(ECHO), { workspace });
    expect(exitCode).not.toBe(2);
  });
});
