import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRecord, parseSingleObject } from "../../../src/parse/parse-record.js";

const ESC = "\u001b";

describe("one line of a stream", () => {
  it.each<readonly [string, string, unknown]>([
    ["a record", '{"a":1}', { a: 1 }],
    ["white space around it", '  {"a":1}\t', { a: 1 }],
    ["an empty record", "{}", {}],
    ["a key of the prototype", '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
    ["colours around it", `${ESC}[0m${ESC}[1;31m{"a":1}${ESC}[0m`, { a: 1 }],
    ["a cursor that is hidden", `${ESC}[?25l{"a":1}${ESC}[?25h`, { a: 1 }],
    ["a window title before it", `${ESC}]0;my title\u0007{"a":1}`, { a: 1 }],
    ["a title that ends with ST", `${ESC}]0;my title${ESC}\\{"a":1}`, { a: 1 }],
    ["a link around it", `${ESC}]8;;https://example.com${ESC}\\{"a":1}${ESC}]8;;${ESC}\\`, { a: 1 }],
    ["NUL bytes around it", '\0{"a":1}\0', { a: 1 }],
    ["a byte order mark before it", '\uFEFF{"a":1}', { a: 1 }],
    ["an escape inside of a string", '{"a":"\\u001b[31mred"}', { a: `${ESC}[31mred` }],
  ])("is a record: %s", (_name, line, record) => {
    expect(parseRecord(line)).toEqual({ kind: "record", record });
  });

  it.each([
    ["nothing", "", "other"],
    ["white space", " \t ", "other"],
    ["colours alone", `${ESC}[0m`, "other"],
    ["a list", "[]", "other"],
    ["a list of records", '[{"a":1}]', "other"],
    ["a string", '"x"', "other"],
    ["a number", "7", "other"],
    ["null", "null", "other"],
    ["words", "Reading prompt from stdin...", "noise"],
    ["a log line that holds a record", 'info: {"a":1}', "noise"],
    ["a list that is cut", "[1,", "noise"],
    ["NaN", "NaN", "noise"],
    ["a record that is cut", '{"type":"res', "lost"],
    ["a record with words after it", '{"a":1} done', "lost"],
    ["two records in one line", '{"a":1}{"b":2}', "lost"],
    ["a record of JavaScript", "{a:1}", "lost"],
    ["a cut record behind colours", `${ESC}[32m{"type":`, "lost"],
  ])("is no record: %s", (_name, line, kind) => {
    expect(parseRecord(line)).toEqual({ kind });
  });

  it("never throws, and reads back what was written", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (line) => void parseRecord(line)));
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const json = JSON.stringify(record);
      expect(parseRecord(json)).toEqual({ kind: "record", record: JSON.parse(json) as unknown });
      expect(parseRecord(`${ESC}[2K${json}${ESC}[0m\0`).kind).toBe("record");
    }));
  });

  it.each([["objects", '{"a":', "}"], ["lists", "[", "]"]])("survives huge nesting of %s", (_name, open, close) => {
    const deep = `{"x":${open.repeat(300_000)}${open === "[" ? "" : "1"}${close.repeat(300_000)}}`;
    expect(["record", "lost"]).toContain(parseRecord(deep).kind);
    expect(parseRecord(`{"x":${open.repeat(300_000)}`)).toEqual({ kind: "lost" });
  });
});

describe("one object in all of stdout", () => {
  it.each<readonly [string, string, unknown]>([
    ["the object alone", '{"a":1}\n', { a: 1 }],
    ["an object over several lines", '{\n  "a": {\n    "b": "}"\n  }\n}\n', { a: { b: "}" } }],
    ["a log before it", 'Loading...\nready {soon}\n{"a":1}\n', { a: 1 }],
    ["words after it", '{\n "a": "\\"{"\n}\nBye.\n', { a: '"{' }],
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["colours", `${ESC}[0m{"a":1}${ESC}[0m\n`, { a: 1 }],
    ["a broken object before it", '{oops}\n{"a":1}', { a: 1 }],
  ])("is found: %s", (_name, text, record) => {
    expect(parseSingleObject(text)).toEqual(record);
  });

  it.each([["nothing", ""], ["a list", '[{"a":1}]'], ["a number", "5"], ["words", "Not logged in"], ["a cut object", '{"a":'], ["an object inside a sentence", 'x {"a":1}']])(
    "is not found in %s",
    (_name, text) => {
      expect(parseSingleObject(text)).toBeUndefined();
    },
  );

  it("gives up in bounded time on output that is full of braces", () => {
    const from = performance.now();
    expect(parseSingleObject("{\n".repeat(100_000))).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(5000);
  });
});
