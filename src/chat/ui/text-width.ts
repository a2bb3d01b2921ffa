import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** How many columns a text takes on a terminal. Styles take none. */
export function measureWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

const PRINTABLE_ASCII = /^[\u0020-\u007E]*$/;

/** The lines of a text in so many columns: broken between words, within a word only where it alone is too long. Styles go on. */
export function wrapText(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  return text.split("\n").flatMap((line) => (measureWidth(line) <= width ? [line] : wrapAnsi(line, width, { hard: true }).split("\n")));
}

/** The same for code: broken anywhere, no blank is lost. */
export function wrapCode(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  return text.split("\n").flatMap((line) => (measureWidth(line) <= width ? [line] : wrapAnsi(line, width, { hard: true, trim: false, wordWrap: false }).split("\n")));
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
  for (const { segment } of GRAPHEMES.segment(line.slice(0, columns * 16))) {
    width += measureWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return kept;
}

/** Blanks behind a text up to so many columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - measureWidth(text)));
}

/** What a person takes for one character. */
export const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function stripStyles(text: string): string {
  return stripVTControlCharacters(text);
}
