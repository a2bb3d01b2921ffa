import type { PlanEntry, ToolKind, ToolStatus } from "../../events/schema.js";
import { toSafeText } from "../../render/safe-text.js";
import { styled } from "../../render/style.js";
import type { AnswerItem, ChatItem, EndItem, NoticeItem, PlanItem, ThoughtItem, ToolItem, UserItem } from "../types.js";
import { describeCost, describeDuration, describeTokens } from "./figures.js";
import { toMarkdownLines } from "./markdown-lines.js";
import { fitText, wrapCode, wrapText } from "./text-width.js";

/** How things are to be shown. */
export interface Look {
  readonly columns: number;
  readonly color: boolean;
  /** Thoughts whole, tool calls with what went in and out. */
  readonly opened: boolean;
}

type ItemLines = { readonly [T in ChatItem["type"]]: (item: Extract<ChatItem, { type: T }>, look: Look) => readonly string[] };

/** One item of the transcript as lines, none wider than the look's columns. */
export function toItemLines(item: ChatItem, look: Look): readonly string[] {
  // The table has for each type the function that takes it; the compiler cannot follow that through the union.
  return (ITEMS[item.type] as (item: ChatItem, look: Look) => readonly string[])(item, look);
}

/** Calls of tools stand close together, and the end stands by what it ends; all else is set apart. */
export function isApart(before: ChatItem["type"] | null, type: ChatItem["type"]): boolean {
  if (before === null) return false;
  return !(type === "end" || (type === "tool" && before === "tool") || (type === "notice" && before === "notice"));
}

const ITEMS: ItemLines = { user: toUserLines, answer: toAnswerLines, thought: toThoughtLines, tool: toToolLines, plan: toPlanLines, notice: toNoticeLines, end: toEndLines };

/** What was pasted need not be read again: so many lines of it are shown. */
const MAX_USER_LINES = 12;

function toUserLines({ text }: UserItem, look: Look): readonly string[] {
  const lines = text.split("\n", MAX_USER_LINES + 1);
  const total = lines.length > MAX_USER_LINES ? countLines(text) : lines.length;
  const shown = lines.slice(0, MAX_USER_LINES).flatMap((line) => wrapText(expandTabs(line.slice(0, 4000)), look.columns - 2));
  const more = total - MAX_USER_LINES;
  const rest = more > 0 ? [`… ${String(more)} more line${more === 1 ? "" : "s"}`] : [];
  return [...shown, ...rest].map((line, index) => styled("bold", `${index === 0 ? "> " : "  "}${line}`, look.color));
}

/** Also of a text with a great many. */
function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function toAnswerLines({ text }: AnswerItem, look: Look): readonly string[] {
  return toMarkdownLines(expandTabs(text), look);
}

function toThoughtLines({ text }: ThoughtItem, look: Look): readonly string[] {
  const { columns, color, opened } = look;
  const lead = "~ ";
  const lines = opened ? wrapText(expandTabs(text.trim()), columns - lead.length) : [fitText(text.slice(0, 2000), columns - lead.length)];
  return lines.map((line, index) => styled("dim", `${index === 0 ? lead : " ".repeat(lead.length)}${line}`, color));
}

// --- tools ---

const KIND_ICONS: Readonly<Record<ToolKind, string>> = {
  read: "←",
  edit: "✎",
  delete: "✗",
  move: "→",
  search: "?",
  execute: "$",
  think: "~",
  fetch: "↓",
  switch_mode: "⇄",
  other: "•",
};

const STATUS_WORDS: Readonly<Record<ToolStatus, string>> = { pending: "waits", in_progress: "runs", completed: "done", failed: "failed" };
const STATUS_STYLES = { pending: "dim", in_progress: "cyan", completed: "green", failed: "red" } as const satisfies Record<ToolStatus, string>;

/** What of a tool's input and output is shown when it is opened. */
const MAX_DETAIL_LINES = 24;

function toToolLines(item: ToolItem, look: Look): readonly string[] {
  const { columns, color, opened } = look;
  const status = STATUS_WORDS[item.status];
  const lead = `${KIND_ICONS[item.kind]} `;
  const title = fitText(toSafeText(item.title), columns - lead.length - status.length - 2);
  const line = `${styled(STATUS_STYLES[item.status], lead, color)}${title}  ${styled(STATUS_STYLES[item.status], status, color)}`;
  return opened ? [line, ...toDetailLines("in", describeInput(item.rawInput), look), ...toDetailLines("out", item.output, look)] : [line];
}

function describeInput(rawInput: unknown): string {
  if (rawInput === null || rawInput === undefined) return "";
  return typeof rawInput === "string" ? rawInput : (JSON.stringify(rawInput, null, 2) ?? "");
}

function toDetailLines(name: string, text: string, { columns, color }: Look): readonly string[] {
  const safe = expandTabs(toSafeText(text)).trimEnd();
  if (safe === "") return [];
  const mark = `  ${name} `.padEnd(6);
  const lines = wrapCode(safe, Math.max(8, columns - mark.length));
  const shown = lines.length > MAX_DETAIL_LINES ? [...lines.slice(0, MAX_DETAIL_LINES - 1), `… ${String(lines.length - MAX_DETAIL_LINES + 1)} more lines`] : lines;
  return shown.map((line, index) => styled("dim", `${index === 0 ? mark : " ".repeat(mark.length)}${line}`, color));
}

// --- plans, notices, ends ---

const PLAN_BOXES: Readonly<Record<PlanEntry["status"], string>> = { pending: "[ ]", in_progress: "[~]", completed: "[x]" };
const PLAN_STYLES = { pending: "reset", in_progress: "cyan", completed: "dim" } as const satisfies Record<PlanEntry["status"], string>;

function toPlanLines({ entries }: PlanItem, { columns, color }: Look): readonly string[] {
  const lines = entries.flatMap(({ content, status }) =>
    wrapText(expandTabs(content), columns - 4).map((line, index) => styled(PLAN_STYLES[status], `${index === 0 ? PLAN_BOXES[status] : "   "} ${line}`, color)),
  );
  return [styled("bold", "Plan", color), ...lines];
}

const NOTICE_STYLES = { info: "reset", warning: "yellow", error: "red" } as const satisfies Record<NoticeItem["level"], string>;
const NOTICE_LEADS: Readonly<Record<NoticeItem["level"], string>> = { info: "", warning: "Warning: ", error: "Error: " };

function toNoticeLines({ level, text }: NoticeItem, { columns, color }: Look): readonly string[] {
  return wrapText(`${NOTICE_LEADS[level]}${expandTabs(text)}`, columns).map((line) => (level === "info" ? line : styled(NOTICE_STYLES[level], line, color)));
}

function toEndLines({ status, problem, durationMs, totalTokens, cost }: EndItem, { columns, color }: Look): readonly string[] {
  const figures = [describeDuration(durationMs), describeTokens(totalTokens), describeCost(cost)].filter((part) => part !== "").join(", ");
  if (problem === null) return wrapText(figures, columns).map((line) => styled("dim", line, color));
  const words = status === "interrupted" ? "Cancelled" : `Failed (${status})`;
  const sentence = wrapText(status === "interrupted" ? words : `${words}: ${expandTabs(problem)}`, columns).map((line) => styled(status === "interrupted" ? "yellow" : "red", line, color));
  return [...sentence, ...wrapText(figures, columns).map((line) => styled("dim", line, color))];
}

/** A tab has no width that could be counted on. */
export function expandTabs(text: string): string {
  return text.replaceAll("\t", "    ");
}
