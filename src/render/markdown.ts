import { stripVTControlCharacters } from "node:util";
import type { Token, Tokens } from "marked";
import { lexMarkdown } from "./lex-markdown.js";
import { styleText } from "./style.js";

/** Markdown for a terminal: the words stay, the marks become styles. The text must be safe to show already. */
export function renderMarkdown(text: string): string {
  const blocks = lexMarkdown(text).flatMap((token) => (token.type === "space" ? [] : [renderBlock(token)]));
  return blocks.map((block) => `${block}\n`).join("\n");
}

/** The blocks that are whole, as they stand in the text, and the last one, which may still grow. */
export function splitBlocks(text: string): { readonly whole: string; readonly rest: string } {
  const tokens = lexMarkdown(text);
  const last = tokens.findLastIndex((token) => token.type !== "space");
  const whole = tokens.slice(0, Math.max(last, 0)).map((token) => token.raw).join("");
  // What the lexer has changed cannot be cut by its lengths.
  return text.startsWith(whole) ? { whole, rest: text.slice(whole.length) } : { whole: "", rest: text };
}

type BlockRenderers = { readonly [T in BlockToken["type"]]: (token: Extract<BlockToken, { type: T }>) => string };
type BlockToken = Tokens.Heading | Tokens.Paragraph | Tokens.Code | Tokens.Blockquote | Tokens.List | Tokens.Table | Tokens.Hr;

const BLOCKS: BlockRenderers = {
  heading: (token) => styleText(token.depth <= 2 ? ["bold", "underline"] : "bold", renderInline(token.tokens)),
  paragraph: (token) => renderInline(token.tokens),
  // Without a frame or an indent, so that it can be copied.
  code: (token) => token.text.split("\n").map((line) => styleText("cyan", line)).join("\n"),
  blockquote: (token) => indent(token.tokens.map(renderBlock).join("\n"), styleText("dim", "│ ")),
  list: renderList,
  table: renderTable,
  hr: () => styleText("dim", "─".repeat(20)),
};

function renderBlock(token: Token): string {
  const render = findRenderer(BLOCKS, token.type);
  if (render !== undefined) return render(token);
  return "tokens" in token && token.tokens !== undefined ? renderInline(token.tokens) : token.raw.trimEnd();
}

function renderList(list: Tokens.List): string {
  return list.items.map((item, index) => renderItem(item, list.ordered ? `${Number(list.start === "" ? 1 : list.start) + index}. ` : "• ")).join("\n");
}

function renderItem(item: Tokens.ListItem, mark: string): string {
  const box = item.task ? (item.checked === true ? "[x] " : "[ ] ") : "";
  const body = item.tokens.filter(({ type }) => type !== "space" && type !== "checkbox").map(renderBlock).join("\n");
  return `${mark}${indent(`${box}${body}`, " ".repeat(mark.length)).slice(mark.length)}`;
}

function renderTable({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => toCell(renderInline(cell.tokens))));
  const widths = header.map((_cell, column) => Math.max(...cells.map((row) => row[column]?.width ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.shown + " ".repeat((widths[column] ?? 0) - cell.width)).join("  ").trimEnd());
  const rule = styleText("dim", widths.map((width) => "─".repeat(width)).join("  "));
  return [styleText("bold", lines[0] ?? ""), rule, ...lines.slice(1)].join("\n");
}

/** A character is taken to be one column wide. */
function toCell(shown: string): { readonly shown: string; readonly width: number } {
  return { shown, width: [...stripVTControlCharacters(shown)].length };
}

// --- inline ---

type InlineToken = Tokens.Strong | Tokens.Em | Tokens.Del | Tokens.Codespan | Tokens.Link | Tokens.Image | Tokens.Br | Tokens.Escape;
type InlineRenderers = { readonly [T in InlineToken["type"]]: (token: Extract<InlineToken, { type: T }>) => string };

const INLINES: InlineRenderers = {
  strong: (token) => styleText("bold", renderInline(token.tokens)),
  em: (token) => styleText("italic", renderInline(token.tokens)),
  del: (token) => styleText("strikethrough", renderInline(token.tokens)),
  codespan: (token) => styleText("cyan", token.text),
  link: (token) => {
    const text = renderInline(token.tokens);
    return text === token.href ? styleText("underline", text) : `${styleText("underline", text)} (${token.href})`;
  },
  image: (token) => `${token.text} (${token.href})`,
  br: () => "\n",
  escape: (token) => token.text,
};

/** Words within a block. A line break that was asked for is one. */
export function renderInline(tokens: readonly Token[]): string {
  return tokens.map(renderInlineToken).join("");
}

function renderInlineToken(token: Token): string {
  const render = findRenderer(INLINES, token.type);
  if (render !== undefined) return render(token);
  if ("tokens" in token && token.tokens !== undefined) return renderInline(token.tokens);
  return token.type === "text" ? decodeEntities(token.raw) : token.raw;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** The library types every token also as an open record, which no narrowing can tell from a known one. */
function findRenderer(renderers: object, type: string): ((token: Token) => string) | undefined {
  return Object.hasOwn(renderers, type) ? (renderers as Readonly<Record<string, (token: Token) => string>>)[type] : undefined;
}

function indent(text: string, by: string): string {
  return text.split("\n").map((line) => `${by}${line}`).join("\n");
}
