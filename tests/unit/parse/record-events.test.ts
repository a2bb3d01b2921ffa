import { describe, expect, it } from "vitest";
import type { EventRule } from "../../../src/adapters/traits.js";
import { compileEventRules, readText } from "../../../src/parse/record-events.js";
import type { JsonRecord } from "../../../src/parse/paths.js";

const map = (rules: readonly EventRule[], record: JsonRecord) => compileEventRules(rules)(record);
const content = (text: string) => ({ type: "text", text });

describe("records into events", () => {
  it("emits a piece of the answer, with its message's id or null", () => {
    const rule: EventRule = { emit: "agent_message_chunk", when: { path: ["t"], equals: "d" }, fields: { text: ["x"], messageId: ["id"] } };
    expect(map([rule], { t: "d", x: "hi", id: "m" })).toEqual([{ type: "agent_message_chunk", content: content("hi"), messageId: "m" }]);
    expect(map([rule], { t: "d", x: " \n" })).toEqual([{ type: "agent_message_chunk", content: content(" \n"), messageId: null }]);
    expect(map([rule], { t: "d", x: "" })).toEqual([]);
    expect(map([rule], { t: "d" })).toEqual([]);
    expect(map([rule], { t: "other", x: "hi" })).toEqual([]);
  });

  it("emits for every rule that matches, in their order", () => {
    const rules: readonly EventRule[] = [
      { emit: "agent_thought_chunk", fields: { text: ["thought"] } },
      { emit: "agent_message_chunk", fields: { text: ["x"] } },
      { emit: "warning", fields: { message: ["w"] } },
    ];
    expect(map(rules, { x: "a", thought: "b", w: "c" })).toEqual([
      { type: "agent_thought_chunk", content: content("b"), messageId: null },
      { type: "agent_message_chunk", content: content("a"), messageId: null },
      { type: "warning", code: "backend-notice", message: "c" },
    ]);
  });

  it("emits once for each element of a list that passes", () => {
    const rule: EventRule = {
      emit: "tool_call",
      each: ["content"],
      eachWhen: { path: ["type"], equals: "tool_use" },
      fields: { toolCallId: ["id"], title: ["name"], kind: { path: ["name"], map: { Bash: "execute" }, otherwise: "other" }, status: { constant: "in_progress" }, rawInput: ["input"] },
    };
    const record = { content: [{ type: "text", text: "x" }, { type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } }, { type: "tool_use", id: "2", name: "Odd" }, { type: "tool_use" }] };
    expect(map([rule], record)).toEqual([
      { type: "tool_call", toolCallId: "1", title: "Bash", kind: "execute", status: "in_progress", rawInput: { command: "ls" } },
      { type: "tool_call", toolCallId: "2", title: "Odd", kind: "other", status: "in_progress", rawInput: null },
    ]);
    expect(map([rule], { content: "none" })).toEqual([]);
  });

  it("emits a tool's end with what it gave, words or anything", () => {
    const rule: EventRule = {
      emit: "tool_call_update",
      fields: { toolCallId: ["id"], status: { path: ["failed"], map: { true: "failed" }, otherwise: "completed" }, output: ["out"], rawOutput: ["out"] },
    };
    expect(map([rule], { id: 7, failed: true, out: "boom" })).toEqual([
      { type: "tool_call_update", toolCallId: "7", status: "failed", content: [{ type: "content", content: content("boom") }], rawOutput: "boom" },
    ]);
    expect(map([rule], { id: "8", out: { exit: 0 } })).toEqual([
      { type: "tool_call_update", toolCallId: "8", status: "completed", content: [{ type: "content", content: content('{"exit":0}') }], rawOutput: { exit: 0 } },
    ]);
    expect(map([rule], { id: "9" })).toEqual([{ type: "tool_call_update", toolCallId: "9", status: "completed", content: [], rawOutput: null }]);
  });

  it("lets no unknown word through", () => {
    const call: EventRule = { emit: "tool_call", fields: { toolCallId: ["id"], kind: ["kind"], status: ["status"] } };
    expect(map([call], { id: "1", kind: "shell", status: "running" })).toMatchObject([{ kind: "other", status: "pending", title: "tool" }]);
    expect(map([call], { id: "1", kind: "read", status: "failed" })).toMatchObject([{ kind: "read", status: "failed" }]);
    const warning: EventRule = { emit: "warning", fields: { message: ["m"], code: ["c"] } };
    expect(map([warning], { m: "x", c: "odd" })).toEqual([{ type: "warning", code: "backend-notice", message: "x" }]);
    expect(map([warning], { m: "x", c: "retry" })).toEqual([{ type: "warning", code: "retry", message: "x" }]);
  });

  it("emits a plan of the steps that it can read", () => {
    const rule: EventRule = { emit: "plan", fields: { entries: ["items"] } };
    expect(map([rule], { items: [{ text: "a", completed: true }, { step: "b", status: "in_progress", priority: "high" }, { content: "c", status: "odd" }, 5, {}] })).toEqual([
      {
        type: "plan",
        entries: [
          { content: "a", status: "completed", priority: "medium" },
          { content: "b", status: "in_progress", priority: "high" },
          { content: "c", status: "pending", priority: "medium" },
        ],
      },
    ]);
    expect(map([rule], { items: "none" })).toEqual([]);
  });

  it.each<readonly [string, Parameters<typeof readText>[1], string | undefined]>([
    ["a path", ["a"], "x"],
    ["a number", ["n"], "5"],
    ["a boolean", ["f"], "false"],
    ["an object", ["o"], '{"k":[1]}'],
    ["null", ["none"], undefined],
    ["nothing", ["missing"], undefined],
    ["a list of texts", ["list", "*", "t"], "pq"],
    ["a constant", { constant: "c" }, "c"],
    ["a map", { path: ["a"], map: { x: "mapped" } }, "mapped"],
    ["a map without the word", { path: ["a"], map: { y: "mapped" } }, undefined],
    ["a map with another for the rest", { path: ["a"], map: { y: "mapped" }, otherwise: "rest" }, "rest"],
    ["a map of a boolean", { path: ["f"], map: { false: "no" } }, "no"],
    ["a map's prototype", { path: ["proto"], map: {}, otherwise: "rest" }, "rest"],
    ["a path with another for nothing", { path: ["missing"], otherwise: "rest" }, "rest"],
  ])("reads text from %s", (_name, source, text) => {
    expect(readText({ a: "x", n: 5, f: false, o: { k: [1] }, none: null, list: [{ t: "p" }, { t: "q" }], proto: "constructor" }, source)).toBe(text);
  });

  it("survives a value that is nested too deeply to be written", () => {
    const record = JSON.parse(`{"id":"1","m":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}}`) as JsonRecord;
    expect(map([{ emit: "warning", fields: { message: ["m"] } }], record)).toEqual([]);
    expect(map([{ emit: "tool_call_update", fields: { toolCallId: ["id"], output: ["m"] } }], record)).toMatchObject([{ toolCallId: "1", content: [] }]);
  });
});
