import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALIKE_FROM, countAlike, measureSimilarity } from "../../../src/runner/answers-alike.js";

const LONG = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");

describe("the similarity of two answers", () => {
  it.each([
    ["same", "same", true],
    ["", "", true],
    ["nothing to do", " nothing\n to  do ", true],
    [LONG, `${LONG} more`, true],
    [LONG, LONG.replace("word7 ", "other "), true],
    ["没有更多的工作要做了，一切都已经完成，测试也通过了，代码没有问题。", "没有更多的工作要做了，一切都已经完成，测试也通过了，代码没有问题！", true],
    ["42 tests fail", "12 tests fail", false],
    ["Fixed a.ts", "Fixed b.ts", false],
    ["", "something", false],
    [LONG, LONG.split(" ").slice(0, 50).join(" "), false],
    ["done", "Done", false],
  ])("of %j and %j is enough: %j", (one, other, alike) => {
    expect(measureSimilarity(one, other) >= ALIKE_FROM).toBe(alike);
  });

  it("is the same both ways, from 0 to 1, and 1 for the same text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
        const similarity = measureSimilarity(one, other);
        expect(similarity).toBe(measureSimilarity(other, one));
        expect(similarity >= 0 && similarity <= 1).toBe(true);
        expect(measureSimilarity(one, one)).toBe(1);
      }),
    );
  });
});

describe("a row of answers that are alike", () => {
  it.each([
    [[], 0],
    [["a"], 1],
    [["a", "b"], 1],
    [["a", "a"], 2],
    [["b", "a", "a ", "a"], 3],
    [["a", "a", "b"], 1],
  ])("in %j has the length %i", (answers, count) => {
    expect(countAlike(answers)).toBe(count);
  });
});
