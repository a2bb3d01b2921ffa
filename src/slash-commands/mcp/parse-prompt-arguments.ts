import { CommandFailure } from "../command-failure.js";
import { splitWords } from "../split-words.js";
import { suggestNames } from "../suggest-names.js";
import type { CommandArgument } from "../types.js";

/**
 * What was typed after a prompt's name, as the arguments that the prompt declares: `--key=value`, `--key "a value"`, and
 * words without a name, which fill the required arguments in their order, then the optional ones. A single open required
 * argument takes all the remaining text as it stands. An empty value is a value. Throws `CommandFailure` for what is
 * missing, unknown or too much.
 */
export async function parsePromptArguments(typed: string, declared: readonly CommandArgument[], label: string): Promise<Record<string, string>> {
  const { values, rest, unknown } = takeNamed(typed, declared, label);
  if (unknown !== null) throw await describeUnknown(unknown, declared, label);
  const open = declared.filter((argument) => !Object.hasOwn(values, argument.name));
  const required = open.filter((argument) => argument.required);
  const [only] = required.length > 0 ? required : open;
  if (rest !== "" && only !== undefined && (required.length === 1 || open.length === 1)) values[only.name] = unquoteWhole(rest);
  else fillInOrder(values, splitWords(rest), [...required, ...open.filter((argument) => !argument.required)], label);
  const missing = declared.filter((argument) => argument.required && !Object.hasOwn(values, argument.name));
  if (missing.length > 0) throw describeMissing(missing, label);
  return values;
}

interface Named {
  readonly values: Record<string, string>;
  readonly rest: string;
  /** The first key with a value that nobody declared. */
  readonly unknown: string | null;
}

/** Takes `--key…` of declared keys out of the text. What else begins with two dashes is text, unless it has a value. */
function takeNamed(typed: string, declared: readonly CommandArgument[], label: string): Named {
  const values: Record<string, string> = {};
  let unknown: string | null = null;
  const pattern = /(^|\s)--([^\s=]+)(?:=("(?:[^"\\]|\\[^])*"|'[^']*'|\S*)|\s+("(?:[^"\\]|\\[^])*"|'[^']*'|[^\s-]\S*|-(?!-)\S*))?(?=\s|$)/gu;
  const rest = typed.replace(pattern, (all: string, before: string, key: string, assigned?: string, following?: string) => {
    const isDeclared = declared.some((argument) => argument.name === key);
    if (!isDeclared) {
      if (assigned !== undefined) unknown ??= key;
      return all;
    }
    const value = assigned ?? following;
    if (value === undefined) throw new CommandFailure("usage", `${label}: --${key} has no value`, `write --${key}="…"`);
    values[key] = unquoteWhole(value);
    return before;
  });
  return { values, rest: rest.trim(), unknown };
}

function unquoteWhole(text: string): string {
  const [, double, single] = /^"((?:[^"\\]|\\[^])*)"$|^'([^']*)'$/u.exec(text) ?? [];
  return double?.replace(/\\(["\\])/gu, "$1") ?? single ?? text;
}

function fillInOrder(values: Record<string, string>, words: readonly string[], open: readonly CommandArgument[], label: string): void {
  words.forEach((word, index) => {
    const argument = open[index];
    if (argument === undefined) throw new CommandFailure("usage", `${label}: nothing takes the argument ${JSON.stringify(word)}`, describeCall(label, open));
    values[argument.name] = word;
  });
}

async function describeUnknown(key: string, declared: readonly CommandArgument[], label: string): Promise<CommandFailure> {
  const [guess] = await suggestNames(key, declared.map((argument) => argument.name));
  return new CommandFailure("usage", `${label} has no argument --${key}`, guess === undefined ? describeCall(label, declared) : `did you mean --${guess}?`);
}

function describeMissing(missing: readonly CommandArgument[], label: string): CommandFailure {
  const names = missing.map(({ name, description }) => `--${name}${description === null ? "" : ` (${description})`}`);
  return new CommandFailure("usage", `${label}: missing argument${missing.length > 1 ? "s" : ""} ${names.join(", ")}`, describeCall(label, missing));
}

function describeCall(label: string, args: readonly CommandArgument[]): string {
  return `call it as ${[label, ...args.map(({ name }) => `--${name}="…"`)].join(" ")}`;
}
