import type { CommandTemplate } from "../types.js";
import { appendParagraph, type Binding, type BindInput, type Dialect, type PlaceholderRule } from "./dialect.js";

/**
 * Gemini CLI's rules (docs/cli/custom-commands.md), which Qwen Code took over: `{{args}}` is the text as typed, one
 * shell word inside of `!{…}`. A text without `{{args}}` gets the whole typed line as its last paragraph.
 */
export const geminiDialect: Dialect = {
  placeholders: () => [ARGS_RULE],
  shell: "braces",
  files: "braces",
  bind: bindArguments,
};

/** Qwen Code also knows `$ARGUMENTS`, inside of `!{…}` alone; its skills have no places for arguments. */
export const qwenDialect: Dialect = {
  ...geminiDialect,
  placeholders: (template: CommandTemplate) =>
    template.form === "skill" ? [] : [ARGS_RULE, { pattern: /\$ARGUMENTS(?!\w)/uy, read: () => ({ kind: "all" }), onlyInShell: true }],
};

const ARGS_RULE: PlaceholderRule = { pattern: /\{\{args\}\}/uy, read: () => ({ kind: "all" }) };

function bindArguments({ args, raw, refs }: BindInput): Binding {
  const hasPlace = refs.some((ref) => ref.kind === "all");
  return {
    valueOf: (ref) => (ref.kind === "all" ? args : null),
    appendTo: (text) => (hasPlace || args === "" ? text : appendParagraph(text, raw.trim())),
  };
}
