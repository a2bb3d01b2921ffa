import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit, createEditorState, toSubmittedText } from "../../../src/chat/editor.js";
import type { EditorAction, EditorMove, EditorState } from "../../../src/chat/types.js";

const FAMILY = "👨‍👩‍👧";
const LONG = Array.from({ length: 10_000 }, (_line, index) => `line ${String(index)}`).join("\n");

/** A text with the cursor at `|`. */
function at(marked: string): EditorState {
  const cursor = marked.indexOf("|");
  return { ...createEditorState(marked.replace("|", "")), cursor };
}

function show({ text, cursor }: EditorState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe("moves and deletions", () => {
  it.each<{ move: EditorMove; from: string; to: string }>([
    { move: "left", from: `a${FAMILY}|b`, to: `a|${FAMILY}b` },
    { move: "right", from: `a|${FAMILY}b`, to: `a${FAMILY}|b` },
    { move: "right", from: "a|\nb", to: "a\n|b" },
    { move: "left", from: "a\n|b", to: "a|\nb" },
    { move: "left", from: "|a", to: "|a" },
    { move: "right", from: "a|", to: "a|" },
    { move: "up", from: "abc\nde|f", to: "ab|c\ndef" },
    { move: "up", from: "a\ndef|", to: "a|\ndef" },
    { move: "up", from: "ab|c\ndef", to: "ab|c\ndef" },
    { move: "down", from: "ab|c\ndef", to: "abc\nde|f" },
    { move: "down", from: `${FAMILY}b|c\ndef`, to: `${FAMILY}bc\nde|f` },
    { move: "down", from: "abc|\n\nx", to: "abc\n|\nx" },
    { move: "down", from: "abc\nd|", to: "abc\nd|" },
    { move: "word-left", from: "one two  |", to: "one |two  " },
    { move: "word-left", from: "one.two|", to: "one.|two" },
    { move: "word-left", from: " |one", to: "| one" },
    { move: "word-right", from: "|one two", to: "one| two" },
    { move: "word-right", from: "one| two", to: "one two|" },
    { move: "word-right", from: "one|  ", to: "one  |" },
    { move: "line-start", from: "a\nbc|d", to: "a\n|bcd" },
    { move: "line-end", from: "a|b\nc", to: "ab|\nc" },
    { move: "backspace", from: `a${FAMILY}|b`, to: "a|b" },
    { move: "backspace", from: "a\n|b", to: "a|b" },
    { move: "delete", from: `a|${FAMILY}b`, to: "a|b" },
    { move: "delete-word", from: "one two|", to: "one |" },
    { move: "delete-to-line-start", from: "a\nbc|d", to: "a\n|d" },
    { move: "delete-to-line-end", from: "a|bc\nd", to: "a|\nd" },
    { move: "clear", from: "ab|c", to: "|" },
  ])("$move: $from becomes $to", ({ move, from, to }) => {
    expect(show(applyEdit(at(from), { type: move }))).toBe(to);
  });

  it("gives the same state where nothing changes", () => {
    const state = at("|one line");
    for (const type of ["left", "up", "down", "line-start", "backspace", "delete-word", "delete-to-line-start"] as const) expect(applyEdit(state, { type })).toBe(state);
  });
});

describe("what comes in", () => {
  it.each([
    { name: "line ends of all systems become line feeds", typed: "a\r\nb\rc\nd", text: "a\nb\nc\nd" },
    { name: "escape sequences and control characters are dropped, tabs stay", typed: "a\u001b[31mb\u0007\u0000\tc\u009b", text: "ab\tc" },
  ])("$name", ({ typed, text }) => {
    expect(applyEdit(createEditorState(), { type: "insert", text: typed }).text).toBe(text);
    expect(applyEdit(createEditorState(), { type: "paste", text: typed }).text).toBe(text);
    expect(createEditorState(typed).text).toBe(text);
  });

  it("replaces a range, and puts the cursor behind it", () => {
    expect(show(applyEdit(at("say /he|"), { type: "replace", from: 4, to: 7, text: "/help " }))).toBe("say /help |");
    expect(show(applyEdit(at("abc|"), { type: "replace", from: 99, to: -5, text: "x" }))).toBe("x|");
  });
});

describe("long pastes", () => {
  it("stand in the text as a placeholder and are sent as they are", () => {
    const state = applyEdit(at("look at | please"), { type: "paste", text: LONG });
    expect(show(state)).toBe("look at [pasted 10,000 lines]| please");
    expect(toSubmittedText(state)).toBe(`look at ${LONG} please`);
  });

  it.each([
    { name: "10 lines stand as they are", text: `${"x\n".repeat(10)}`, shown: `${"x\n".repeat(10)}` },
    { name: "11 lines do not", text: "x\n".repeat(11), shown: "[pasted 11 lines]" },
    { name: "1,000 characters do", text: "x".repeat(1000), shown: "x".repeat(1000) },
    { name: "1,001 do not", text: "x".repeat(1001), shown: "[pasted 1,001 characters]" },
  ])("$name", ({ text, shown }) => {
    expect(applyEdit(createEditorState(), { type: "paste", text }).text).toBe(shown);
  });

  it("are numbered where several look alike", () => {
    const [one, other] = ["a\n", "b\n"].map((line) => line.repeat(20));
    const state = [one, other].reduce((before, text) => applyEdit(before, { type: "paste", text: text ?? "" }), createEditorState());
    expect(state.text).toBe("[pasted 20 lines][pasted 20 lines #2]");
    expect(toSubmittedText(state)).toBe(`${one ?? ""}${other ?? ""}`);
  });

  it("move and go as one character", () => {
    const state = applyEdit(createEditorState("ab"), { type: "paste", text: LONG });
    const left = applyEdit(state, { type: "left" });
    expect(show(left)).toBe("ab|[pasted 10,000 lines]");
    expect(applyEdit(left, { type: "right" }).cursor).toBe(state.cursor);
    expect(applyEdit(state, { type: "word-left" }).cursor).toBe(2);
    const deleted = applyEdit(state, { type: "backspace" });
    expect(deleted).toMatchObject({ text: "ab", cursor: 2 });
    expect(deleted.pastes.size).toBe(0);
  });

  it("are not taken for text that only looks like a placeholder", () => {
    const state = applyEdit(applyEdit(createEditorState(), { type: "paste", text: LONG }), { type: "insert", text: " [pasted 10,000 lines]" });
    expect(toSubmittedText(state)).toBe(`${LONG} [pasted 10,000 lines]`);
  });
});

// --- properties ---

const TEXTS = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("e", "\u0301", "\ud83d", "\ude00", FAMILY, "🇩", "🇪", "\n", "\r\n", "[pasted 11 lines]", "[pasted", " 11 lines]", "x\n".repeat(11), "y\n".repeat(11), "z".repeat(1001)),
);
const MOVES = ["left", "right", "up", "down", "word-left", "word-right", "line-start", "line-end", "backspace", "delete", "delete-word", "delete-to-line-start", "delete-to-line-end", "clear"] as const;
const ACTIONS: fc.Arbitrary<EditorAction> = fc.oneof(
  fc.record({ type: fc.constantFrom("insert" as const, "paste" as const), text: TEXTS }),
  fc.record({ type: fc.constant("replace" as const), from: fc.integer({ min: -2, max: 60 }), to: fc.integer({ min: -2, max: 60 }), text: TEXTS }),
  fc.record({ type: fc.constant("set" as const), text: TEXTS }),
  fc.record({ type: fc.constantFrom(...MOVES) }),
);

