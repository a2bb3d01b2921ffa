import { toSafeText } from "../render/safe-text.js";
import { listGraphemes } from "./graphemes.js";
import type { EditorAction, EditorMove, EditorState } from "./types.js";

/** An editor with a text in it, the cursor at its end. */
export function createEditorState(text = ""): EditorState {
  const clean = toTyped(text);
  return { text: clean, cursor: clean.length, pastes: NO_PASTES };
}

/**
 * What an editor becomes by an action. Pure, never throws. Text that comes in loses its control characters, and its line
 * ends become line feeds. Where nothing changes the same state is given, so that a view can tell.
 */
export function applyEdit(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "insert":
      return splice(state, { from: state.cursor, to: state.cursor, text: toTyped(action.text) });
    case "paste":
      return paste(state, toTyped(action.text));
    case "replace":
      return splice(state, { ...toRange(state, action.from, action.to), text: toTyped(action.text) });
    case "set":
      return createEditorState(action.text);
    default:
      return MOVES[action.type](state);
  }
}

/** The text with what was pasted in the place of its placeholders: what is sent. */
export function toSubmittedText({ text, pastes }: EditorState): string {
  return splitText(text, pastes).map(({ text: part, paste }) => paste ?? part).join("");
}

const NO_PASTES: ReadonlyMap<string, string> = new Map();

const MOVES: Readonly<Record<EditorMove, (state: EditorState) => EditorState>> = {
  left: (state) => moveTo(state, findBefore(state)),
  right: (state) => moveTo(state, findAfter(state)),
  up: (state) => moveByLine(state, -1),
  down: (state) => moveByLine(state, 1),
  "word-left": (state) => moveTo(state, findWordLeft(state)),
  "word-right": (state) => moveTo(state, findWordRight(state)),
  "line-start": (state) => moveTo(state, startOfLine(state.text, state.cursor)),
  "line-end": (state) => moveTo(state, endOfLine(state.text, state.cursor)),
  backspace: (state) => splice(state, { from: findBefore(state), to: state.cursor, text: "" }),
  delete: (state) => splice(state, { from: state.cursor, to: findAfter(state), text: "" }),
  "delete-word": (state) => splice(state, { from: findWordLeft(state), to: state.cursor, text: "" }),
  "delete-to-line-start": (state) => splice(state, { from: startOfLine(state.text, state.cursor), to: state.cursor, text: "" }),
  "delete-to-line-end": (state) => splice(state, { from: state.cursor, to: endOfLine(state.text, state.cursor), text: "" }),
  clear: (state) => (state.text === "" ? state : createEditorState()),
};

/** A lone carriage return is a line end too: terminals send it within a paste. Colours come along from a recording. */
function toTyped(text: string): string {
  return toSafeText(text.replaceAll(/\r\n?/g, "\n"));
}

function moveTo(state: EditorState, cursor: number): EditorState {
  return cursor === state.cursor ? state : { ...state, cursor };
}

// --- pastes ---

/** A paste of more than this stands in the text as a placeholder. */
const MAX_PASTED_LINES = 10;
const MAX_PASTED_CHARS = 1000;

function paste(state: EditorState, text: string): EditorState {
  const lines = countLines(text);
  const range = { from: state.cursor, to: state.cursor };
  if (lines <= MAX_PASTED_LINES && text.length <= MAX_PASTED_CHARS) return splice(state, { ...range, text });
  const label = findFreeLabel(labelOf(text), state.text);
  return splice(state, { ...range, text: label, paste: text });
}

function countLines(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function labelOf(text: string): string {
  const lines = countLines(text);
  return lines > MAX_PASTED_LINES ? `pasted ${GROUPED.format(lines)} lines` : `pasted ${GROUPED.format(text.length)} characters`;
}

const GROUPED = new Intl.NumberFormat("en-US");

/** `[pasted 12 lines]`, or with a number where that stands in the text already. */
function findFreeLabel(words: string, text: string): string {
  const plain = `[${words}]`;
  if (!text.includes(plain)) return plain;
  for (let number = 2; ; number += 1) {
    const numbered = `[${words} #${String(number)}]`;
    if (!text.includes(numbered)) return numbered;
  }
}

/** A stretch of text, or a placeholder with what it stands for. */
interface Part {
  readonly text: string;
  readonly paste?: string;
}

/** Each placeholder stands in the text exactly once: `splice` sees to it. */
function splitText(text: string, pastes: ReadonlyMap<string, string>): readonly Part[] {
  const places = [...pastes].map(([label, pasted]) => ({ label, pasted, at: text.indexOf(label) })).filter(({ at }) => at !== -1);
  places.sort((one, other) => one.at - other.at);
  const parts: Part[] = [];
  let end = 0;
  for (const { label, pasted, at } of places) {
    parts.push({ text: text.slice(end, at) }, { text: label, paste: pasted });
    end = at + label.length;
  }
  return [...parts, { text: text.slice(end) }];
}

// --- changes ---

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** What the text is a placeholder for. */
  readonly paste?: string;
}

function splice(state: EditorState, { from, to, text, paste: pasted }: Change): EditorState {
  if (from === to && text === "") return state;
  const parts = splitText(state.text, state.pastes);
  const inserted: Part = pasted === undefined ? { text } : { text, paste: pasted };
  const before = cut(parts, 0, from);
  const changed = keepApart([...before, inserted, ...cut(parts, to, state.text.length)], before.length);
  return { text: changed.text, pastes: changed.pastes, cursor: snap(changed, changed.cursor) };
}

