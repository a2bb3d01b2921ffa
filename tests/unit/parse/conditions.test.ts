import { describe, expect, it } from "vitest";
import type { Condition } from "../../../src/adapters/traits.js";
import { compileCondition, compileOptional } from "../../../src/parse/conditions.js";

const RECORD = { type: "result", n: 500, yes: true, none: null, text: "Unexpected Status 401 é", list: [{ kind: "a" }, { kind: "b", n: 2 }], deep: { x: "y" }, digits: "1" };

describe("a condition over a record", () => {
  it.each<readonly [string, Condition, boolean]>([
    ["a value is equal", { path: ["type"], equals: "result" }, true],
    ["a value is another", { path: ["type"], equals: "results" }, false],
    ["a number is no string", { path: ["n"], equals: "500" }, false],
    ["a string is no number", { path: ["digits"], equals: 1 }, false],
    ["a boolean is no string", { path: ["yes"], equals: "true" }, false],
    ["a boolean is equal", { path: ["yes"], equals: true }, true],
    ["null is equal to null", { path: ["none"], equals: null }, true],
    ["what is missing is not null", { path: ["missing"], equals: null }, false],
    ["one of several", { path: ["n"], oneOf: [401, 500] }, true],
    ["none of several", { path: ["n"], oneOf: ["500", 403] }, false],
    ["a beginning", { path: ["type"], startsWith: "res" }, true],
    ["a beginning of what is no string", { path: ["n"], startsWith: "5" }, false],
    ["a pattern in any case", { path: ["text"], matches: "status 40[13]\\b" }, true],
    ["a pattern that reads Unicode", { path: ["text"], matches: "\\p{L}$" }, true],
    ["a pattern over what is no string", { path: ["n"], matches: "5" }, false],
    ["at least", { path: ["n"], atLeast: 500 }, true],
    ["less than at least", { path: ["n"], atLeast: 501 }, false],
    ["at least over what is no number", { path: ["digits"], atLeast: 0 }, false],
    ["something exists", { path: ["yes"], exists: true }, true],
    ["null does not exist", { path: ["none"], exists: true }, false],
    ["null is absent", { path: ["none"], exists: false }, true],
    ["nothing is absent", { path: ["missing", "too"], exists: false }, true],
    ["two tests of one path", { path: ["n"], atLeast: 400, oneOf: [404] }, false],
    ["any element of a list", { path: ["list", "*", "kind"], equals: "b" }, true],
    ["no element of a list", { path: ["list", "*", "kind"], equals: "c" }, false],
    ["all of two", { all: [{ path: ["yes"], equals: true }, { path: ["n"], atLeast: 1 }] }, true],
    ["all but one", { all: [{ path: ["yes"], equals: true }, { path: ["n"], atLeast: 1000 }] }, false],
    ["any of two", { any: [{ path: ["yes"], equals: false }, { path: ["n"], atLeast: 1 }] }, true],
    ["not", { not: { path: ["type"], startsWith: "error" } }, true],
    ["not any", { not: { any: [{ path: ["type"], exists: true }] } }, false],
    ["nothing of the prototype", { path: ["constructor"], exists: true }, false],
  ])("passes or not: %s", (_name, condition, passes) => {
    expect(compileCondition(condition)(RECORD)).toBe(passes);
  });

  it.each([null, undefined, 5, "text", []])("passes nothing that is no record: %j", (value) => {
    expect(compileCondition({ path: ["type"], exists: true })(value)).toBe(false);
  });

  it("gives the same answer each time, although a pattern was used before", () => {
    const test = compileCondition({ path: ["text"], matches: "status" });
    expect([test(RECORD), test(RECORD), test(RECORD)]).toEqual([true, true, true]);
  });

  it("passes everything where there is none", () => {
    expect(compileOptional(undefined)({})).toBe(true);
  });
});
