import { CommandFailure } from "./command-failure.js";
import type { Binding } from "./dialects/dialect.js";
import type { ValueNode } from "./parse-template.js";

export interface ShellScript {
  readonly script: string;
  /** The values of the arguments. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A script for `sh -c`. Values never become part of it: they stand in variables, so that whatever a person or a file
 * put in there is data, wherever in the script it lands. An unquoted place gets whole words, a quoted one the text.
 */
export function toPosixScript(nodes: readonly ValueNode[], binding: Binding): ShellScript {
  const env: Record<string, string> = {};
  const reference = (value: string): string => {
    const name = `JLGCLI_ARGUMENT_${String(Object.keys(env).length)}`;
    env[name] = value;
    return `\${${name}}`;
  };
  let script = "";
  let quote: Quote = "none";
  for (const node of nodes) {
    const value = node.type === "argument" ? binding.valueOf(node.ref) : null;
    if (node.type === "text" || value === null) {
      const text = node.type === "text" ? node.text : node.raw;
      script += text;
      quote = quoteAfter(text, quote);
      continue;
    }
    const words = (quote === "none" ? binding.wordsOf?.(node.ref) : null) ?? (value === "" && quote === "none" ? [] : [value]);
    script += words.map((word) => QUOTED[quote](reference(word))).join(" ");
  }
  return { script, env };
}

/**
 * A script for `cmd /d /s /c`. It expands variables before it parses, so that no way of quoting makes every value safe:
 * one that holds a character with a meaning is refused.
 */
export function toWindowsScript(nodes: readonly ValueNode[], binding: Binding, label: string): ShellScript {
  const script = nodes.map((node) => {
    const value = node.type === "argument" ? binding.valueOf(node.ref) : null;
    if (node.type === "text" || value === null) return node.type === "text" ? node.text : node.raw;
    if (/["%!^&|<>()\r\n]/u.test(value)) {
      throw new CommandFailure("usage", `${label}: the argument ${JSON.stringify(value)} cannot be passed safely to cmd.exe`, "leave out \" % ! ^ & | < > ( ) and new lines");
    }
    return /\s/u.test(value) ? `"${value}"` : value;
  });
  return { script: script.join(""), env: {} };
}

type Quote = "none" | "single" | "double";

const QUOTED: Readonly<Record<Quote, (reference: string) => string>> = {
  none: (reference) => `"${reference}"`,
  double: (reference) => reference,
  single: (reference) => `'"${reference}"'`,
};

/** In which quotes a script stands after some more text. A wrong guess (a here-document) costs words, never safety. */
function quoteAfter(text: string, before: Quote): Quote {
  let quote = before;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\" && quote !== "single") index += 1;
    else if (character === "'" && quote !== "double") quote = quote === "single" ? "none" : "single";
    else if (character === '"' && quote !== "single") quote = quote === "double" ? "none" : "double";
  }
  return quote;
}
