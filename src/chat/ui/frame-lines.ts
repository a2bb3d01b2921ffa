/** The parts of the screen below the transcript, as lines. Pure: what is typed and what is going on in, lines out. */
import type { AccessLevel } from "../../events/schema.js";
import { toSafeText } from "../../render/safe-text.js";
import { styled } from "../../render/style.js";
import type { ChatState } from "../types.js";
import type { DialogState } from "./dialog-model.js";
import type { ListOption } from "./dialogs.js";
import { describeCost, describeDuration, describeTokens } from "./figures.js";
import type { CompletionMenu } from "./input-model.js";
import type { Look } from "./item-lines.js";
import { fitText, measureWidth, padText, wrapText } from "./text-width.js";

// --- completion ---

/** The menu's lines, at most so many: the groups with their names, the chosen one marked. */
export function toMenuLines({ completions, index }: CompletionMenu, look: Look, maxLines: number): readonly string[] {
  const labelColumns = Math.min(Math.max(...completions.map(({ label }) => measureWidth(label))), look.columns >> 1);
  const lines: { readonly line: string; readonly of: number }[] = [];
  let group: string | null = null;
  for (const [at, completion] of completions.entries()) {
    if (completion.group !== group) lines.push({ line: styled("dim", fitText(completion.group, look.columns), look.color), of: at });
    group = completion.group;
    lines.push({ line: toOptionLine({ ...completion, isChosen: at === index, isCurrent: false }, labelColumns, look), of: at });
  }
  return cutAround(lines.map(({ line }) => line), lines.findLastIndex(({ of }) => of === index), maxLines);
}

interface OptionLine {
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
  readonly isCurrent: boolean;
}

function toOptionLine({ label, hint, isChosen, isCurrent }: OptionLine, labelColumns: number, { columns, color }: Look): string {
  const mark = isChosen ? "> " : "  ";
  const current = isCurrent ? CURRENT_MARK : "";
  const name = padText(`${fitText(label, labelColumns - current.length)}${current}`, labelColumns);
  const rest = columns - mark.length - labelColumns - 2;
  const shownHint = rest >= 6 && hint !== "" ? `  ${styled("dim", fitText(hint, rest), color)}` : "";
  const shown = `${mark}${name}`;
  return `${isChosen ? styled(["bold", "cyan"], shown, color) : shown}${shownHint}`.trimEnd();
}

const CURRENT_MARK = " *";

/** A window of so many lines with the one that matters in it. */
function cutAround(lines: readonly string[], matters: number, maxLines: number): readonly string[] {
  const first = Math.max(0, Math.min(matters - (maxLines >> 1), lines.length - maxLines));
  return lines.slice(first, first + maxLines);
}

// --- dialogs ---

/** A dialog's lines, at most so many: title, what was typed, what there is to choose or read, keys. */
export function toDialogLines(dialog: DialogState, look: Look, maxLines: number): readonly string[] {
  const { columns, color } = look;
  const head = [styled("bold", fitText(dialog.title, columns), color), ...(dialog.filter === "" ? [] : [`/ ${fitText(dialog.filter, columns - 2)}`])];
  const foot = styled("dim", fitText(describeDialogKeys(dialog), columns), color);
  const room = Math.max(1, maxLines - head.length - 1);
  return [...head, ...toContentLines(dialog, look, room), foot].slice(0, Math.max(1, maxLines));
}

function describeDialogKeys({ content, filter }: DialogState): string {
  if (content?.type === "text") return "Esc: close · Up, Down: scroll";
  if (content === null || (content.options.length === 0 && filter === "")) return "Esc: close";
  return "Enter: choose · Esc: close · Up, Down: move";
}

function toContentLines({ content, index, filter, empty }: DialogState, look: Look, room: number): readonly string[] {
  if (content === null) return ["Loading…"];
  if (content.type === "text") {
    const lines = content.text.split("\n").flatMap((line, at) => (at < index ? [] : wrapText(line, look.columns)));
    return lines.slice(0, room);
  }
  if (content.options.length === 0) return [filter === "" ? empty : "Nothing matches."].flatMap((line) => wrapText(line, look.columns));
  const widest = Math.max(...content.options.map(({ label, isCurrent }) => measureWidth(label) + (isCurrent ? CURRENT_MARK.length : 0)));
  const labelColumns = Math.min(widest, Math.max(10, Math.floor(look.columns * 0.55)));
  const lines = content.options.map((option, at) => toOptionLine({ ...option, isChosen: at === index }, labelColumns, look));
  const explanation = explainChosen(content.options[index], labelColumns, look).slice(0, room - 1);
  return [...cutAround(lines, index, room - explanation.length), ...explanation];
}

/** The whole hint of what is chosen, and its whole name, where the list had no room for them. */
function explainChosen(option: ListOption | undefined, labelColumns: number, { columns, color }: Look): readonly string[] {
  if (option === undefined) return [];
  const texts = [measureWidth(option.label) > labelColumns - 2 ? option.label : "", measureWidth(option.hint) > columns - labelColumns - 4 ? option.hint : ""].filter((text) => text !== "");
  return texts.flatMap((text) => wrapText(text.replace(/\s+/g, " "), columns)).map((line) => styled("dim", line, color));
}

// --- status ---

/** What the status line tells, the most important first: where the columns end, the rest is left out. */
export function toStatusLine(state: ChatState, defaultAccess: AccessLevel | null, look: Look, nowMs: number): string {
  const { backend, model, access } = state.conversation.settings();
  const { usage, cost } = state.conversation.usage();
  const doing = describeActivity(state.activity, nowMs);
  const parts = [doing, toSafeText(backend), toSafeText(model ?? ""), access ?? defaultAccess ?? "", describeTokens(usage?.totalTokens ?? null), describeCost(cost)].filter((part) => part !== "");
  const separator = look.columns < 60 ? " " : " · ";
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}${separator}${part}`;
    if (measureWidth(longer) > look.columns) {
      // A long name of a model is worth its beginning.
      const left = look.columns - measureWidth(line) - separator.length;
      return styled("dim", line === "" || left < 8 ? fitText(line === "" ? part : line, look.columns) : `${line}${separator}${fitText(part, left)}`, look.color);
    }
    line = longer;
  }
  return styled("dim", line, look.color);
}

function describeActivity(activity: ChatState["activity"], nowMs: number): string {
  if (activity.type === "idle") return "";
  const time = describeDuration(Math.max(0, Math.floor((nowMs - activity.sinceMs) / 1000) * 1000)).replace(".0 s", " s");
  return activity.cancelled ? `cancelling ${time}` : time;
}
