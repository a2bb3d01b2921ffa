import { resolve } from "node:path";
import type { OutputFormat } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import type { GithubFiles } from "../sinks/github.js";
import type { CommandIo } from "../command-io.js";

/** The flags for places that a result goes to beside stdout. */
export interface OutputFlags {
  readonly outputFile?: string;
  readonly github?: boolean;
}

/** Where a result goes beside stdout. What was not asked for is not loaded. */
export interface RunOutputs {
  /** The streams of the run, on which an answer can give no commands to a CI system. */
  readonly io: CommandIo;
  /** Writes the result. A failure makes a success a `cannot-create`, whose answer is still shown. */
  finish(result: RunResult, onAnswer: RunOptions["onAnswer"]): Promise<RunResult>;
}

/** @throws JlgcliError `USAGE_INVALID` for `--github` outside of GitHub Actions. */
export async function openRunOutputs(flags: OutputFlags, format: OutputFormat, io: CommandIo): Promise<RunOutputs> {
  if (flags.outputFile === undefined && flags.github !== true) return { io, finish: async (result) => result };
  const github = flags.github === true ? await loadGithub(io) : null;
  const file = flags.outputFile === undefined ? null : resolve(io.cwd, flags.outputFile);
  return {
    io: github === null ? io : await toInertIo(io, format),
    finish: async (result, onAnswer) => {
      try {
        if (file !== null) await writeFile(file, result, format);
        if (github !== null) await writeGithub(github, result);
        return result;
      } catch (error) {
        if (!(error instanceof JlgcliError)) throw error;
        return toUnkept(result, error, onAnswer);
      }
    },
  };
}

async function loadGithub(io: CommandIo): Promise<GithubFiles> {
  const { findGithubFiles } = await import("../sinks/github.js");
  return findGithubFiles(io.env);
}

async function toInertIo(io: CommandIo, format: OutputFormat): Promise<CommandIo> {
  const { toInertJson, toInertText } = await import("../render/inert-text.js");
  const toInert = format === "text" ? toInertText : toInertJson;
  return { ...io, stdout: (text) => io.stdout(toInert(text)), stderr: (text) => io.stderr(toInertText(text)) };
}

/** As text there is a file for an answer alone; as JSON there is one for every end. */
async function writeFile(file: string, result: RunResult, format: OutputFormat): Promise<void> {
  if (format === "text" && result.status !== "success") return;
  const { writeAnswerFile } = await import("../sinks/answer-file.js");
  const text = format === "text" ? result.text : JSON.stringify(result);
  writeAnswerFile(file, text.endsWith("\n") ? text : `${text}\n`);
}

async function writeGithub(files: GithubFiles, result: RunResult): Promise<void> {
  const { writeGithubFiles } = await import("../sinks/github.js");
  const { describeSummary } = await import("../render/summary.js");
  writeGithubFiles(files, result, describeSummary(result));
}

async function toUnkept(result: RunResult, failure: JlgcliError, onAnswer: RunOptions["onAnswer"]): Promise<RunResult> {
  if (result.status !== "success") return { ...result, warnings: [...result.warnings, failure.message] };
  await onAnswer?.(result.text);
  const { message: text, status, exitCode, hint: details } = failure;
  return { ...result, status, exitCode, text, ...(details === undefined ? {} : { details }), partialText: result.text };
}
