import { describe, expect, it } from "vitest";
import { layOutInput } from "../../../../src/chat/ui/input-layout.js";

describe("layOutInput", () => {
  it.each<[string, string, number, { rows: readonly string[]; cursorRow: number; cursorColumn: number }]>([
    ["an empty text", "", 0, { rows: [""], cursorRow: 0, cursorColumn: 0 }],
    ["the end of a line", "abc", 3, { rows: ["abc"], cursorRow: 0, cursorColumn: 3 }],
    ["the middle of a second line", "ab\ncde", 4, { rows: ["ab", "cde"], cursorRow: 1, cursorColumn: 1 }],
    ["a line that goes on below", "abcdefgh", 7, { rows: ["abcdef", "gh"], cursorRow: 1, cursorColumn: 1 }],
    ["a full line, whose cursor needs a cell", "abcdef", 6, { rows: ["abcdef", ""], cursorRow: 1, cursorColumn: 0 }],
    ["wide characters, never cut", "漢字漢字", 4, { rows: ["漢字漢", "字"], cursorRow: 1, cursorColumn: 2 }],
    ["a family, one character", "x👨‍👩‍👧y", 9, { rows: ["x👨‍👩‍👧y"], cursorRow: 0, cursorColumn: 3 }],
  ])("places the cursor in %s", (_what, text, cursor, expected) => {
    expect(layOutInput(text, cursor, 6, 8)).toEqual(expected);
  });

  it("shows the rows around the cursor of a tall text", () => {
    const text = Array.from({ length: 20 }, (_row, index) => `row ${String(index)}`).join("\n");
    expect(layOutInput(text, 0, 20, 3).rows).toEqual(["row 0", "row 1", "row 2"]);
    expect(layOutInput(text, text.length, 20, 3)).toEqual({ rows: ["row 17", "row 18", "row 19"], cursorRow: 2, cursorColumn: 6 });
    const middle = layOutInput(text, text.indexOf("row 9"), 20, 3);
    expect(middle.rows[middle.cursorRow]).toBe("row 9");
  });
});
