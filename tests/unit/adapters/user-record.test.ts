import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseBackendRecord } from "../../../src/adapters/record-schema.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { createStreamingSpawner } from "./fake-spawner.js";
import { listRecordings, toShortDenied, toShortEvent } from "./recordings.js";
import { runFake } from "./run-fake.js";

const FILE = join(import.meta.dirname, "../../fixtures/backends/cline.json");
const record = parseBackendRecord(JSON.parse(readFileSync(FILE, "utf8")), FILE);

describe("the user's record of docs/adding-a-backend.md", () => {
  it("is sound, and allows what was measured", () => {
    expect(record.id).toBe("cline");
    expect(Object.keys(record.options?.access ?? {})).toEqual(["read-only", "full"]);
  });

  it.each(listRecordings("cline"))("reads $name as a person does", async ({ stdout, stderr, exitCode, signal, expected }) => {
    const events: RunEvent[] = [];
    const { run } = await runFake(record.traits, createStreamingSpawner([stdout], { exitCode, signal, stderr, stdout: "" }), { onEvent: (event) => void events.push(event) });
    const { status, reason, text, sessionId, model, usage, cost, context, deniedTools } = run;
    const { text: words, ...rest } = expected ?? { text: null };
    expect({ status, exitCode: run.exitCode, reason, sessionId, model, usage, cost, context, denied: toShortDenied(deniedTools), events: events.map(toShortEvent) }).toEqual(rest);
    expect(text).toContain(words ?? "no expected.json");
  });

  it("has a success and a failure to read", () => {
    expect(listRecordings("cline").map(({ name }) => name).sort()).toEqual(["measured-status-401", "measured-success"]);
  });
});
