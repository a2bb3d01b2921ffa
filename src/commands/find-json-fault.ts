/** Where a text stops being JSON, and what should stand there. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  readonly reason: string;
}

/**
 * The first fault of a text that is no JSON (https://www.rfc-editor.org/rfc/rfc8259); null for one that is.
 * `JSON.parse` tells the place only in newer versions of Node, and there not for every fault.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: Container[] = [];
  let state: State = "value";
  let offset = 0;
  for (;;) {
    offset = skipSpace(text, offset);
    const token = readToken(text, offset);
    if (token === null) {
      if (state === "after" && open.length === 0 && offset === text.length) return null;
      return toFault(text, offset, state, open);
    }
    const next = follow(state, token.kind, open);
    if (next === null) return toFault(text, offset, state, open);
    state = next;
    offset = token.end;
  }
}

type Container = "{" | "[";
type Kind = Container | "}" | "]" | ":" | "," | "string" | "other";

/** What may come next; `after` is after a whole value. */
type State = "value" | "item or end" | "name" | "name or end" | "colon" | "after";

interface Token {
  readonly kind: Kind;
  readonly end: number;
}

function skipSpace(text: string, offset: number): number {
  return endOf(/[\t\n\r ]*/y, text, offset) ?? offset;
}

function readToken(text: string, offset: number): Token | null {
  const kind = MARKS.get(text[offset] ?? "");
  if (kind !== undefined) return { kind, end: offset + 1 };
  const isString = text[offset] === '"';
  const end = isString ? findStringEnd(text, offset) : endOf(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y, text, offset);
  return end === null ? null : { kind: isString ? "string" : "other", end };
}

const MARKS = new Map((["{", "}", "[", "]", ":", ","] as const).map((mark) => [mark as string, mark]));

/** Step by step: one expression for all would take a time that doubles with each character of a string without an end. */
function findStringEnd(text: string, start: number): number | null {
  let offset = start + 1;
  for (;;) {
    offset = endOf(/[^"\\\u0000-\u001f]*/y, text, offset) ?? offset;
    if (text[offset] === '"') return offset + 1;
    const afterEscape = endOf(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y, text, offset);
    if (afterEscape === null) return null;
    offset = afterEscape;
  }
}

/** Where a match that begins at the offset ends; null where there is none. */
function endOf(sticky: RegExp, text: string, offset: number): number | null {
  sticky.lastIndex = offset;
  return sticky.test(text) ? sticky.lastIndex : null;
}

/** The state after a token, with `open` kept up; null for a token that may not stand there. */
function follow(state: State, kind: Kind, open: Container[]): State | null {
  if (kind === "}" || kind === "]") return close(state, kind, open);
  if (state === "value" || state === "item or end") return followValue(kind, open);
  if (state === "name" || state === "name or end") return kind === "string" ? "colon" : null;
  if (state === "colon") return kind === ":" ? "value" : null;
  const container = open.at(-1);
  if (kind !== "," || container === undefined) return null;
  return container === "{" ? "name" : "value";
}

function followValue(kind: Kind, open: Container[]): State | null {
  if (kind === "string" || kind === "other") return "after";
  if (kind !== "{" && kind !== "[") return null;
  open.push(kind);
  return kind === "{" ? "name or end" : "item or end";
}

function close(state: State, kind: "}" | "]", open: Container[]): State | null {
  const mayClose = kind === "}" ? state === "name or end" || state === "after" : state === "item or end" || state === "after";
  if (!mayClose || open.at(-1) !== (kind === "}" ? "{" : "[")) return null;
  open.pop();
  return "after";
}

const EXPECTED: Readonly<Record<Exclude<State, "after">, string>> = {
  value: "a value",
  "item or end": "a value or ']'",
  name: "a name in double quotes",
  "name or end": "a name in double quotes or '}'",
  colon: "':'",
};

function toFault(text: string, offset: number, state: State, open: readonly Container[]): JsonFault {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  const expected = state === "after" ? describeAfter(open.at(-1)) : EXPECTED[state];
  const reason = `expected ${expected}, got ${describeFound(text, offset)}`;
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1, reason };
}

function describeAfter(container: Container | undefined): string {
  if (container === undefined) return "the end";
  return container === "{" ? "',' or '}'" : "',' or ']'";
}

/** Names no more than a character: the text may hold secrets. */
function describeFound(text: string, offset: number): string {
  const character = [...text.slice(offset, offset + 2)][0];
  if (character === undefined) return "the end";
  if (character === "\uFEFF") return "a byte order mark";
  if (character === '"') return "a string that is cut, or not escaped as it has to be";
  return JSON.stringify(character);
}