/** Where a cursor may stand, found in another way than the editor does: over the whole text at once. */
function listBoundaries({ text, pastes }: EditorState): Set<number> {
  const boundaries = new Set([0]);
  const labels = [...pastes.keys()].map((label) => ({ start: text.indexOf(label), end: text.indexOf(label) + label.length }));
  const cuts = [0, ...labels.flatMap(({ start, end }) => [start, end]), text.length].sort((one, other) => one - other);
  cuts.slice(1).forEach((end, index) => {
    const start = cuts[index] ?? 0;
    boundaries.add(start).add(end);
    if (labels.some((label) => label.start === start && label.end === end)) return;
    for (const { index: offset } of new Intl.Segmenter().segment(text.slice(start, end))) boundaries.add(start + offset);
  });
  return boundaries;
}

describe("whatever is typed, pasted and pressed", () => {
  it("never throws, and keeps the cursor between two characters and each placeholder in one place", () => {
    fc.assert(
      fc.property(fc.array(ACTIONS, { maxLength: 25 }), (actions) => {
        let state = createEditorState();
        for (const action of actions) {
          state = applyEdit(state, action);
          expect(listBoundaries(state)).toContain(state.cursor);
          for (const label of state.pastes.keys()) expect(state.text.split(label)).toHaveLength(2);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("sends what was typed and pasted, in its order", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ type: fc.constantFrom("insert" as const, "paste" as const), text: TEXTS }), { maxLength: 12 }), (actions) => {
        // Text is added at the end, so that a character that is put together from several keeps the cursor there.
        const state = actions.reduce<EditorState>((before, action) => applyEdit({ ...before, cursor: before.text.length }, action), createEditorState());
        const clean = (text: string): string => createEditorState(text).text;
        expect(toSubmittedText(state)).toBe(actions.map(({ text }) => clean(text)).join(""));
      }),
      { numRuns: 500 },
    );
  });
});
