import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeAnswer } from "../../../src/runner/completion.js";
import { findLastObject } from "../../../src/runner/find-last-object.js";

describe("the marker", () => {
  it.each([
    ["DONE", "done"],
    ["all is well\nDONE", "done"],
    ["all is well\r\nDONE\r\n\n", "done"],
    ["\nDONE", "done"],
    ["", "continue"],
    ["\n\n", "continue"],
    ["not DONE", "continue"],
    ["DONE.", "continue"],
    ["**DONE**", "continue"],
    ["done", "continue"],
    [" DONE", "continue"],
    ["DONE ", "continue"],
    ["DONE\nbut there is more", "continue"],
    ["ABANDONED\nUNDONE", "continue"],
    ["DONE\n\u00a0", "continue"],
  ])("in %j says %s", (answer, status) => {
    expect(judgeAnswer(answer, { kind: "marker", marker: "DONE" }).status).toBe(status);
  });

  it("is text, whatever it looks like", () => {
    expect(judgeAnswer("a\n.*$", { kind: "marker", marker: ".*$" }).status).toBe("done");
    expect(judgeAnswer("a\nanything", { kind: "marker", marker: ".*$" }).status).toBe("continue");
  });

  it("is found at the end of any text and nowhere else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "\n", "\r\n", "\n\n"), (text, end) => {
        expect(judgeAnswer(`${text}\nDONE${end}`, { kind: "marker", marker: "DONE" }).status).toBe("done");
        expect(judgeAnswer(`${text}\nDONE${end}x`, { kind: "marker", marker: "DONE" }).status).toBe("continue");
      }),
    );
  });
});

describe("JSON in an answer", () => {
  it.each([
    ['{"status":"done"}', "done"],
    ['{"status":"continue"}\n{"status":"done"}', "done"],
    ['{"status":"done"} and then {"status":"continue"}', "continue"],
    ['text {not json} {"status":"done","summary":"braces } in { strings \\" {"}, the end }', "done"],
    ['```json\n{\n  "status": "error",\n  "summary": null\n}\n```', "error"],
    ['{"status":"done","details":{"status":"continue","list":[{"status":"error"}]}}', "done"],
    ['[{"status":"done"}]', "done"],
    ['an open brace { and a quote {" and {"a": then {"status":"done"}', "done"],
    ["use {\"status\":\"done\"} as the last line: {'status':'continue'}", "done"],
    ['{"status":"done"} trailing {"status":', "done"],
    ['{"status":"\\u0064one"}', "done"],
    ["", "invalid"],
    ["no object at all", "invalid"],
    ["{}", "invalid"],
    ['{"status":"finished"}', "invalid"],
    ['{"status":["done"]}', "invalid"],
    ['{"status":"done"} {"note":"no status"}', "invalid"],
    ['{"status":"done","next":3}', "invalid"],
    // Broken off: the inner object is not the answer's word about the task.
    ['{"status":"continue","inner":{"status":"done"}', "invalid"],
    ['{"status":"done"', "invalid"],
    ['{"status":"done",}', "invalid"],
    ['{"status":"done" "summary":"x"}', "invalid"],
    ['{"status":"a\nb"}', "invalid"],
    ['{"__proto__":{"status":"done"}}', "invalid"],
  ])("%j says %s", (answer, status) => {
    expect(judgeAnswer(answer, { kind: "json" }).status).toBe(status);
  });

  it("gives what it says of the work", () => {
    expect(judgeAnswer('{"status":"continue","summary":"half","next":"the rest"}', { kind: "json" })).toEqual({ status: "continue", summary: "half", next: "the rest", check: null });
    expect(judgeAnswer('{"status":"continue","summary":" ","next":null}', { kind: "json" })).toMatchObject({ summary: null, next: null });
  });
});

/** As JSON gives it back: `-0` is 0 there. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const jsonObject = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 4 }));
/** Prose with all that could lead a reader of JSON astray, but without a whole object. */
const noise = fc.array(fc.constantFrom("{", "[", "]", '"', "\\", ":", ",", "text", " ", "\n", "'", '{"a', '{"a":', "{ ", "1", "{x}"), { maxLength: 12 }).map((parts) => parts.join(""));

describe("the last object of a text", () => {
  it("is found whatever stands before it", () => {
    fc.assert(
      fc.property(noise, jsonObject, (before, object) => {
        // A line break ends any string that the noise began: none reaches into the object.
        const found = findLastObject(`${before}\n.${JSON.stringify(object)}`);
        expect(found === null ? null : asJson(found)).toEqual(asJson(object));
      }),
    );
  });

  it("is found whatever prose stands after it", () => {
    const prose = fc.string({ unit: "binary" }).map((text) => text.replaceAll("{", "("));
    fc.assert(
      fc.property(jsonObject, jsonObject, prose, (first, last, after) => {
        expect(asJson(findLastObject(`${JSON.stringify(first, null, 2)} ${JSON.stringify(last)}${after}`))).toEqual(asJson(last));
      }),
    );
  });

  it("agrees with JSON.parse on what an object is", () => {
    fc.assert(
      fc.property(jsonObject, fc.nat(), fc.constantFrom("", '"', "{", "}", ",", "\\", "0", "\u0001"), (object, at, insert) => {
        const text = JSON.stringify(object);
        const place = 1 + (at % text.length);
        const mutated = `${text.slice(0, place)}${insert}${text.slice(place + (insert === "" ? 1 : 0))}`;
        if (isObject(mutated)) expect(asJson(findLastObject(mutated))).toEqual(asJson(JSON.parse(mutated)));
      }),
    );
  });

  it.each([
    ["deeply nested and never closed", '{"a":'.repeat(200_000)],
    ["deeply nested and broken at its heart", `${'{"a":'.repeat(100_000)}x${"}".repeat(100_000)}`],
    ["deeply nested arrays in objects", '{"a":[[[[['.repeat(50_000)],
    ["strings that hold beginnings", '{":'.repeat(200_000)],
    ["many beginnings", '{"'.repeat(200_000)],
    ["backslashes", `{"${"\\".repeat(300_001)}`],
    ["one long string", `{"a":"${"x{".repeat(300_000)}"`],
  ])("takes no long time to be missed in %s", (_name, text) => {
    const startedAt = performance.now();
    findLastObject(text);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("is found at a depth at which a recursive reader would overflow", () => {
    const deep = `{"status":"done","deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(findLastObject(deep)).toMatchObject({ status: "done" });
  });
});

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
