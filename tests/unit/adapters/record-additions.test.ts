import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adapterFromRecord } from "../../../src/adapters/from-record.js";
import { mergeJsonVariables } from "../../../src/adapters/merge-json.js";
import type { BackendRecord } from "../../../src/adapters/record.js";
import type { ExecutorTraits } from "../../../src/adapters/traits.js";
import type { AdapterRunOnceArgs } from "../../../src/adapters/types.js";
import { createFakeSpawner } from "./fake-spawner.js";
import { runFake } from "./run-fake.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (...records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

const DONE = { type: "done" };

const TRAITS: ExecutorTraits = {
  executorId: "agent",
  command: "agent",
  args: [],
  promptDelivery: "stdin",
  output: {
    payload: "jsonl",
    resultPath: ["text"],
    resultWhen: { path: ["type"], equals: "say" },
    resultParts: { startsAnewWhen: { path: ["type"], equals: "tool" } },
    provisionalWhen: { path: ["type"], equals: "trouble" },
    errorMessagePaths: [["why"]],
    detailNoise: [String.raw`(?<=^\[API Error: [\s\S]*)\](?![\s\S])`, String.raw`^\[API Error: `, "^noise .*$"],
    terminal: { success: { path: ["type"], equals: "done" }, failure: { path: ["type"], equals: "failed" } },
    failureReasons: [
      { reason: "unauthenticated", exitCodes: [41, 145] },
      { reason: "unknown-model", exitCodes: [9], stderr: "model" },
    ],
  },
};

async function endOf(stdout: string, exitCode = 0, stderr = "") {
  return (await runFake(TRAITS, { outcome: { stdout, exitCode, stderr } })).run;
}

describe("an answer in parts", () => {
  it("holds only what was said after the record that begins it anew", async () => {
    const stdout = lines({ type: "say", text: "Let me " }, { type: "say", text: "look." }, { type: "tool" }, { type: "say", text: "It is " }, { type: "say", text: "blue." }, DONE);
    expect(await endOf(stdout)).toMatchObject({ status: "success", text: "It is blue." });
  });

  it("is none where nothing was said after it", async () => {
    const stdout = lines({ type: "say", text: "Let me look." }, { type: "tool" }, DONE);
    expect(await endOf(stdout)).toMatchObject({ status: "error", text: "agent ended without an answer" });
  });
});

describe("an exit code that means something", () => {
  it.each([
    [41, "", "unauthenticated"],
    [145, "", "unauthenticated"],
    [9, "which model?", "unknown-model"],
    [9, "", "other"],
    [0, "", "other"],
  ])("%d with stderr %j is %s", async (exitCode, stderr, reason) => {
    expect(await endOf(lines({ type: "start" }), exitCode, stderr)).toMatchObject({ reason });
  });

  it("decides nothing once the backend has said that it is done", async () => {
    expect(await endOf(lines({ type: "say", text: "hi" }, DONE), 41)).toMatchObject({ status: "success", text: "hi" });
  });
});

describe("the words of a failure", () => {
  it.each([
    ["[API Error: no such key]", "agent failed: no such key"],
    ['[API Error: {"error":{"code":401,"message":"bad key"}}]', "agent failed: bad key"],
    ["a list [1, 2]", "agent failed: a list [1, 2]"],
    ["noise of the day", "agent failed: from stderr"],
  ])("%j become %j", async (why, text) => {
    expect(await endOf(lines({ type: "failed", why }), 1, "noise one\nfrom stderr\nnoise two\n")).toMatchObject({ text });
  });

  it("are those of the last trouble, where the child ends well without having finished", async () => {
    const run = await endOf(lines({ type: "trouble", why: "401 bad key" }), 0);
    expect(run).toMatchObject({ status: "error", text: "agent ended before it said that it had finished: 401 bad key" });
  });
});

