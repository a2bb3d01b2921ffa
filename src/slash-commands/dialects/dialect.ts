import type { CommandTemplate } from "../types.js";

/** A place in a template that a value goes to. */
export type ArgumentRef =
  /** Everything that was typed after the name. */
  | { readonly kind: "all" }
  /** One word of it, from 0. */
  | { readonly kind: "position"; readonly index: number }
  | { readonly kind: "named"; readonly name: string; readonly placeholder?: string }
  /** A value that the surroundings know, for instance a folder. */
  | { readonly kind: "variable"; readonly name: string };

export interface PlaceholderRule {
  /** Sticky. */
  readonly pattern: RegExp;
  /** A reference; or text that stands for itself (an escaped placeholder). */
  readonly read: (match: RegExpExecArray) => ArgumentRef | string;
  /** Only inside of shell blocks. */
  readonly onlyInShell?: boolean;
}

export interface BindInput {
  /** All that was typed after the name, verbatim. */
  readonly args: string;
  /** The whole text that was typed. */
  readonly raw: string;
  /** The name with its slash, for messages. */
  readonly label: string;
  /** Every reference of the template. */
  readonly refs: readonly ArgumentRef[];
  readonly template: CommandTemplate;
  readonly variables: Readonly<Record<string, string>>;
}

/** The values of one call. */
export interface Binding {
  /** The value of a place; null leaves the place as it is written. */
  readonly valueOf: (ref: ArgumentRef) => string | null;
  /** The words for an unquoted place of a shell block. Absent: the value is one word. */
  readonly wordsOf?: (ref: ArgumentRef) => readonly string[] | null;
  /** What becomes of arguments that the template has no place for. */
  readonly appendTo: (text: string) => string;
  readonly notices?: readonly string[];
}

/** How a vendor's files are read. */
export interface Dialect {
  readonly placeholders: (template: CommandTemplate) => readonly PlaceholderRule[];
  /** `` !`cmd` `` and ```` ```! ```` blocks; or `!{cmd}`. */
  readonly shell: "backticks" | "braces" | "none";
  /** `@path`, left in the sentence, its content at the end; or `@{path}`, its content in this place. */
  readonly files: "mentions" | "braces" | "none";
  /** Gives the values, or throws a `CommandFailure` that names what is missing. Runs before anything else happens. */
  readonly bind: (input: BindInput) => Binding;
}

export function appendParagraph(text: string, paragraph: string): string {
  return paragraph === "" ? text : `${text.trimEnd()}\n\n${paragraph}`;
}
