import { CommandFailure } from "../command-failure.js";
import { splitWords } from "../split-words.js";
import type { ArgumentRef, Binding, BindInput, Dialect } from "./dialect.js";

/**
 * Codex's rules for `$CODEX_HOME/prompts` (openai/codex, custom prompts, up to 0.116): `$1`…`$9` from 1, empty where
 * missing; `$ARGUMENTS` is all words joined by blanks; `$$` stays. A text with `$UPPER_CASE` places takes `KEY=value`
 * words only, each place must get one, and numbers are then left alone.
 */
export const codexDialect: Dialect = {
  placeholders: () => [
    { pattern: /\$\$(?:[A-Z][A-Z0-9_]*)?/uy, read: (match) => match[0] },
    { pattern: /\$([1-9])/uy, read: (match) => ({ kind: "position", index: Number(match[1]) - 1 }) },
    { pattern: /\$ARGUMENTS(?![A-Z0-9_])/uy, read: () => ({ kind: "all" }) },
    { pattern: /\$([A-Z][A-Z0-9_]*)/uy, read: (match) => ({ kind: "named", name: match[1] ?? "" }) },
  ],
  shell: "none",
  files: "none",
  bind: bindArguments,
};

function bindArguments(input: BindInput): Binding {
  const names = [...new Set(input.refs.flatMap((ref) => (ref.kind === "named" ? [ref.name] : [])))];
  return names.length > 0 ? bindNamed(input, names) : bindPositions(input);
}

function bindPositions({ args, label, refs }: BindInput): Binding {
  const words = splitWords(args);
  const valueOf = (ref: ArgumentRef): string | null => {
    if (ref.kind === "all") return words.join(" ");
    return ref.kind === "position" ? (words[ref.index] ?? "") : null;
  };
  const ignored = refs.length === 0 && words.length > 0;
  return { valueOf, appendTo: (text) => text, notices: ignored ? [`${label} takes no arguments: ${JSON.stringify(args)} was left out`] : [] };
}

function bindNamed({ args, label }: BindInput, names: readonly string[]): Binding {
  const values = new Map(splitWords(args).map((word) => parsePair(word, label, names)));
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0) {
    throw new CommandFailure("usage", `${label}: missing argument${missing.length > 1 ? "s" : ""} ${missing.join(", ")}`, describeCall(label, names));
  }
  return { valueOf: (ref) => (ref.kind === "named" ? (values.get(ref.name) ?? null) : null), appendTo: (text) => text };
}

function parsePair(word: string, label: string, names: readonly string[]): [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new CommandFailure("usage", `${label}: expected KEY=value, got ${JSON.stringify(word)}`, describeCall(label, names));
  return [word.slice(0, at), word.slice(at + 1)];
}

function describeCall(label: string, names: readonly string[]): string {
  return `call it as ${label} ${names.map((name) => `${name}="…"`).join(" ")}`;
}
