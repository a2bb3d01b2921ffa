import type { Token, Tokens } from "marked";
import { lexMarkdown } from "../../render/lex-markdown.js";
import { renderInline } from "../../render/markdown.js";
import { styleText } from "../../render/style.js";
import { measureWidth, padText, stripStyles, wrapCode, wrapText } from "./text-width.js";

export interface MarkdownOptions {
  readonly columns: number;
  readonly color: boolean;
}

/** Markdown as lines of a terminal, none wider than `columns`. The text must be safe to show already, and without tabs. */
export function toMarkdownLines(text: string, options: MarkdownOptions): readonly string[] {
  const lines = toBlockLines(lexMarkdown(text), options);
  return options.color ? lines : lines.map(stripStyles);
}

/** The lines of blocks with an empty one between two. */
function toBlockLines(tokens: readonly Token[], options: MarkdownOptions): readonly string[] {
  return tokens.flatMap((token, index) => {
    if (token.type === "space" || token.type === "def") return [];
    const lines = toLines(token, options);
    return index === 0 || isTight(tokens[index - 1], token) ? lines : ["", ...lines];
  });
}

/** The text of a list's item stands right above its sublist. */
function isTight(before: Token | undefined, token: Token): boolean {
  return before?.type === "text" && token.type === "list";
}

type BlockToken = Tokens.Heading | Tokens.Code | Tokens.Blockquote | Tokens.List | Tokens.Table | Tokens.Hr;
type LinesOf = { readonly [T in BlockToken["type"]]: (token: Extract<BlockToken, { type: T }>, options: MarkdownOptions) => readonly string[] };

const BLOCKS: LinesOf = {
  heading: ({ depth, tokens }, { columns }) => wrapText(styleText(depth <= 2 ? ["bold", "underline"] : "bold", renderInline(tokens)), columns),
  code: toCodeLines,
  blockquote: (token, options) => prefixLines(toBlockLines(token.tokens, narrow(options, 2)), styleText("dim", "│ ")),
  list: (list, options) => list.items.flatMap((item, index) => toItemLines(item, list.ordered ? `${Number(list.start === "" ? 1 : list.start) + index}. ` : "• ", list.loose && index > 0, options)),
  table: toTableLines,
  hr: (_token, { columns }) => [styleText("dim", "─".repeat(Math.min(20, columns)))],
};

function toLines(token: Token, options: MarkdownOptions): readonly string[] {
  const toKnown = Object.hasOwn(BLOCKS, token.type) ? (BLOCKS as Readonly<Record<string, (token: Token, options: MarkdownOptions) => readonly string[]>>)[token.type] : undefined;
  if (toKnown !== undefined) return toKnown(token, options);
  const text = "tokens" in token && token.tokens !== undefined ? renderInline(token.tokens) : token.raw.trimEnd();
  return wrapText(text, options.columns);
}

/** Without a frame or an indent, so that it can be copied. Without colour the fences tell what is code. */
function toCodeLines({ text, lang }: Tokens.Code, { columns, color }: MarkdownOptions): readonly string[] {
  const lines = wrapCode(text, columns);
  return color ? lines.map((line) => styleText("cyan", line)) : [`\`\`\`${lang ?? ""}`, ...lines, "```"];
}

function toItemLines(item: Tokens.ListItem, mark: string, apart: boolean, options: MarkdownOptions): readonly string[] {
  const box = item.task ? (item.checked === true ? "[x] " : "[ ] ") : "";
  const lead = mark + box;
  const body = toBlockLines(item.tokens.filter(({ type }) => type !== "checkbox"), narrow(options, lead.length));
  const [first = "", ...others] = body;
  return [...(apart ? [""] : []), lead + first, ...prefixLines(others, " ".repeat(lead.length))];
}

function narrow(options: MarkdownOptions, by: number): MarkdownOptions {
  return { ...options, columns: Math.max(8, options.columns - by) };
}

function prefixLines(lines: readonly string[], prefix: string): readonly string[] {
  return lines.map((line) => (prefix + line).trimEnd());
}

// --- tables ---

const GAP = 2;
/** Below that a column is no column any more. */
const NARROWEST_COLUMN = 6;

function toTableLines({ header, rows }: Tokens.Table, options: MarkdownOptions): readonly string[] {
  const cells = [header, ...rows].map((row) => row.map((cell) => renderInline(cell.tokens).replaceAll("\n", " ")));
  const widths = fitColumns(cells, options.columns);
  if (widths === null) return toRecordLines(cells, options.columns);
  const [head = [], ...body] = cells.map((row) => toRowLines(row, widths));
  const rule = styleText("dim", widths.map((width) => "─".repeat(width)).join(" ".repeat(GAP)));
  return [...head.map((line) => styleText("bold", line)), rule, ...body.flat()];
}

/** Widths for all columns; the widest give way first. Null where they would be too narrow to read. */
function fitColumns(cells: readonly (readonly string[])[], columns: number): readonly number[] | null {
  const widths = (cells[0] ?? []).map((_cell, column) => Math.max(1, ...cells.map((row) => measureWidth(row[column] ?? ""))));
  let excess = widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST_COLUMN) return null;
    const index = widths.indexOf(widest);
    const second = Math.max(NARROWEST_COLUMN, ...widths.filter((width) => width < widest));
    const less = Math.max(1, Math.min(excess, widest - second));
    widths[index] = widest - less;
    excess -= less;
  }
  return widths;
}

function toRowLines(row: readonly string[], widths: readonly number[]): readonly string[] {
  const wrapped = widths.map((width, column) => wrapText(row[column] ?? "", width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_line, index) => wrapped.map((lines, column) => padText(lines[index] ?? "", widths[column] ?? 0)).join(" ".repeat(GAP)).trimEnd());
}

/** One cell below the other, each with the name of its column. */
function toRecordLines([head = [], ...rows]: readonly (readonly string[])[], columns: number): readonly string[] {
  return rows.flatMap((row, index) => [...(index > 0 ? [""] : []), ...row.flatMap((cell, column) => wrapText(`${styleText("bold", stripStyles(head[column] ?? ""))}: ${cell}`, columns))]);
}
