import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { styleText } from "../../../../src/render/style.js";
import { fitText, measureWidth, stripStyles, wrapCode, wrapText } from "../../../../src/chat/ui/text-width.js";

describe("wrapText", () => {
  it.each<[string, string, number, readonly string[]]>([
    ["between words", "one two three", 8, ["one two", "three"]],
    ["nothing that fits", "one two", 7, ["one two"]],
    ["within a word that alone is too long", "a abcdefghij b", 4, ["a", "abcd", "efgh", "ij b"]],
    ["and keeps the blanks at the beginning", "  in  side out", 8, ["  in", "side out"]],
    ["and keeps lines", "a\n\nb", 4, ["a", "", "b"]],
    ["wide characters", "漢字 漢字", 5, ["漢字", "漢字"]],
  ])("breaks %s", (_what, text, columns, lines) => {
    expect(wrapText(text, columns)).toEqual(lines);
  });

  it("takes a style off at the end of a row and puts it on again in the next", () => {
    const red = styleText("red", `two ${styleText("bold", "three four")} five`);
    const rows = wrapText(`one ${red} six`, 9);
    expect(rows.map(stripStyles)).toEqual(["one two", "three", "four five", "six"]);
    expect(rows[1]).toBe("\u001B[31m\u001B[1mthree\u001B[22m\u001B[39m");
    expect(rows[3]).toBe("six");
  });

  it("never goes over the columns and loses no word", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 12 }).map((word) => word.replaceAll(/[\s\p{C}]/gu, "")), { maxLength: 30 }), fc.integer({ min: 4, max: 30 }), (words, columns) => {
        const rows = wrapText(words.join(" "), columns);
        for (const row of rows) expect(measureWidth(row)).toBeLessThanOrEqual(columns);
        expect(rows.join("").replaceAll(" ", "")).toBe(words.join(""));
      }),
    );
  });
});

describe("a text without a blank", () => {
  it.each([["x", 300_000], ["漢", 100_000]])("of very many %s is broken in a moment", (character, count) => {
    const startedAt = performance.now();
    const rows = wrapText(character.repeat(count), 60);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(rows).toHaveLength(Math.ceil((count * measureWidth(character)) / 60));
    expect(rows.join("")).toBe(character.repeat(count));
  });
});

describe("wrapCode", () => {
  it("breaks anywhere and loses no blank", () => {
    expect(wrapCode("    ab  cd", 6)).toEqual(["    ab", "  cd"]);
    expect(wrapCode("漢字漢", 5)).toEqual(["漢字", "漢"]);
  });
});

describe("fitText", () => {
  it.each<[string, number, string]>([
    ["short", 10, "short"],
    ["two\nlines", 10, "two lines"],
    ["much too long", 8, "much to…"],
    ["漢字漢字", 5, "漢字…"],
    ["anything", 1, "…"],
    ["anything", 0, ""],
  ])("gives %j in %d columns as %j", (text, columns, fitted) => {
    expect(fitText(text, columns)).toBe(fitted);
  });
});
