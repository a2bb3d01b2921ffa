/** What any terminal shows without wrapping. */
export const TERMINAL_COLUMNS = 80;

const GAP = "  ";

/** Shorter than this no cell is made: it would tell nothing. */
const MIN_LAST_CELL = 12;

/**
 * Lines of a table with aligned columns, the head first.
 * @param columns how wide a line may be; the beginning of the last column's cells is left out where it has to be
 * (of a path the end tells most). Null: any width.
 */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[], columns: number | null): readonly string[] {
  const lines = [head, ...rows];
  const widths = head.map((_, index) => Math.max(...lines.map((cells) => (cells[index] ?? "").length)));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const lastWidth = columns === null ? Infinity : Math.max(MIN_LAST_CELL, columns - before);
  return lines.map((cells) =>
    cells.map((cell, index) => (index === head.length - 1 ? keepEnd(cell, lastWidth) : cell.padEnd(widths[index] ?? 0))).join(GAP).trimEnd(),
  );
}

function keepEnd(cell: string, width: number): string {
  return cell.length <= width ? cell : `…${cell.slice(cell.length - width + 1)}`;
}
