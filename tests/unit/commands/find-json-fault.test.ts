import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "../../../src/commands/find-json-fault.js";

describe("findJsonFault", () => {
  it.each([
    ["", 1, 1, "expected a value, got the end"],
    ["abc", 1, 1, 'expected a value, got "a"'],
    ['{"a": 1,}', 1, 9, `expected a name in double quotes, got "}"`],
    ["{'a': 1}", 1, 2, `expected a name in double quotes or '}', got "'"`],
    ['{"a" 1}', 1, 6, `expected ':', got "1"`],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ',' or '}', got a string that is cut, or not escaped as it has to be"],
    ["[1, 2", 1, 6, "expected ',' or ']', got the end"],
    ["[1, 2,\r\n]", 2, 1, `expected a value, got "]"`],
    ["[01]", 1, 3, `expected ',' or ']', got "1"`],
    ['{"a": {"b": [}}', 1, 14, `expected a value or ']', got "}"`],
    ["{} x", 1, 4, `expected the end, got "x"`],
    ['["\u{1f600}", tru]', 1, 7, `expected a value, got "t"`],
    ['["tab\there"]', 1, 2, "expected a value or ']', got a string that is cut, or not escaped as it has to be"],
    ["\uFEFF{}", 1, 1, "expected a value, got a byte order mark"],
    ["{ // comment\n}", 1, 3, `expected a name in double quotes or '}', got "/"`],
  ])("finds the fault of %j in line %i, column %i", (text, line, column, reason) => {
    expect(findJsonFault(text)).toEqual({ line, column, reason });
  });

  it("agrees with JSON.parse about any text that is nearly JSON", () => {
    const nearly = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "\\", "1", ".", "e", "-", "null", " ", "\n", "\u0001"));
    fc.assert(
      fc.property(nearly, ([json, at, insert]) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + insert + json.slice(place + (at % 2));
        expect(findJsonFault(text) === null).toBe(isJson(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads a deep nesting and a long string without running out of stack", () => {
    const depth = 100_000;
    expect(findJsonFault("[".repeat(depth) + "]".repeat(depth))).toBeNull();
    expect(findJsonFault(`["${"é\\n".repeat(500_000)}"`)).toMatchObject({ line: 1, reason: "expected ',' or ']', got the end" });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