describe("JSON in a variable", () => {
  it.each([
    ["{}", { a: 1 }, { a: 1 }],
    [undefined, { a: 1 }, { a: 1 }],
    ['{"a":{"x":1},"b":2}', { a: { y: 2 } }, { a: { x: 1, y: 2 }, b: 2 }],
    ['{"list":["one"]}', { list: ["one", "two"] }, { list: ["one", "two"] }],
    ['{"a":[1]}', { a: "word" }, { a: "word" }],
    ['{"__proto__":{"x":1}}', { a: 1 }, JSON.parse('{"__proto__":{"x":1},"a":1}') as unknown],
  ])("%j with %j on top is %j", (before, over, after) => {
    const merged = mergeJsonVariables(before === undefined ? {} : { CONFIG: before }, [{ CONFIG: over }]);
    expect(JSON.parse(merged["CONFIG"] ?? "")).toEqual(after);
  });

  it.each(["{ // a comment\n}", "[1]", "word"])("is not replaced where it cannot be read: %j", (before) => {
    expect(() => mergeJsonVariables({ CONFIG: before }, [{ CONFIG: { a: 1 } }])).toThrow("the environment variable CONFIG holds no plain JSON object");
  });
});

const RECORD: BackendRecord = {
  id: "agent",
  displayName: "Agent",
  traits: TRAITS,
  options: {
    model: { args: ["-m", "{value}"] },
    access: {
      "read-only": { args: ["--policy", "{file}"], file: { name: "policy.toml", content: "deny = true\n" }, refuseIf: { files: ["./.agent.json"], matches: "hooks", because: "it has hooks" } },
      full: { args: [], env: { mergeJson: { CONFIG: { all: true } } } },
    },
  },
  unaskedService: {
    env: { mergeJson: { CONFIG: { off: ["hosted"] } } },
    unless: { model: "^hosted/", env: ["HOSTED_KEY"], files: [{ file: "~/.agent/auth.json", matches: '"hosted"' }] },
  },
};

async function callOf(args: Partial<AdapterRunOnceArgs>) {
  const spawner = createFakeSpawner({ outcome: { stdout: lines({ type: "say", text: "hi" }, DONE) } });
  const seen: { policy: string | null } = { policy: null };
  const watching = {
    ...spawner,
    spawn: (...call: Parameters<typeof spawner.spawn>) => {
      const path = call[1][1];
      seen.policy = path !== undefined && existsSync(path) ? readFileSync(path, "utf8") : null;
      return spawner.spawn(...call);
    },
  };
  await adapterFromRecord(RECORD, { spawner: watching }).runOnce({ prompt: "hello", cwd: folder, env: { HOME: folder }, ...args });
  const [call] = spawner.calls;
  return { args: call?.args ?? [], env: call?.options.env ?? {}, policy: seen.policy };
}

describe("the file of a level", () => {
  it("lies there while the backend runs, and is gone after that", async () => {
    const { args, policy } = await callOf({});
    expect(args[0]).toBe("--policy");
    expect(args[1]).toMatch(/policy\.toml$/);
    expect(policy).toBe("deny = true\n");
    expect(existsSync(args[1] ?? "")).toBe(false);
  });

  it("does not help where the project's settings go round the level: that is refused", async () => {
    writeFileSync(join(folder, ".agent.json"), '{"hooks":{}}');
    await expect(callOf({})).rejects.toThrow("cannot honour --access read-only: it has hooks");
  });
});

describe("a service that nobody asked for", () => {
  it.each([
    ["by default", {}],
    ["for another model", { model: "other/one" }],
    ["where its key is empty", { env: { HOSTED_KEY: "" } }],
  ])("is shut off %s", async (_title, args) => {
    expect((await callOf(args)).env["CONFIG"]).toBe('{"off":["hosted"]}');
  });

  it.each([
    ["names its model", { model: "hosted/free" }],
    ["has its key", { env: { HOSTED_KEY: "k" } }],
  ])("is left alone where the user %s", async (_title, args) => {
    expect((await callOf(args)).env["CONFIG"]).toBeUndefined();
  });

  it("is left alone where the user is signed in to it", async () => {
    mkdirSync(join(folder, ".agent"));
    writeFileSync(join(folder, ".agent", "auth.json"), '{"hosted":{}}');
    expect((await callOf({})).env["CONFIG"]).toBeUndefined();
  });

  it("is shut off beside what the level and the user set in the same variable", async () => {
    const { env } = await callOf({ access: "full", env: { HOME: folder, CONFIG: '{"off":["mine"],"own":1}' } });
    expect(JSON.parse(env["CONFIG"] ?? "")).toEqual({ off: ["mine", "hosted"], own: 1, all: true });
  });
});
