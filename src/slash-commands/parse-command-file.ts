import type * as SmolToml from "smol-toml";
import type * as Yaml from "yaml";
import { parseFrontMatter } from "./front-matter.js";
import { readFields, toOneLine, type CommandFields, type FieldProblem } from "./front-matter-fields.js";
import type { DialectId } from "./types.js";

/** The parsers, loaded only when a file needs them. */
export interface FileParsers {
  readonly yaml?: typeof Yaml;
  readonly toml?: typeof SmolToml;
}

export type ParsedCommandFile =
  | {
      readonly type: "command";
      readonly text: string;
      readonly fields: CommandFields;
      /** Never blank. */
      readonly description: string;
      readonly problems: readonly FileProblem[];
    }
  | { readonly type: "broken"; readonly problem: FileProblem }
  /** The file can only be read with a parser that was not given. */
  | { readonly type: "needs"; readonly parser: keyof FileParsers };

export interface FileProblem {
  readonly severity: "error" | "warning";
  readonly line: number | null;
  readonly reason: string;
}

const NO_FIELDS: CommandFields = readFields({}, "").fields;
const DESCRIPTION_LIMIT_CHARS = 200;

/** A UTF-8 text as editors leave it: the byte order mark and Windows line ends go. */
export function normaliseText(text: string): string {
  return text.replace(/^\uFEFF/u, "").replace(/\r\n?/gu, "\n");
}

/** A prompt in Markdown with optional front matter. `text` is normalised. */
export function parseMarkdownCommand(text: string, dialect: DialectId, parsers: FileParsers): ParsedCommandFile {
  const frontMatter = parseFrontMatter(text, parsers.yaml);
  if (frontMatter.type === "needs-yaml") return { type: "needs", parser: "yaml" };
  if (frontMatter.type === "broken") {
    const problem: FileProblem = { severity: "error", line: frontMatter.line, reason: `front matter: ${frontMatter.reason}` };
    // codex took such a file for text, and its prompts know no restrictions that could get lost
    return dialect === "codex" ? toCommand(frontMatter.body, NO_FIELDS, [{ ...problem, severity: "warning" }]) : { type: "broken", problem };
  }
  if (frontMatter.type === "absent") return toCommand(frontMatter.body, NO_FIELDS, []);
  const { fields, problems } = readFields(frontMatter.fields, frontMatter.source);
  const located = problems.map((problem) => locate(problem, frontMatter.source));
  const error = located.find((problem) => problem.severity === "error");
  return error === undefined ? toCommand(frontMatter.body, fields, located) : { type: "broken", problem: error };
}

/** A prompt in TOML: `prompt`, and perhaps `description`. `text` is normalised. */
export function parseTomlCommand(text: string, parsers: FileParsers): ParsedCommandFile {
  const { toml } = parsers;
  if (toml === undefined) return { type: "needs", parser: "toml" };
  try {
    const { prompt, description } = toml.parse(text);
    if (typeof prompt !== "string") return broken(prompt === undefined ? null : findTomlLine(text, "prompt"), "prompt: expected a string");
    if (description === undefined) return toCommand(prompt, NO_FIELDS, []);
    if (typeof description === "string") return toCommand(prompt, { ...NO_FIELDS, description: toOneLine(description) }, []);
    return toCommand(prompt, NO_FIELDS, [{ severity: "warning", line: findTomlLine(text, "description"), reason: "description: expected a string" }]);
  } catch (error) {
    if (error instanceof toml.TomlError) return broken(error.line, firstLine(error.message));
    return broken(null, error instanceof Error ? error.message : String(error));
  }
}

function toCommand(text: string, fields: CommandFields, problems: readonly FileProblem[]): ParsedCommandFile {
  if (text.trim() === "") return broken(null, "the prompt is empty");
  return { type: "command", text: text.trimEnd(), fields, description: shorten(fields.description ?? firstSentenceOf(text)), problems };
}

function broken(line: number | null, reason: string): ParsedCommandFile {
  return { type: "broken", problem: { severity: "error", line, reason } };
}

function locate(problem: FieldProblem, source: string): FileProblem {
  const index = source.split("\n").findIndex((line) => line.startsWith(`${problem.field}:`));
  return { severity: problem.severity, line: index === -1 ? null : index + 2, reason: `${problem.field}: ${problem.reason}` };
}

function findTomlLine(text: string, key: string): number | null {
  const index = text.split("\n").findIndex((line) => line.trimStart().startsWith(key));
  return index === -1 ? null : index + 1;
}

/** The first line that says something: a heading's mark is not part of it. */
function firstSentenceOf(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.replace(/^[#>*\-\s]+/u, "") !== "") ?? text;
  return toOneLine(line.replace(/^\s*#+\s*/u, ""));
}

function shorten(text: string): string {
  return text.length > DESCRIPTION_LIMIT_CHARS ? `${text.slice(0, DESCRIPTION_LIMIT_CHARS - 1)}…` : text;
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/^Invalid TOML document: /u, "") ?? message;
}
