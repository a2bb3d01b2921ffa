import type * as Yaml from "yaml";
import { parseSimpleFields } from "./simple-fields.js";

export type FrontMatter =
  | {
      readonly type: "parsed";
      readonly fields: Readonly<Record<string, unknown>>;
      /** The fields as they are written, for values that YAML takes apart but people mean as text (`[file] [focus]`). */
      readonly source: string;
      readonly body: string;
    }
  | { readonly type: "absent"; readonly body: string }
  | { readonly type: "broken"; readonly line: number; readonly reason: string; readonly body: string }
  /** Only a YAML parser can tell, and none was given. */
  | { readonly type: "needs-yaml" };

/** Front matter longer than this is no front matter. */
const LIMIT_CHARS = 64 * 1024;

/**
 * Splits a Markdown file (no BOM, `\n` only) into front matter and body. Front matter begins on the first line or not at all.
 * YAML that does not parse is tried again with its plain one-line values quoted, since unquoted colons and several pairs
 * of brackets are the common faults. What still fails is broken: it may hold a restriction, so it is never just left out.
 */
export function parseFrontMatter(text: string, yaml: typeof Yaml | undefined): FrontMatter {
  const split = splitFrontMatter(text);
  if (split === null) return readUnclosed(text);
  const { source, body } = split;
  if (isNestedTooDeep(source)) return { type: "broken", line: 1, reason: "the front matter is nested too deep", body };
  if (source.length > LIMIT_CHARS) return { type: "broken", line: 1, reason: `the front matter is longer than ${String(LIMIT_CHARS)} characters`, body };
  const simple = parseSimpleFields(source);
  if (simple !== null) return { type: "parsed", fields: simple, source, body };
  if (yaml === undefined) return { type: "needs-yaml" };
  const parsed = parseFields(source, yaml);
  if (parsed.type === "fields") return { type: "parsed", fields: parsed.fields, source, body };
  const quoted = parseFields(quoteValues(source, yaml), yaml);
  if (quoted.type === "fields") return { type: "parsed", fields: quoted.fields, source, body };
  return { type: "broken", line: parsed.line + 1, reason: parsed.reason, body };
}

/**
 * A YAML parser that runs out of stack can take the whole process with it (a pattern that is compiled just there does),
 * so depth is looked at first: brackets, and the marks of lists and keys that nest within one line. Nesting by
 * indentation costs so many blanks that the limit of length bounds it.
 */
function isNestedTooDeep(source: string): boolean {
  return (source.match(/[[{]/gu)?.length ?? 0) > BRACKET_LIMIT || /(?:[-?:][^\S\n]+){20}/u.test(source);
}

const BRACKET_LIMIT = 250;

function splitFrontMatter(text: string): { readonly source: string; readonly body: string } | null {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return null;
  const rest = text.slice(opening.length);
  const closing = /^(?:---|\.\.\.)[^\S\n]*(?:\n|$)/mu.exec(rest);
  if (closing === null) return null;
  return { source: rest.slice(0, closing.index), body: rest.slice(closing.index + closing[0].length).replace(/^(?:[^\S\n]*\n)+/u, "") };
}

const OPENING = /^---[^\S\n]*\n/u;

/** A rule drawn above a text (`---`) is no front matter; fields without an end are. */
function readUnclosed(text: string): FrontMatter {
  const opening = OPENING.exec(text)?.[0];
  const looksLikeFields = opening !== undefined && /^[\w-]+[^\S\n]*:/u.test(text.slice(opening.length));
  return looksLikeFields ? { type: "broken", line: 1, reason: "the front matter has no closing ---", body: text } : { type: "absent", body: text };
}

type ParsedFields =
  | { readonly type: "fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: "error"; readonly line: number; readonly reason: string };

function parseFields(source: string, yaml: typeof Yaml): ParsedFields {
  try {
    const document = yaml.parseDocument(source, { logLevel: "error" });
    const [error] = document.errors;
    if (error !== undefined) return { type: "error", line: error.linePos?.[0].line ?? 1, reason: firstLine(error.message) };
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return { type: "fields", fields: {} };
    return isRecord(value) ? { type: "fields", fields: value } : { type: "error", line: 1, reason: "the front matter is no list of fields" };
  } catch (error) {
    // nesting too deep for the parser, or too many aliases
    return { type: "error", line: 1, reason: `the front matter cannot be read: ${firstLine(error instanceof Error ? error.message : String(error))}` };
  }
}

/** Fields that restrict a command are never guessed at. */
const NEVER_QUOTED: ReadonlySet<string> = new Set(["disallowed-tools:", "disallowedTools:", "disable-model-invocation:", "user-invocable:"]);

function quoteValues(source: string, yaml: typeof Yaml): string {
  return source
    .split("\n")
    .map((line) => {
      const [, key, value] = /^([\w-]+:)[^\S\n]+(\S.*)$/u.exec(line) ?? [];
      if (key === undefined || value === undefined || NEVER_QUOTED.has(key) || /^["'|>]/u.test(value)) return line;
      return parseFields(line, yaml).type === "fields" ? line : `${key} ${JSON.stringify(value.trimEnd())}`;
    })
    .join("\n");
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  return text.split("\n")[0]?.replace(/ at line \d+.*$/u, "") ?? text;
}
