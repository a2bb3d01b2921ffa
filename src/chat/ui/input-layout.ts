import { listGraphemes } from "../graphemes.js";
import { measureWidth } from "./text-width.js";

export interface InputLayout {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

/**
 * A text with its cursor as rows of so many columns, broken as a terminal breaks: anywhere. Of a tall text the `maxRows`
 * around the cursor are given.
 */
export function layOutInput(text: string, cursor: number, columns: number, maxRows: number): InputLayout {
  const all = breakRows(text, cursor, Math.max(2, columns));
  const first = Math.max(0, Math.min(all.cursorRow - (maxRows >> 1), all.rows.length - maxRows));
  return { rows: all.rows.slice(first, first + maxRows), cursorRow: all.cursorRow - first, cursorColumn: all.cursorColumn };
}

function breakRows(text: string, cursor: number, columns: number): InputLayout {
  const rows: string[] = [];
  let [row, width] = ["", 0];
  let at = 0;
  let place: { readonly row: number; readonly column: number } | null = null;
  const nextRow = (): void => {
    rows.push(row);
    [row, width] = ["", 0];
  };
  for (const line of text.split("\n")) {
    for (const grapheme of listGraphemes(line)) {
      const shown = grapheme === "\t" ? TAB : grapheme;
      const segmentWidth = measureWidth(shown);
      if (width + segmentWidth > columns) nextRow();
      if (at === cursor) place = { row: rows.length, column: width };
      row += shown;
      width += segmentWidth;
      at += grapheme.length;
    }
    if (at === cursor) {
      // The cursor needs a cell of its own.
      if (width >= columns) nextRow();
      place = { row: rows.length, column: width };
    }
    nextRow();
    at += 1;
  }
  return { rows, cursorRow: place?.row ?? 0, cursorColumn: place?.column ?? 0 };
}

const TAB = "    ";
