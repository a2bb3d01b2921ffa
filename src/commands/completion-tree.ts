import type { Argument, Command, Option } from "commander";
import { BUILT_IN_IDS } from "../adapters/backend-ids.js";
import { CONFIG_KEY_NAMES } from "../config/schema.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export function isShell(word: string): word is Shell {
  return SHELLS.some((shell) => shell === word);
}

/** What may stand at a place: certain words, a file, a folder, or whatever the person likes (`free`). */
export type CompletionValue =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "files" | "folders" | "free" };

export interface CompletionOption {
  /** `-m`, `--model`. */
  readonly names: readonly string[];
  readonly description: string;
  /** The name of the value in the help, and what may stand there; null for an option without a value. */
  readonly value: NamedValue | null;
  readonly isRepeatable: boolean;
}

export type NamedValue = CompletionValue & { readonly name: string };

export interface CompletionArgument {
  readonly value: NamedValue;
  readonly isVariadic: boolean;
}

/** One command with all below it, as much of it as completing needs. */
export interface CompletionTree {
  readonly name: string;
  /** The words after the program's name that lead here: none for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletionOption[];
  readonly args: readonly CompletionArgument[];
  readonly commands: readonly CompletionTree[];
}

/** Reads the tree of commands. What help hides is not completed either. */
export function toCompletionTree(command: Command, path: readonly string[] = [], siblings: readonly string[] = []): CompletionTree {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const names = children.map((child) => child.name());
  return {
    name: command.name(),
    path,
    description: command.description(),
    options: help.visibleOptions(command).map(toOption),
    args: command.registeredArguments.map((argument) => toArgument(argument, siblings)),
    commands: children.map((child) => toCompletionTree(child, [...path, child.name()], names)),
  };
}

/** Every command of the tree, the outer before the inner. */
export function listTrees(tree: CompletionTree): readonly CompletionTree[] {
  return [tree, ...tree.commands.flatMap(listTrees)];
}

function toOption(option: Option): CompletionOption {
  const takesValue = option.required || option.optional;
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    description: option.description,
    value: takesValue ? toValue(findPlaceholder(option.flags), option.argChoices, []) : null,
    isRepeatable: option.variadic || option.description.includes("(repeatable)"),
  };
}

/** The argument of a `help` command is the name of a command beside it. */
function toArgument(argument: Argument, siblings: readonly string[]): CompletionArgument {
  return { value: toValue(argument.name(), argument.argChoices, siblings), isVariadic: argument.variadic };
}

/** `--backend <id>` -> `id`. */
function findPlaceholder(flags: string): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? "value";
}

/** What the names of values in the help stand for. */
const PLACEHOLDERS: Readonly<Record<string, CompletionValue>> = {
  id: { kind: "words", words: BUILT_IN_IDS },
  ids: { kind: "words", words: ["auto", ...BUILT_IN_IDS] },
  key: { kind: "words", words: CONFIG_KEY_NAMES },
  shell: { kind: "words", words: SHELLS },
  file: { kind: "files" },
  path: { kind: "files" },
  dir: { kind: "folders" },
};

function toValue(name: string, choices: readonly string[] | undefined, siblings: readonly string[]): NamedValue {
  if (choices !== undefined) return { name, kind: "words", words: choices };
  if (name === "command") return { name, kind: "words", words: siblings };
  return { name, ...(Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name] : undefined) ?? { kind: "free" } };
}
