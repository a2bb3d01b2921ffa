import { CommandFailure } from "./command-failure.js";
import type { ArgumentRef, Dialect, PlaceholderRule } from "./dialects/dialect.js";
import type { CommandTemplate } from "./types.js";

/** A template, read once. Values are put between its parts and never looked at again. */
export type TemplateNode = TextNode | ArgumentNode | ShellNode | FileNode;

export interface TextNode {
  readonly type: "text";
  readonly text: string;
}

export interface ArgumentNode {
  readonly type: "argument";
  readonly ref: ArgumentRef;
  /** As it is written, for a place that gets no value. */
  readonly raw: string;
}

export type ValueNode = TextNode | ArgumentNode;

export interface ShellNode {
  readonly type: "shell";
  readonly script: readonly ValueNode[];
  readonly raw: string;
}

export interface FileNode {
  readonly type: "file";
  /** `mention` names a file in a sentence; `content` is replaced by what the file holds. */
  readonly style: "mention" | "content";
  readonly path: readonly ValueNode[];
  readonly raw: string;
}

/** Reads a template by its dialect's rules. Throws a `CommandFailure` for a brace that never closes. */
export function parseTemplate(template: CommandTemplate, dialect: Dialect): TemplateNode[] {
  const rules = dialect.placeholders(template);
  const readers = [...SHELL_READERS[dialect.shell], ...FILE_READERS[dialect.files]].map((read) => (at: number) => read(template, rules, at));
  return scan(template.text, [...readers, (at) => readPlaceholder(template.text, at, rules, false)]);
}

interface Found<Node> {
  readonly node: Node;
  readonly end: number;
}

type Reader = (template: CommandTemplate, rules: readonly PlaceholderRule[], at: number) => Found<TemplateNode> | null;

