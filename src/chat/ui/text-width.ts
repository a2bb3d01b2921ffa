import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { listGraphemes } from "../graphemes.js";

/** How many columns a text takes on a terminal. Styles take none. */
export function measureWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return text.length <= MAX_MEASURED_AT_ONCE ? stringWidth(text) : sumWidths(stripStyles(text));
}

/** Beyond that the time grows with the square of the length. */
const MAX_MEASURED_AT_ONCE = 512;

function sumWidths(text: string): number {
  let sum = 0;
  for (const grapheme of listGraphemes(text)) sum += PRINTABLE_ASCII.test(grapheme) ? grapheme.length : stringWidth(grapheme);
  return sum;
}

const PRINTABLE_ASCII = /^[\u0020-\u007E]*$/;

/** The lines of a text in so many columns: broken between words, within a word only where it alone is too long. Styles go on. */
export function wrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  return text.split("\n").flatMap((line) => (isSurelyWithin(line, width) ? [line] : wrapLine(line, width)));
}

/** The same for code without styles: broken anywhere, no blank is lost. */
export function wrapCode(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  return text.split("\n").flatMap((line) => (isSurelyWithin(line, width) ? [line] : cutPieces(line, width)));
}

function isSurelyWithin(line: string, columns: number): boolean {
  return line.length <= columns && PRINTABLE_ASCII.test(line);
}

const TOKEN = /\u001B\[[0-9;]*m| +|[^ \u001B]+|\u001B/g;

function wrapLine(line: string, columns: number): readonly string[] {
  const rows = new StyledRows();
  let [blanks, word, wordWidth] = ["", "", 0];
  const endWord = (): void => {
    if (wordWidth > 0 && rows.width + blanks.length + wordWidth > columns) {
      if (rows.width > 0) rows.break();
      blanks = "";
    }
    if (wordWidth === 0 && word === "") return;
    // Blanks at the end of a row are of no use; styles without a word wait with them.
    if (wordWidth > 0) {
      rows.add(blanks, blanks.length);
      blanks = "";
    }
    if (wordWidth <= columns) rows.add(word, wordWidth);
    else addLongWord(rows, word, columns);
    [word, wordWidth] = ["", 0];
  };
  for (const [token] of line.matchAll(TOKEN)) {
    if (token.startsWith(" ")) {
      endWord();
      blanks += token;
    } else {
      word += token;
      if (!token.startsWith("\u001B")) wordWidth += measureWidth(token);
    }
  }
  endWord();
  return rows.end();
}

function addLongWord(rows: StyledRows, word: string, columns: number): void {
  for (const [token] of word.matchAll(TOKEN)) {
    if (token.startsWith("\u001B")) rows.add(token, 0);
    else for (const grapheme of listGraphemes(token)) {
      const width = measureWidth(grapheme);
      if (rows.width > 0 && rows.width + width > columns) rows.break();
      rows.add(grapheme, width);
    }
  }
}

/** Rows of text; a style that is on where one ends is taken off there and put on again in the next. */
class StyledRows {
  width = 0;
  #row = "";
  readonly #rows: string[] = [];
  #on: readonly string[] = [];

  add(text: string, width: number): void {
    this.#row += text;
    this.width += width;
    for (const [, code = ""] of text.matchAll(STYLE)) this.#note(code);
  }

  break(): void {
    this.#rows.push(this.#row + [...this.#on].reverse().map((code) => toStyle(offCodeOf(code))).join(""));
    this.#row = this.#on.map(toStyle).join("");
    this.width = 0;
  }

  end(): readonly string[] {
    return [...this.#rows, this.#row];
  }

  #note(code: string): void {
    if (offCodeOf(code) !== "0") this.#on = [...this.#on, code];
    else this.#on = code === "0" || code === "" ? [] : this.#on.filter((on) => offCodeOf(on) !== code);
  }
}

const STYLE = /\u001B\[([0-9;]*)m/g;
const OFF_CODES: readonly (readonly [RegExp, string])[] = [
  [/^[12]$/, "22"],
  [/^[3479]$/, ""],
  [/^(3[0-7]|9[0-7]|38;.*)$/, "39"],
  [/^(4[0-7]|10[0-7]|48;.*)$/, "49"],
];

/** What takes a style off again; `0` for what is no style to put on. */
function offCodeOf(code: string): string {
  const off = OFF_CODES.find(([pattern]) => pattern.test(code))?.[1];
  return off === "" ? `2${code}` : (off ?? "0");
}

function toStyle(code: string): string {
  return `\u001B[${code}m`;
}

function cutPieces(line: string, columns: number): readonly string[] {
  if (PRINTABLE_ASCII.test(line)) return Array.from({ length: Math.ceil(line.length / columns) }, (_piece, index) => line.slice(index * columns, (index + 1) * columns));
  const rows = new StyledRows();
  addLongWord(rows, line, columns);
  return rows.end();
}

/** A text without styles in at most so many columns, with `…` where something is missing. Lines become blanks. */
export function fitText(text: string, columns: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (measureWidth(line) <= columns) return line;
  if (columns <= 1) return columns === 1 ? "…" : "";
  return `${cutText(line, columns - 1).trimEnd()}…`;
}

/** The beginning of one line that takes at most so many columns. */
function cutText(line: string, columns: number): string {
  // Nothing takes less than a tenth of a column on average; what is far behind the end is not looked at.
  let width = 0;
  let kept = "";
  for (const grapheme of listGraphemes(line.slice(0, columns * 16))) {
    width += measureWidth(grapheme);
    if (width > columns) break;
    kept += grapheme;
  }
  return kept;
}

/** Blanks behind a text up to so many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - measureWidth(text)));
}

export function stripStyles(text: string): string {
  return stripVTControlCharacters(text);
}
