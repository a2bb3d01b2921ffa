import { describe, expect, it } from "vitest";
import { toMarkdownLines } from "../../../../src/chat/ui/markdown-lines.js";
import { measureWidth, stripStyles } from "../../../../src/chat/ui/text-width.js";

const TABLE = "| name | value | remark |\n| --- | --- | --- |\n| alpha | 12345 | a long remark that has to be broken somewhere |\n| beta | 2 | short |";

describe("toMarkdownLines", () => {
  it.each<[string, string, number, readonly string[]]>([
    ["words between two lines", "one two three", 7, ["one two", "three"]],
    ["a heading without its marks", "## A title", 40, ["A title"]],
    ["an item below its mark", "- one item that is long\n  - nested words", 14, ["• one item", "  that is long", "  • nested", "    words"]],
    ["numbers of a list", "3. three\n4. four", 40, ["3. three", "4. four"]],
    ["boxes of tasks", "- [x] done\n- [ ] open", 40, ["• [x] done", "• [ ] open"]],
    ["code, whose blanks stay", "```ts\nif (x) {\n    y();\n}\n```", 40, ["```ts", "if (x) {", "    y();", "}", "```"]],
    ["code that is too wide, anywhere", "```\nabcdefghij klm\n```", 8, ["```", "abcdefgh", "ij klm", "```"]],
    ["a quotation with its mark", "> said someone else", 12, ["│ said", "│ someone", "│ else"]],
    ["a rule", "---", 40, ["─".repeat(20)]],
    ["paragraphs with an empty line between", "one\n\ntwo", 40, ["one", "", "two"]],
    ["a table that fits", "| a | bb |\n| --- | --- |\n| 1 | 2 |", 40, ["a  bb", "─  ──", "1  2"]],
    ["wide characters by their columns", "漢字漢字", 5, ["漢字", "漢字"]],
  ])("breaks %s", (_what, text, columns, lines) => {
    expect(toMarkdownLines(text, { columns, color: false })).toEqual(lines);
  });

  it("breaks the cells of a table that is too wide, the widest column first", () => {
    expect(toMarkdownLines(TABLE, { columns: 40, color: false })).toEqual([
      "name   value  remark",
      "─────  ─────  ──────────────────────────",
      "alpha  12345  a long remark that has to",
      "              be broken somewhere",
      "beta   2      short",
    ]);
  });

  it("gives one cell below the other where columns would be too narrow", () => {
    const lines = toMarkdownLines(TABLE, { columns: 15, color: false });
    expect(lines.slice(0, 2)).toEqual(["name: alpha", "value: 12345"]);
    expect(lines.slice(-3)).toEqual(["name: beta", "value: 2", "remark: short"]);
  });

  it.each([20, 40, 100])("never goes over %d columns, with and without colour, and loses no word", (columns) => {
    const text = ["# A heading of several words that is long", "**bold** and `code` and [a link](https://example.org/a/rather/long/path/that/nobody/breaks)", TABLE, "```\n".concat("x".repeat(130), "\n```"), "1. item\n   - nested\n     > quoted in a list, with more words than fit\n2. two"].join("\n\n");
    const plain = toMarkdownLines(text, { columns, color: false });
    const colored = toMarkdownLines(text, { columns, color: true });
    for (const line of [...plain, ...colored]) expect(measureWidth(stripStyles(line))).toBeLessThanOrEqual(columns);
    expect(plain.join("")).not.toContain("\u001B");
    expect(colored.join("")).toContain("\u001B[1m");
    const words = plain.join("").replaceAll(/[\s│─]/gu, "");
    for (const word of ["heading", "nobody", "somewhere", "quoted"]) expect(words).toContain(word);
  });
});