/** Every character that can begin something other than text. */
const TRIGGER = /[$\\{@!`]/gu;

function scan<Node extends TemplateNode>(text: string, readers: readonly ((at: number) => Found<Node> | null)[]): (Node | TextNode)[] {
  const nodes: (Node | TextNode)[] = [];
  let textStart = 0;
  for (let at = nextTrigger(text, 0); at !== -1; ) {
    const found = findFirst(readers, at);
    if (found === null) {
      at = nextTrigger(text, at + 1);
      continue;
    }
    if (at > textStart) nodes.push({ type: "text", text: text.slice(textStart, at) });
    nodes.push(found.node);
    textStart = found.end;
    at = nextTrigger(text, found.end);
  }
  if (textStart < text.length) nodes.push({ type: "text", text: text.slice(textStart) });
  return nodes;
}

function nextTrigger(text: string, from: number): number {
  TRIGGER.lastIndex = from;
  return TRIGGER.exec(text)?.index ?? -1;
}

function findFirst<Node>(readers: readonly ((at: number) => Found<Node> | null)[], at: number): Found<Node> | null {
  for (const read of readers) {
    const found = read(at);
    if (found !== null) return found;
  }
  return null;
}

function readPlaceholder(text: string, at: number, rules: readonly PlaceholderRule[], isInShell: boolean): Found<ValueNode> | null {
  for (const rule of rules) {
    if (rule.onlyInShell === true && !isInShell) continue;
    rule.pattern.lastIndex = at;
    const match = rule.pattern.exec(text);
    if (match === null) continue;
    const read = rule.read(match);
    const node: ValueNode = typeof read === "string" ? { type: "text", text: read } : { type: "argument", ref: read, raw: match[0] };
    return { node, end: at + match[0].length };
  }
  return null;
}

const SHELL_READERS: Readonly<Record<Dialect["shell"], readonly Reader[]>> = {
  none: [],
  backticks: [readFencedShell, readInlineShell],
  braces: [(template, rules, at) => readBraces(template, "!{", at, (raw, inner) => toShell(raw, inner.trim(), rules))],
};

const FILE_READERS: Readonly<Record<Dialect["files"], readonly Reader[]>> = {
  none: [],
  mentions: [readMention],
  braces: [(template, _rules, at) => readBraces(template, "@{", at, (raw, inner) => toFile(raw, "content", [{ type: "text", text: inner.trim() }]))],
};

function toShell(raw: string, script: string, rules: readonly PlaceholderRule[]): ShellNode {
  return { type: "shell", raw, script: parseValues(script, rules, true) };
}

function toFile(raw: string, style: FileNode["style"], path: readonly ValueNode[]): FileNode {
  return { type: "file", raw, style, path };
}

function parseValues(text: string, rules: readonly PlaceholderRule[], isInShell: boolean): ValueNode[] {
  return scan<ValueNode>(text, [(at) => readPlaceholder(text, at, rules, isInShell)]);
}

function readInlineShell({ text }: CommandTemplate, rules: readonly PlaceholderRule[], at: number): Found<TemplateNode> | null {
  return isWordStart(text, at) ? readShell(/!`([^`]+)`/uy, text, rules, at) : null;
}

function readFencedShell(template: CommandTemplate, rules: readonly PlaceholderRule[], at: number): Found<TemplateNode> | null {
  const { text } = template;
  if (!text.startsWith(FENCE, at) || !isLineStart(text, at)) return null;
  const start = text.indexOf("\n", at) + 1;
  FENCE_END.lastIndex = start;
  const end = start === 0 ? null : FENCE_END.exec(text);
  if (end === null) throw describeUnclosed(template, FENCE, at);
  return { node: toShell(text.slice(at, FENCE_END.lastIndex), text.slice(start, end.index), rules), end: FENCE_END.lastIndex };
}

const FENCE = "```!";
const FENCE_END = /^[^\S\n]*```(?=\s|$)/gmu;

function readShell(pattern: RegExp, text: string, rules: readonly PlaceholderRule[], at: number): Found<TemplateNode> | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? null : { node: toShell(match[0], match[1] ?? "", rules), end: at + match[0].length };
}

/** `@path` up to the next blank, `@"a path"` up to the quote. An address such as `me@example.org` is none. */
function readMention({ text }: CommandTemplate, rules: readonly PlaceholderRule[], at: number): Found<TemplateNode> | null {
  if (!isWordStart(text, at)) return null;
  const pattern = /@(?:"([^"\n]+)"|([^\s@"'`]+))/uy;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return null;
  const [raw, quoted, plain = ""] = match;
  // the stop after a path belongs to the sentence
  const path = quoted ?? plain.replace(/[.,;:!?)]+$/u, "");
  if (path === "") return null;
  const length = quoted === undefined ? 1 + path.length : raw.length;
  return { node: toFile(raw.slice(0, length), "mention", parseValues(path, rules, false)), end: at + length };
}

/** Braces are counted, since scripts and paths may hold some; there is no way to escape one. */
function readBraces(template: CommandTemplate, opening: string, at: number, toNode: (raw: string, inner: string) => TemplateNode): Found<TemplateNode> | null {
  const { text } = template;
  if (!text.startsWith(opening, at)) return null;
  let depth = 1;
  for (let index = at + opening.length; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (depth > 0) continue;
    return { node: toNode(text.slice(at, index + 1), text.slice(at + opening.length, index)), end: index + 1 };
  }
  throw describeUnclosed(template, opening, at);
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /\s/u.test(text[at - 1] ?? "");
}

function isLineStart(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /[^\S\n]/u.test(text.charAt(before))) before -= 1;
  return before < 0 || text[before] === "\n";
}

function describeUnclosed({ text, filePath }: CommandTemplate, opening: string, at: number): CommandFailure {
  return new CommandFailure("invalid-data", `${filePath}: ${opening} is never closed: ${JSON.stringify(text.slice(at, at + 40))}`, "close it, or balance what stands inside of it");
}
