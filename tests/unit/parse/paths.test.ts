import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonRecord, textAt, valueAt, valuesAt } from "../../../src/parse/paths.js";

const RECORD: unknown = JSON.parse(`{
  "a": { "b": { "c": 1 }, "n": null, "f": false },
  "list": [{ "t": "x" }, { "t": "y", "in": [1, 2] }, "z", null],
  "__proto__": { "own": true }
}`);

describe("the value at a path", () => {
  it.each<readonly [readonly string[], unknown]>([
    [["a", "b", "c"], 1],
    [["a", "b"], { c: 1 }],
    [["a", "n"], null],
    [["a", "f"], false],
    [["a", "x"], undefined],
    [["a", "n", "x"], undefined],
    [["a", "b", "c", "d"], undefined],
    [["list", "0"], undefined],
    [["list", "length"], undefined],
    [["constructor", "name"], undefined],
    [["a", "hasOwnProperty"], undefined],
    [["__proto__", "own"], true],
    [["__proto__", "toString"], undefined],
    [["list", "*", "t"], "x"],
    [["list", "*", "in", "*"], 1],
    [["list", "*", "nothing"], undefined],
    [["list", "*", "length"], undefined],
  ])("at %j is %j", (path, value) => {
    expect(valueAt(RECORD, path)).toEqual(value);
  });

  it.each<readonly [readonly string[], readonly unknown[]]>([
    [["list", "*", "t"], ["x", "y"]],
    [["list", "*", "in", "*"], [1, 2]],
    [["list", "*"], [{ t: "x" }, { t: "y", in: [1, 2] }, "z", null]],
    [["a", "*", "c"], [1]],
    [["a", "b", "c", "*"], []],
    [["x", "*"], []],
  ])("are all the values at %j", (path, values) => {
    expect(valuesAt(RECORD, path)).toEqual(values);
  });

  it.each<readonly [readonly string[], string | undefined]>([
    [["list", "*", "t"], "xy"],
    [["a", "b", "c"], undefined],
    [["a", "n"], undefined],
    [["list", "*"], "z"],
    [["list", "*", "in"], undefined],
  ])("at %j is the text %j", (path, text) => {
    expect(textAt(RECORD, path)).toBe(text);
  });

  it("is searched for without a throw, whatever stands there", () => {
    fc.assert(fc.property(fc.anything(), fc.array(fc.oneof(fc.constant("*"), fc.string())), (root, path) => {
      expect(valueAt(root, path)).toEqual(path.includes("*") ? valuesAt(root, path)[0] : valueAt(root, path));
      textAt(root, path);
    }));
  });

  it("is searched for in a long list without a deep stack", () => {
    const list = Array.from({ length: 300_000 }, (_, index) => ({ index }));
    expect(valuesAt({ list }, ["list", "*", "index"])).toHaveLength(300_000);
  });

  it.each([[{}, true], [{ a: 1 }, true], [[], false], [null, false], ["x", false], [1, false], [undefined, false]])("%j is a record: %s", (value, is) => {
    expect(isJsonRecord(value)).toBe(is);
  });
});
