import type { RedactRule } from "./redact-rules.js";

export interface SecretSpan {
  readonly kind: string;
  /** Where the secret's context begins. */
  readonly matchStart: number;
  /** The secret itself. */
  readonly start: number;
  readonly end: number;
}

/**
 * All secrets in a text, in order and without overlap.
 * @param insideKey true where the text goes on after a line of a private key; the result says the same of its end.
 */
export function findSecrets(
  text: string,
  rules: readonly RedactRule[],
  insideKey: boolean,
): { readonly spans: readonly SecretSpan[]; readonly insideKey: boolean } {
  const spans = rules.flatMap((rule) => findMatches(text, rule));
  const key = insideKey || text.includes("PRIVATE KEY") ? findKeyLines(text, insideKey) : { spans: [], insideKey };
  return { spans: mergeSpans([...spans, ...key.spans]), insideKey: key.insideKey };
}

/** The text with a marker in the place of each secret. */
export function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  let shown = "";
  let end = 0;
  for (const span of spans) {
    shown += text.slice(end, span.start) + toMarker(span.kind);
    end = span.end;
  }
  return end === 0 ? text : shown + text.slice(end);
}

/** What a reader sees in the place of a secret. */
export function toMarker(kind: string): string {
  return `[redacted:${kind}]`;
}

/** `matchAll` would make a new expression for every text, which costs more than the search in a short one. */
function findMatches(text: string, { kind, pattern }: RedactRule): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = pattern.lastIndex;
    spans.push({ kind, matchStart: match.index, start: end - (match[1] ?? match[0]).length, end });
  }
  return spans;
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----[ \t]*\r?$/;
const KEY_END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/;
/** With what a listing, a quotation or a diff puts before it. */
const KEY_LINE =
  /^(?:[ \t]{0,8}\d{1,6}[^A-Za-z0-9+/=\n]{1,8}|[ \t>|+-]{0,16})((?:[A-Za-z0-9+/=]{1,128}|(?:Proc-Type|DEK-Info|Version|Comment): [^\n]{0,200}|-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?)[ \t]*\r?$/;

/** The lines of a private key after its first, each by itself, so that a key that comes in pieces is found too. */
function findKeyLines(text: string, insideKey: boolean): { readonly spans: readonly SecretSpan[]; readonly insideKey: boolean } {
  const spans: SecretSpan[] = [];
  let inside = insideKey;
  let start = 0;
  for (const line of text.split("\n")) {
    const isLast = start + line.length === text.length;
    const body = inside ? KEY_LINE.exec(line) : null;
    if (body?.[1]) {
      const end = start + line.replace(/[ \t]*\r?$/, "").length;
      spans.push({ kind: "private-key", matchStart: start, start: end - body[1].length, end });
    }
    // After a final line break nothing stands yet: the next piece tells.
    if (!(isLast && line === "")) inside = KEY_BEGIN.test(line) || (body !== null && !KEY_END.test(line));
    start += line.length + 1;
  }
  return { spans, insideKey: inside };
}

/** Where spans overlap, the first one names what stands there; of those that begin together, the first rule's. */
function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = joinSpans(last, span);
  }
  return merged;
}

function joinSpans(first: SecretSpan, second: SecretSpan): SecretSpan {
  const matchStart = Math.min(first.matchStart, second.matchStart);
  return { ...first, matchStart, end: Math.max(first.end, second.end) };
}
