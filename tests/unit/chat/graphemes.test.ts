import fc from "fast-check";
import { expect, it } from "vitest";
import { listGraphemes } from "../../../src/chat/graphemes.js";

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

it("gives the same characters as one look at the whole text, wherever its pieces end", () => {
  const piece = fc.oneof(fc.constantFrom("a", "🇩🇪", "👨‍👩‍👧", "e\u0301", "\r\n", "각", "👍🏽", "\u200D", "\u0301"), fc.string({ unit: "binary", maxLength: 3 }));
  const text = fc.tuple(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 60 })).map(([pieces, times]) => pieces.join("").repeat(times));
  fc.assert(fc.property(text, (whole) => {
    expect([...listGraphemes(whole)]).toEqual(Array.from(SEGMENTER.segment(whole), ({ segment }) => segment));
  }), { numRuns: 200 });
});

it("takes one character that is longer than a piece for one", () => {
  const long = `a${"\u0301".repeat(5000)}`;
  expect([...listGraphemes(`x${long}y`)]).toEqual(["x", long, "y"]);
});
