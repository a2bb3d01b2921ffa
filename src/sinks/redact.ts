import { findSecrets, replaceSpans, toMarker } from "./find-secrets.js";
import { isSecretMember, REDACT_RULES, type RedactRule } from "./redact-rules.js";
import { findSecretLiterals } from "./secret-literals.js";

/**
 * Takes every credential out of a text: the vendors' key shapes, headers, cookies, tokens, passwords in addresses,
 * private keys, and the values of secret variables of an environment. Each is replaced by `[redacted:kind]`, so that
 * a reader sees that something stood there and what it was. JSON stays valid JSON.
 */
export interface Redactor {
  (text: string): string;
  /** For text that comes in pieces. However it is cut, all that comes out is what the whole text would give. */
  readonly stream: () => StreamRedactor;
  /** What it looks for. */
  readonly rules: readonly RedactRule[];
}

export interface StreamRedactor {
  /** Takes a piece and gives what can be shown by now: whole lines. The start of a line is held back. */
  push(text: string): string;
  /** The text is over: gives what was held back. */
  flush(): string;
}

/** Characters of an unfinished line that are held back at most. */
export const MAX_HELD_CHARS = 1024 * 1024;

/** In a line that is longer, a secret with its context is found whole up to this length wherever it stands. */
const OVERLAP_CHARS = 16 * 1024;

/** Deeper than any real event; a value that contains itself ends here too. */
const MAX_DEPTH = 500;

/**
 * The one redactor of the project.
 * @param env the environment whose secret values must not be shown, usually the child's and our own merged.
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  const rules = toRules(findSecretLiterals(env));
  const stream = (): StreamRedactor => createStream(rules);
  const redact = (text: string): string => {
    const whole = stream();
    return whole.push(text) + whole.flush();
  };
  return Object.assign(redact, { stream, rules });
}

/**
 * A copy of a JSON value with every string redacted, names of members included. A string under a name that tells
 * that it is secret (`password`, `apiKey`) goes even when it has no shape.
 */
export function redactValue(value: unknown, redact: Redactor): unknown {
  return redactNode(value, redact, "", 0);
}

function redactNode(value: unknown, redact: Redactor, name: string, depth: number): unknown {
  if (typeof value === "string") return isSecretMember(name, value) ? toMarker("value") : redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return toMarker("too-deep");
  if (Array.isArray(value)) return value.map((item: unknown) => redactNode(item, redact, name, depth + 1));
  const members = Object.entries(value).map(([key, item]) => [redact(key), redactNode(item, redact, key, depth + 1)]);
  return Object.fromEntries(members);
}

function toRules(literals: readonly string[]): readonly RedactRule[] {
  if (literals.length === 0) return REDACT_RULES;
  return [...REDACT_RULES, { kind: "environment", pattern: new RegExp(literals.join("|"), "g") }];
}

function createStream(rules: readonly RedactRule[]): StreamRedactor {
  let held = "";
  let insideKey = false;

  const redactPart = (text: string): string => {
    const found = findSecrets(text, rules, insideKey);
    insideKey = found.insideKey;
    return replaceSpans(text, found.spans);
  };
  /** Takes pieces off a line that is too long to be held until it ends. */
  const shorten = (line: string): { readonly done: string; readonly rest: string } => {
    let done = "";
    let rest = line;
    while (rest.length > MAX_HELD_CHARS) {
      const cut = findCut(rest.slice(0, MAX_HELD_CHARS), rules);
      done += redactPart(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    return { done, rest };
  };
  const redactLines = (lines: string): string =>
    splitAtLines(lines)
      .map((part) => {
        const { done, rest } = shorten(part);
        return done + redactPart(rest);
      })
      .join("");

  return {
    push(text) {
      const end = text.lastIndexOf("\n") + 1;
      const finished = end === 0 ? "" : redactLines(held + text.slice(0, end));
      const { done, rest } = shorten(end === 0 ? held + text : text.slice(end));
      held = rest;
      return finished + done;
    },
    flush() {
      const rest = held;
      held = "";
      return rest === "" ? "" : redactPart(rest);
    },
  };
}

/** Parts of whole lines that are no longer than what is held back, and longer lines by themselves. */
function splitAtLines(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    const lastBreak = text.lastIndexOf("\n", start + MAX_HELD_CHARS - 1);
    const end = lastBreak >= start ? lastBreak : text.indexOf("\n", start);
    parts.push(text.slice(start, end + 1));
    start = end + 1;
  }
  return parts;
}

/** Where the start of a long line can be cut so that no secret is: short of the end, and not inside a match. */
function findCut(window: string, rules: readonly RedactRule[]): number {
  let cut = window.length - OVERLAP_CHARS;
  for (const span of findSecrets(window, rules, false).spans) {
    if (span.matchStart < cut && span.end > cut) cut = span.matchStart > 0 ? span.matchStart : span.end;
  }
  return endsInsideCharacter(window, cut) ? cut - 1 : cut;
}

function endsInsideCharacter(text: string, end: number): boolean {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
