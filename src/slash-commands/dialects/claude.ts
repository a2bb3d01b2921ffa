import { splitWords } from "../split-words.js";
import type { CommandTemplate } from "../types.js";
import { appendParagraph, type ArgumentRef, type Binding, type BindInput, type Dialect, type PlaceholderRule } from "./dialect.js";

/**
 * Claude Code's rules (code.claude.com/docs, "Skills": arguments, dynamic context): `$ARGUMENTS` as typed,
 * `$ARGUMENTS[N]` and `$N` from 0 with shell-style quoting, `$name` for names that `arguments` declares, `\$` to escape.
 * A position without a value stays as it is written, a name without one becomes empty.
 * Where the text takes no argument at all, what was typed is added as a line `ARGUMENTS: …`.
 */
export const claudeDialect: Dialect = {
  placeholders: placeholderRules,
  shell: "backticks",
  files: "mentions",
  bind: bindArguments,
};

function placeholderRules(template: CommandTemplate): PlaceholderRule[] {
  const names = [...template.argumentNames].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const anyName = names.length === 0 ? "" : `|(?:${names.join("|")})(?![\\w-])`;
  return [
    { pattern: new RegExp(`\\\\(\\$(?:ARGUMENTS(?:\\[\\d+\\]|(?!\\w))|\\d+(?!\\w)${anyName}))`, "uy"), read: (match) => match[1] ?? "" },
    { pattern: /\$ARGUMENTS\[(\d+)\]/uy, read: toPosition },
    { pattern: /\$ARGUMENTS(?!\w)/uy, read: () => ({ kind: "all" }) },
    { pattern: /\$(\d+)(?!\w)/uy, read: toPosition },
    ...(names.length === 0
      ? []
      : [{ pattern: new RegExp(`\\$(${names.join("|")})(?![\\w-])`, "uy"), read: (match: RegExpExecArray) => toNamed(match) }]),
    { pattern: /\$\{(CLAUDE_[A-Z_]+)\}/uy, read: (match) => ({ kind: "variable", name: match[1] ?? "" }) },
  ];
}

function bindArguments({ args, refs, template, variables }: BindInput): Binding {
  const words = splitWords(args);
  const valueOf = (ref: ArgumentRef): string | null => {
    if (ref.kind === "all") return args;
    if (ref.kind === "position") return words[ref.index] ?? null;
    if (ref.kind === "named") return words[template.argumentNames.indexOf(ref.name)] ?? "";
    return variables[ref.name] ?? null;
  };
  const consumesArgument = refs.some((ref) => consumes(ref, words, template));
  return {
    valueOf,
    wordsOf: (ref) => (ref.kind === "all" ? words : null),
    appendTo: (text) => (consumesArgument || args === "" ? text : appendParagraph(text, `ARGUMENTS: ${args}`)),
  };
}

function consumes(ref: ArgumentRef, words: readonly string[], template: CommandTemplate): boolean {
  if (ref.kind === "all") return true;
  if (ref.kind === "position") return ref.index < words.length;
  return ref.kind === "named" && template.argumentNames.indexOf(ref.name) < words.length;
}

function toPosition(match: RegExpExecArray): ArgumentRef {
  return { kind: "position", index: Number(match[1]) };
}

function toNamed(match: RegExpExecArray): ArgumentRef {
  return { kind: "named", name: match[1] ?? "" };
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}
