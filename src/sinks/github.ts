import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { JlgcliError, describeError } from "../errors.js";
import type { RunResult } from "../events/schema.js";

/** The files that a step of GitHub Actions is given to write to. */
export interface GithubFiles {
  readonly output: string | null;
  readonly summary: string | null;
}

/** @throws JlgcliError `USAGE_INVALID` outside of a step. */
export function findGithubFiles(env: Readonly<Record<string, string>>): GithubFiles {
  const output = env["GITHUB_OUTPUT"] || null;
  const summary = env["GITHUB_STEP_SUMMARY"] || null;
  if (output !== null || summary !== null) return { output, summary };
  throw new JlgcliError("USAGE_INVALID", "--github: neither GITHUB_OUTPUT nor GITHUB_STEP_SUMMARY is set", {
    hint: "they are set in the steps of GitHub Actions; elsewhere use --output-file or --json",
  });
}

/**
 * Gives a result to the later steps of a job, and to the page of the run.
 * @param summary one line about the run.
 * @throws JlgcliError `CANNOT_CREATE`
 */
export function writeGithubFiles(files: GithubFiles, result: RunResult, summary: string): void {
  append(files.output, toOutputs(result));
  append(files.summary, toStepSummary(result, summary));
}

function append(path: string | null, text: string): void {
  if (path === null) return;
  try {
    appendFileSync(path, text);
  } catch (error) {
    throw new JlgcliError("CANNOT_CREATE", `${path}: cannot be written: ${describeError(error)}`, { cause: error });
  }
}

/** GitHub takes 1 MiB for an output and for a summary, and fails the step above it; it counts bytes of UTF-8, a character has at most 3 per unit. */
const MAX_CHARS = 300_000;

function toOutputs(result: RunResult): string {
  const answer = findAnswer(result);
  const outputs: readonly (readonly [name: string, value: string])[] = [
    ["result", cut(answer)],
    ["error", result.status === "success" ? "" : cut(result.text)],
    ["status", result.status],
    ["exit-code", String(result.exitCode)],
    ["backend", result.backend],
    ["session-id", result.sessionId ?? ""],
    ["structured", result.structured === undefined ? "" : JSON.stringify(result.structured)],
  ];
  return outputs.map(([name, value]) => toOutput(name, value)).join("");
}

/**
 * A value between delimiters that nobody can know before, so that none can end it early and set other outputs.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions#multiline-strings
 */
function toOutput(name: string, value: string): string {
  const delimiter = `jlgcli_${randomUUID()}`;
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

function toStepSummary(result: RunResult, summary: string): string {
  const answer = cut(findAnswer(result));
  const problem = result.status === "success" ? "" : `**${toText(result.text)}**\n\n`;
  return `${problem}${answer}${answer === "" ? "" : "\n\n"}<sub>${toText(summary)}</sub>\n\n`;
}

function findAnswer(result: RunResult): string {
  return result.status === "success" ? result.text : (result.partialText ?? "");
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS)}\n\n[cut: the whole has ${text.length} characters; --output-file keeps it]`;
}

/** As text on a page: no mark of Markdown or HTML in it counts. */
function toText(text: string): string {
  return text.replaceAll(/\s+/g, " ").replace(/[&<>]/g, (mark) => ({ "&": "&amp;", "<": "&lt;" })[mark] ?? "&gt;").replace(/[\\`*_[\]#|~!]/g, "\\$&");
}
