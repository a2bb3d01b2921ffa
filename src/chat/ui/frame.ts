import { toMenuLines } from "./frame-lines.js";
import { PROMPT_COLUMNS } from "./input-box.js";
import { layOutInput, type InputLayout } from "./input-layout.js";
import type { InputState } from "./input-model.js";
import type { ScreenState } from "./screen-model.js";

/** Who gets how many of the terminal's rows. */
export interface Frame {
  /** The end of what is live, as far as there is room. */
  readonly live: readonly string[];
  readonly layout: InputLayout;
  readonly hasRules: boolean;
  readonly menuLines: number;
  readonly dialogLines: number;
  /** From the first line of what is live; null where the terminal's cursor has no place. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

/** Below so many rows nothing is spent on lines that only divide. */
const ROWS_FOR_RULES = 12;
const MAX_MENU_LINES = 10;
const MAX_INPUT_ROWS = 8;
const MAX_DIALOG_LINES = 20;
const FEWEST_DIALOG_LINES = 6;
/** What a dialog pushes out of sight does not come back when it closes: some of the transcript stays. */
const DIALOG_SHARE = 0.6;

/** Shares the rows out: at most one less than the terminal has. */
export function toFrame({ look, rows, live, dialog, ended }: ScreenState, { editor, menu, hint }: InputState): Frame {
  const room = Math.max(3, rows - 1);
  const hasRules = rows >= ROWS_FOR_RULES;
  const ruleLines = hasRules ? 2 : 0;
  const layout = layOutInput(editor.text, editor.cursor, look.columns - PROMPT_COLUMNS, Math.max(1, Math.min(MAX_INPUT_ROWS, Math.floor(room / 3))));
  const fixed = ruleLines + 1 + (hint === null || dialog !== null ? 0 : 1);
  const dialogLines = Math.min(MAX_DIALOG_LINES, Math.max(FEWEST_DIALOG_LINES, Math.floor(room * DIALOG_SHARE)), room - fixed);
  const menuLines = Math.max(1, Math.min(MAX_MENU_LINES, room - fixed - layout.rows.length));
  const usedByMenu = menu === null || dialog !== null ? 0 : toMenuLines(menu, look, menuLines).length;
  const left = room - fixed - (dialog === null ? layout.rows.length + usedByMenu : dialogLines);
  const shown = left > 0 ? live.slice(-left) : [];
  const hasCursor = dialog === null && !ended;
  const cursor = hasCursor ? { x: PROMPT_COLUMNS + layout.cursorColumn, y: shown.length + (hasRules ? 1 : 0) + layout.cursorRow } : null;
  return { live: shown, layout, hasRules, menuLines, dialogLines, cursor };
}
