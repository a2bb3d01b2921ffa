import { CommandFailure } from "../command-failure.js";
import { appendParagraph, type ArgumentRef, type Binding, type BindInput, type Dialect } from "./dialect.js";

/**
 * Prompt files of VS Code (code.visualstudio.com/docs/copilot, "Prompt files"): `${input:name}` and
 * `${input:name:placeholder}`, given as `name=value`; a single open one takes all the remaining text.
 * The editor would ask for a missing one; here it is an error that names it. `${selection}`, `${file}` and other
 * variables that only an editor knows stay as they are written.
 */
export const vscodeDialect: Dialect = {
  placeholders: () => [
    { pattern: /\$\{input:([^}:\n]{1,200})(?::([^}\n]{0,1000}))?\}/uy, read: toInput },
    { pattern: /\$\{(workspaceFolder|workspaceFolderBasename)\}/uy, read: (match) => ({ kind: "variable", name: match[1] ?? "" }) },
  ],
  shell: "none",
  files: "none",
  bind: bindArguments,
};

function toInput(match: RegExpExecArray): ArgumentRef {
  const [, name = "", placeholder] = match;
  return { kind: "named", name: name.trim(), ...(placeholder === undefined ? {} : { placeholder }) };
}

function bindArguments({ args, label, refs, variables }: BindInput): Binding {
  const names = [...new Set(refs.flatMap((ref) => (ref.kind === "named" ? [ref.name] : [])))];
  const { values, rest } = takePairs(args, names);
  const open = names.filter((name) => !values.has(name));
  const [onlyOpen] = open;
  const takesRest = open.length === 1 && onlyOpen !== undefined && rest !== "";
  if (takesRest) values.set(onlyOpen, rest);
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0) throw missingInputs(label, missing, refs);
  return {
    valueOf: (ref) => (ref.kind === "named" ? (values.get(ref.name) ?? null) : ref.kind === "variable" ? (variables[ref.name] ?? null) : null),
    appendTo: (text) => (takesRest ? text : appendParagraph(text, rest)),
  };
}

/** Takes `name=value` and `name="a value"` of declared names out of the text; the rest is kept verbatim. */
function takePairs(args: string, names: readonly string[]): { values: Map<string, string>; rest: string } {
  const values = new Map<string, string>();
  const rest = args.replace(/(^|\s)([^\s="']+)=(?:"((?:[^"\\]|\\[^])*)"|(\S*))/gu, (all, before: string, name: string, quoted?: string, plain?: string) => {
    if (!names.includes(name)) return all;
    values.set(name, quoted?.replace(/\\(["\\])/gu, "$1") ?? plain ?? "");
    return before;
  });
  return { values, rest: rest.trim() };
}

function missingInputs(label: string, missing: readonly string[], refs: readonly ArgumentRef[]): CommandFailure {
  const described = missing.map((name) => {
    const ref = refs.find((candidate) => candidate.kind === "named" && candidate.name === name && candidate.placeholder !== undefined);
    return ref?.kind === "named" && ref.placeholder !== undefined ? `${name} (${ref.placeholder})` : name;
  });
  const call = missing.map((name) => `${name}="…"`).join(" ");
  return new CommandFailure("usage", `${label}: missing argument${missing.length > 1 ? "s" : ""} ${described.join(", ")}`, `call it as ${label} ${call}`);
}
