import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findUnstreamedText } from "../../../src/events/find-unstreamed-text.js";

describe("what of a final text was not streamed", () => {
  it.each([
    { name: "all of it was", streamed: "hello", text: "hello", missing: "" },
    { name: "it is the end of what was", streamed: "I look.\nIt works.", text: "It works.", missing: "" },
    { name: "a line end at the end does not count", streamed: "hello\n", text: "hello", missing: "" },
    { name: "nothing was", streamed: "", text: "hello", missing: "hello" },
    { name: "its end was lost", streamed: "The answer is", text: "The answer is 42.", missing: " 42." },
    { name: "something else was", streamed: "I look at the file.", text: "It works.", missing: "It works." },
    { name: "the beginning of it stands after something else", streamed: "I look. It wo", text: "It works.", missing: "rks." },
    { name: "it is empty", streamed: "hello", text: "", missing: "" },
    { name: "half a pair of surrogates is no common part", streamed: "\ud83d", text: "\ud83d\ude00 yes", missing: "\ud83d\ude00 yes" },
  ])("$name", ({ streamed, text, missing }) => {
    expect(findUnstreamedText(streamed, text)).toBe(missing);
  });

  it("makes what was streamed end with the final text, whatever both are", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n") }), fc.string({ unit: fc.constantFrom("a", "b", " ", "\n") }), (streamed, text) => {
        expect((streamed + findUnstreamedText(streamed, text)).trimEnd().endsWith(text.trimEnd())).toBe(true);
      }),
    );
  });
});