/** The parts between two offsets; a placeholder is never cut. */
function cut(parts: readonly Part[], from: number, to: number): readonly Part[] {
  const kept: Part[] = [];
  let start = 0;
  for (const part of parts) {
    const end = start + part.text.length;
    if (part.paste === undefined) kept.push({ text: part.text.slice(Math.max(from - start, 0), Math.max(to - start, 0)) });
    else if (start >= from && end <= to) kept.push(part);
    start = end;
  }
  return kept;
}

/** Someone may type what a placeholder looks like: it then gets another number, so that what was typed stays text. */
function keepApart(parts: readonly Part[], insertedAt: number): EditorState {
  const kept = [...parts];
  for (let index = 0; index < kept.length; index += 1) {
    const part = kept[index];
    if (part?.paste === undefined) continue;
    const text = toText(kept);
    if (text.indexOf(part.text) === text.lastIndexOf(part.text)) continue;
    kept[index] = { text: findFreeLabel(labelOf(part.paste), text), paste: part.paste };
  }
  return {
    text: toText(kept),
    cursor: toText(kept.slice(0, insertedAt + 1)).length,
    pastes: new Map(kept.flatMap(({ text, paste: pasted }): [string, string][] => (pasted === undefined ? [] : [[text, pasted]]))),
  };
}

function toText(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join("");
}

/** A range of whole characters and placeholders that holds the one that is asked for. */
function toRange(state: EditorState, from: number, to: number): { readonly from: number; readonly to: number } {
  const [low, high] = [Math.min(from, to), Math.max(from, to)].map((at) => Math.min(Math.max(Number.isFinite(at) ? Math.floor(at) : 0, 0), state.text.length));
  return { from: snap(state, low ?? 0, "before"), to: snap(state, high ?? 0) };
}

// --- characters as a person sees them ---

/** A character or a placeholder. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isPaste: boolean;
}

/** The units between two offsets, which must be boundaries themselves. */
function listUnits({ text, pastes }: Pick<EditorState, "text" | "pastes">, from: number, to: number): readonly Unit[] {
  const units: Unit[] = [];
  let start = from;
  for (const part of splitText(text.slice(from, to), pastes)) {
    const pieces = part.paste === undefined ? [...listGraphemes(part.text)] : [part.text];
    for (const piece of pieces) {
      units.push({ start, end: start + piece.length, text: piece, isPaste: part.paste !== undefined });
      start += piece.length;
    }
  }
  return units;
}

/** A line is looked at alone: no character goes over a line feed. */
function unitsOfLine(state: Pick<EditorState, "text" | "pastes">, at: number): readonly Unit[] {
  return listUnits(state, startOfLine(state.text, at), endOfLine(state.text, at));
}

/** The nearest boundary at or after an offset, or at or before it. */
function snap(state: Pick<EditorState, "text" | "pastes">, at: number, side: "before" | "after" = "after"): number {
  const around = unitsOfLine(state, at).find(({ start, end }) => start < at && at < end);
  if (around === undefined) return at;
  return side === "after" ? around.end : around.start;
}

function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function findBefore(state: EditorState): number {
  const { text, cursor } = state;
  if (startOfLine(text, cursor) === cursor) return Math.max(cursor - 1, 0);
  return unitsOfLine(state, cursor).find(({ end }) => end === cursor)?.start ?? cursor;
}

function findAfter(state: EditorState): number {
  const { text, cursor } = state;
  if (endOfLine(text, cursor) === cursor) return Math.min(cursor + 1, text.length);
  return unitsOfLine(state, cursor).find(({ start }) => start === cursor)?.end ?? cursor;
}

/** A placeholder is a word of its own. */
function isWord({ text, isPaste }: Unit): boolean {
  return isPaste || /[\p{L}\p{N}_]/u.test(text);
}

function findWordLeft(state: EditorState): number {
  const units = listUnits(state, 0, state.cursor);
  const last = units.findLastIndex(isWord);
  if (last === -1) return 0;
  if (units[last]?.isPaste === true) return units[last].start;
  const before = units.slice(0, last).findLastIndex((unit) => unit.isPaste || !isWord(unit));
  return units[before]?.end ?? 0;
}

function findWordRight(state: EditorState): number {
  const units = listUnits(state, state.cursor, state.text.length);
  const first = units.findIndex(isWord);
  if (first === -1) return state.text.length;
  if (units[first]?.isPaste === true) return units[first].end;
  const after = units.findIndex((unit, index) => index > first && (unit.isPaste || !isWord(unit)));
  return after === -1 ? state.text.length : (units[after]?.start ?? state.text.length);
}

/** To the same column of the line above or below, counted in characters; at the first and the last line nothing moves. */
function moveByLine(state: EditorState, by: 1 | -1): EditorState {
  const { text, cursor } = state;
  const column = unitsOfLine(state, cursor).filter(({ end }) => end <= cursor).length;
  const target = by === -1 ? startOfLine(text, cursor) - 1 : endOfLine(text, cursor) + 1;
  if (target < 0 || target > text.length) return state;
  const units = unitsOfLine(state, target);
  const lineEnd = endOfLine(text, target);
  return moveTo(state, column >= units.length ? lineEnd : (units[column]?.start ?? lineEnd));
}
