import { JlgcliError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import { compileSchema, type SchemaCheck } from "./json-schema.js";
import { parseJsonAnswer } from "./json-answer.js";
import { warn, type Recovery } from "./recover.js";
import { toUnstartedResult } from "./run.js";
import type { RunOptions, RunResult } from "./types.js";

/** How many violations a sentence names. */
const TOLD_VIOLATIONS = 10;

/**
 * Runs a prompt whose answer must be valid against a schema. An answer that is not is asked for again, with what was
 * wrong with it, at most `repairs` times; then the result is `invalid-data`, and the last answer stands in `partialText`.
 */
export async function runStructured(options: RunOptions & { readonly schema: string }, repairs: number, recovery: Recovery): Promise<RunResult> {
  const { onAnswer, ...quiet } = options;
  let check: SchemaCheck;
  try {
    check = await compileSchema(options.schema);
  } catch (error) {
    if (!(error instanceof JlgcliError)) throw error;
    return toUnstartedResult(error, options);
  }
  let broken: BrokenAnswer | null = null;
  for (let repair = 0; ; repair += 1) {
    const prompt = broken === null ? options.prompt : toRepairPrompt(options.prompt, broken);
    const result = await recovery.run({ ...quiet, prompt }, broken === null ? "first" : "repair");
    if (result.status !== "success") return broken === null || result.partialText !== null ? result : { ...result, partialText: broken.text };
    const checked = checkAnswer(result, check);
    if (checked.kind === "valid") return handOn({ ...result, text: checked.text, structured: checked.value }, onAnswer);
    broken = { text: result.text, violations: checked.violations };
    recovery.tally.blame(describeViolations(broken.violations));
    if (repair >= repairs) return toInvalidResult(result, broken.violations);
    await warn(options, "repair", `${describeViolations(broken.violations)}; ${result.backend} is asked again`);
  }
}

interface BrokenAnswer {
  readonly text: string;
  readonly violations: readonly string[];
}

type CheckedAnswer = { readonly kind: "valid"; readonly text: string; readonly value: unknown } | { readonly kind: "broken"; readonly violations: readonly string[] };

/** The value that the backend gave as such, else the one that its answer says. */
function checkAnswer(result: RunResult, check: SchemaCheck): CheckedAnswer {
  const answer = parseJsonAnswer(result.text) ?? (result.structured === undefined ? null : { text: JSON.stringify(result.structured), value: result.structured });
  if (answer === null) return { kind: "broken", violations: ["the answer is not JSON"] };
  const value = result.structured ?? answer.value;
  const violations = check(value);
  return violations.length > 0 ? { kind: "broken", violations } : { kind: "valid", text: answer.text, value };
}

async function handOn(result: RunResult, onAnswer: RunOptions["onAnswer"]): Promise<RunResult> {
  try {
    await onAnswer?.(result.text);
  } catch {
    // A caller's throw never changes the result.
  }
  return result;
}

function toInvalidResult(result: RunResult, violations: readonly string[]): RunResult {
  const { structured: _structured, ...others } = result;
  return {
    ...others,
    status: "invalid-data",
    exitCode: exitCodeOf("invalid-data"),
    text: describeViolations(violations),
    partialText: result.text,
  };
}

function describeViolations(violations: readonly string[]): string {
  const told = violations.slice(0, TOLD_VIOLATIONS).join("; ");
  const more = violations.length - TOLD_VIOLATIONS;
  return `the answer does not match the schema: ${told}${more > 0 ? `; and ${more} more` : ""}`;
}

/** It resumes no session: a backend may have none, or keep none. */
function toRepairPrompt(prompt: string, { text, violations }: BrokenAnswer): string {
  return `${prompt}

---
An earlier answer to this could not be used. It was:
${text}

What is wrong with it:
${violations.map((violation) => `- ${violation}`).join("\n")}

Answer again, with JSON that puts this right.`;
}
