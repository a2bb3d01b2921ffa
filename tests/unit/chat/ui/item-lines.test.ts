import { describe, expect, it } from "vitest";
import type { ChatItem, ToolItem } from "../../../../src/chat/types.js";
import { toItemLines, type Look } from "../../../../src/chat/ui/item-lines.js";
import { measureWidth, stripStyles } from "../../../../src/chat/ui/text-width.js";

const LOOK: Look = { columns: 40, color: false, opened: false };
const TOOL: ToolItem = {
  id: 1,
  type: "tool",
  done: true,
  toolCallId: "t",
  title: "Run npm test with a title that is much too long for one line",
  kind: "execute",
  status: "failed",
  rawInput: { command: "npm test" },
  output: "first\n\tsecond",
};
const END: ChatItem = { id: 1, type: "end", done: true, status: "success", problem: null, durationMs: 12_345, totalTokens: 12_345, cost: { amount: 0.5, currency: "USD" } };

const ITEMS: readonly (readonly [string, ChatItem, Partial<Look>, readonly string[]])[] = [
  ["what was typed, with a mark", { id: 1, type: "user", done: true, text: "one\ntwo" }, {}, ["> one", "  two"]],
  ["a thought, folded", { id: 1, type: "thought", done: true, text: "Let me see\nwhat there is, and then go on with it" }, {}, ["~ Let me see what there is, and then go…"]],
  ["a thought, opened", { id: 1, type: "thought", done: true, text: "Let me see\nwhat there is" }, { opened: true }, ["~ Let me see", "  what there is"]],
  ["a tool call on one line", TOOL, {}, ["$ Run npm test with a title tha…  failed"]],
  ["a tool call, opened", TOOL, { opened: true }, ["$ Run npm test with a title tha…  failed", "  in  {", '        "command": "npm test"', "      }", "  out first", "          second"]],
  [
    "a plan as a list of boxes",
    { id: 1, type: "plan", done: true, entries: [{ content: "look", priority: "high", status: "completed" }, { content: "work", priority: "low", status: "in_progress" }, { content: "rest", priority: "low", status: "pending" }] },
    {},
    ["Plan", "[x] look", "[~] work", "[ ] rest"],
  ],
  ["a notice", { id: 1, type: "notice", done: true, level: "info", text: "All is well." }, {}, ["All is well."]],
  ["a mistake, which says so without colour too", { id: 1, type: "notice", done: true, level: "error", text: "no such model\ntry /model" }, {}, ["Error: no such model", "try /model"]],
  ["a good end", END, {}, ["12 s, 12.3k tokens, 0.5000 USD"]],
  ["a bad end with what is known", { ...END, status: "unavailable", problem: "the service is overloaded", totalTokens: null, cost: null }, {}, ["Failed (unavailable): the service is", "overloaded", "12 s"]],
  ["a cancelled turn", { ...END, status: "interrupted", problem: "was cancelled", totalTokens: null, cost: null }, {}, ["Cancelled", "12 s"]],
];

describe("toItemLines", () => {
  it.each(ITEMS)("shows %s", (_what, item, look, lines) => {
    expect(toItemLines(item, { ...LOOK, ...look })).toEqual(lines);
  });

  it.each(ITEMS)("uses colour only where it is wanted, and then changes no word: %s", (_what, item, look) => {
    const plain = toItemLines(item, { ...LOOK, ...look });
    const colored = toItemLines(item, { ...LOOK, ...look, color: true });
    expect(plain.join("\n")).not.toContain("\u001B");
    expect(colored.map(stripStyles)).toEqual(plain);
    for (const line of plain) expect(measureWidth(line)).toBeLessThanOrEqual(40);
  });

  it("shows the beginning of a long paste and how much there is", () => {
    const text = Array.from({ length: 10_000 }, (_line, index) => `line ${String(index + 1)}`).join("\n");
    const lines = toItemLines({ id: 1, type: "user", done: true, text }, LOOK);
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe("  … 9988 more lines");
  });

  it("lets no control sequence of a tool's input through", () => {
    const lines = toItemLines({ ...TOOL, rawInput: "\u001B[2Jgone\u0007" }, { ...LOOK, opened: true });
    expect(lines.join("\n")).not.toMatch(/[\u001B\u0007]/);
  });

  it("bounds what an opened tool call shows", () => {
    const lines = toItemLines({ ...TOOL, output: "x\n".repeat(5000) }, { ...LOOK, opened: true });
    expect(lines.length).toBeLessThan(40);
    expect(lines.at(-1)).toContain("more lines");
  });
});
