import type { core } from "zod/mini";
import { didYouMean } from "../did-you-mean.js";
import { preview, printable } from "../printable.js";
import type { TraitProblem } from "./validate-traits.js";

/** What one fault that the schema found means: where (`traits.output.events[0].emit`), and why. */
export function listProblems(issue: core.$ZodIssue, root: unknown): readonly TraitProblem[] {
  return describeAt(issue, [], root);
}

function describeAt(issue: core.$ZodIssue, above: readonly PropertyKey[], root: unknown): readonly TraitProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") return describeUnknownKeys(issue, path);
  const value = findAt(root, path);
  if (issue.code === "invalid_union" && value !== undefined) {
    const likely = findLikelyForm(issue.errors);
    if (likely !== null) return likely.flatMap((inner) => describeAt(inner, path, root));
  }
  return [{ path: toText(path), reason: value === undefined ? "is required" : describeValue(issue, value) }];
}

/** The schema gives one line for each key. */
function describeUnknownKeys(issue: core.$ZodIssueUnrecognizedKeys, path: readonly PropertyKey[]): readonly TraitProblem[] {
  const lines = issue.message.split("\n");
  return issue.keys.map((name, index) => ({ path: toText([...path, name]), reason: lines[index] ?? "unknown key" }));
}

/** Of several allowed forms the one that the writer most likely meant; null where none comes near. */
function findLikelyForm(forms: readonly (readonly core.$ZodIssue[])[]): readonly core.$ZodIssue[] | null {
  const costs = forms.map((issues) => issues.reduce((sum, issue) => sum + costOf(issue), 0));
  const lowest = Math.min(...costs);
  return lowest >= OTHER_TYPE_COST ? null : (forms[costs.indexOf(lowest)] ?? null);
}

const OTHER_TYPE_COST = 100;

/** A fault further inside says that the form is the right one; a foreign or missing key says that it is not. */
function costOf(issue: core.$ZodIssue): number {
  if (issue.path.length > 1) return 0;
  if (issue.code === "unrecognized_keys") return issue.path.length === 0 ? issue.keys.length : 0;
  if (issue.path.length === 0) return OTHER_TYPE_COST;
  return 0.5;
}

function describeValue(issue: core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${TYPE_NAMES[issue.expected] ?? issue.expected}, got ${preview(value)}`;
    case "invalid_value":
      return describeChoice(issue.values.map(String), value);
    case "too_small":
      return `must be at least ${issue.minimum}, got ${preview(value)}`;
    case "too_big":
      return `must be at most ${issue.maximum}, got ${preview(value)}`;
    case "invalid_key":
      return "is not allowed as a name";
    default:
      return `${issue.message}, got ${preview(value)}`;
  }
}

function describeChoice(allowed: readonly string[], value: unknown): string {
  const meant = typeof value === "string" ? didYouMean(value, allowed) : null;
  return `expected one of ${allowed.join(", ")}, got ${preview(value)}${meant === null ? "" : `; did you mean ${JSON.stringify(meant)}?`}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

function findAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((holder, name) => Object.getOwnPropertyDescriptor(Object(holder), name)?.value, root);
}

function toText(path: readonly PropertyKey[]): string {
  const text = path.map((name) => (typeof name === "number" ? `[${name}]` : `.${String(name)}`)).join("");
  return printable(text.replace(/^\./, ""));
}
