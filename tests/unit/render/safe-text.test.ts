import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSafeText } from "../../../src/render/safe-text.js";

describe("text that is safe to show", () => {
  it.each([
    ["colours", "\u001B[31mred\u001B[0m", "red"],
    ["colours with sub-parameters", "\u001B[38:2::1:2:3mred", "red"],
    ["a bell after a colour", "\u001B[31mb\u0007", "b"],
    ["a bell far behind a colour", "\u001B[1mbold\u001B[0m and more words; 1;2 \u0007end", "bold and more words; 1;2 end"],
    ["the title of a window", "a\u001B]0;title\u0007b", "ab"],
    ["a link", "a \u001B]8;;https://example.com\u001B\\link\u001B]8;;\u001B\\ b", "a link b"],
    ["a string without an end", "\u001B]0;not a title\nnext line", "0;not a title\nnext line"],
    ["a string with an end in another line", "\u001B]0;not a title\nnext\u0007 line", "0;not a title\nnext line"],
    ["a string of a device", "\u001BPq#0\u001B\\x", "x"],
    ["8-bit sequences", "\u009B31mx\u009D0;t\u009Cy", "xy"],
    ["a character set", "\u001B(Bx", "x"],
    ["the cursor", "\u001B7a\u001B[2Jb\u001B[?25lc\u001B8", "abc"],
    ["a lone escape at the end", "x\u001B", "x"],
    ["control characters", "a\u0008b\u0000c\td\r\ne\rf", "abc\td\nef"],
    ["letters of any script", "ünï 漢字 👩‍👩‍👧", "ünï 漢字 👩‍👩‍👧"],
  ])("%s", (_name, text, safe) => {
    expect(toSafeText(text)).toBe(safe);
  });

  it("has no control character whatever it is made of, and text without any is as it was", () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom("\u001B", "\u001B[", "\u001B]", "\u0007", "\u009B", "\u009D", "\u009C", "\u001BP", "m", ";", "1", "\n"));
    fc.assert(fc.property(fc.array(piece), (pieces) => !/[^\P{Cc}\t\n]/u.test(toSafeText(pieces.join("")))));
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => /[^\P{Cc}\t\n]/u.test(text) || toSafeText(text) === text));
  });

  it("takes a moment for a megabyte of beginnings", () => {
    const from = performance.now();
    for (const begin of ["\u001B]", "\u001B[", "\u009D", "\u001BP;", "\u001B[0;"]) toSafeText(begin.repeat(250_000));
    expect(performance.now() - from).toBeLessThan(10_000);
  });
});
