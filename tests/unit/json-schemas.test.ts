import { describe, expect, it } from "vitest";
import { BUILT_IN_RECORDS } from "../../src/adapters/records/index.js";
import { SCHEMA_VERSION, type RunResult } from "../../src/events/schema.js";
import { toJsonSchemas } from "../../src/json-schemas.js";
import { SCHEMA_NAMES } from "../../src/schema-names.js";
import { assertPublished, assertPublishedOutput } from "../support/published-schemas.js";

const RESULT: RunResult = {
  schemaVersion: SCHEMA_VERSION, runId: "r", exitCode: 0, status: "success", text: "hi", backend: "codex", durationMs: 1, reason: null,
  partialText: null, model: null, sessionId: null, usage: null, cost: null, context: null, quota: null, deniedTools: null, backendExitCode: 0,
  backendSignal: null, warnings: [], simulated: false, cwd: "/",
};

describe("the published JSON Schemas", () => {
  it("are there for each name that can be printed", () => {
    expect(Object.keys(toJsonSchemas())).toEqual([...SCHEMA_NAMES]);
    for (const name of SCHEMA_NAMES) {
      expect(toJsonSchemas()[name]["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
      expect(toJsonSchemas()[name]["title"]).toContain("jlgcli");
    }
  });

  it.each(BUILT_IN_RECORDS.map((record) => [record.id, record]))("take the built-in record of %s", (_id, record) => {
    assertPublished("backend", JSON.parse(JSON.stringify(record)));
  });

  it.each([
    ["backend", {}],
    ["backend", { id: "x", displayName: "X", traits: {} }],
    ["config", { backend: 3 }],
    ["config", { unknown: true }],
    ["events", { type: "start" }],
    ["result", { ...RESULT, usage: 0 }],
    ["result", { ...RESULT, surprise: true }],
    ["result", { ...RESULT, model: undefined }],
  ] as const)("refuse a wrong %s: %j", (name, value) => {
    expect(() => assertPublished(name, JSON.parse(JSON.stringify(value)))).toThrow(`jlgcli schema ${name}`);
  });

  it("take a configuration with every kind of value", () => {
    assertPublished("config", { $schema: "x", backend: "codex", timeout: "5m", idleTimeout: 0, verbosity: 2, access: "full", env: { A: "b" }, backendArgs: ["-x"] });
  });

  it("allow a reader of results a field that came later", () => {
    expect(toJsonSchemas().result).not.toHaveProperty("additionalProperties");
    expect(toJsonSchemas().config).toHaveProperty("additionalProperties", false);
  });

  it("require what an event promises, unknown values included", () => {
    const call = { type: "tool_call", toolCallId: "1", title: "t", kind: "read", status: "pending" };
    assertPublished("events", { ...call, rawInput: null });
    expect(() => assertPublished("events", call)).toThrow("rawInput");
  });
});

describe("the check of what a test prints", () => {
  it("reads JSON and streams of it, and nothing else", () => {
    expect(() => assertPublishedOutput(["run", "--json"], '{"a":1}\n')).toThrow("schema result");
    expect(() => assertPublishedOutput(["run", "--output", "stream-json"], '{"type":"plan"}\n')).toThrow("schema events");
    assertPublishedOutput(["run", "--output", "stream-json"], `${JSON.stringify({ type: "result", ...RESULT })}\n`);
    assertPublishedOutput(["run"], "any text");
    assertPublishedOutput(["run", "--", "--json"], "any text");
  });
});

describe("the documentation of the events", () => {
  it("has a meaning for every field", () => {
    expect(findUndescribed("events", toJsonSchemas().events)).toEqual([]);
  });
});

/** Paths of fields without a description; the name of an event is its own. */
function findUndescribed(path: string, schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key !== "properties") return findUndescribed(`${path}.${key}`, value);
    const fields = Object.entries(Object(value) as Record<string, unknown>);
    return fields.flatMap(([name, field]) => [...(isDescribed(name, field) ? [] : [`${path}.${name}`]), ...findUndescribed(`${path}.${name}`, field)]);
  });
}

function isDescribed(name: string, field: unknown): boolean {
  const forms: unknown = typeof field === "object" && field !== null && "anyOf" in field ? field.anyOf : [];
  return [field, ...(Array.isArray(forms) ? (forms as unknown[]) : [])].some((form) => typeof form === "object" && form !== null && ("description" in form || (name === "type" && "const" in form)));
}
