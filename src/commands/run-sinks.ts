import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/schema.js";
import { describeError, type JlgcliError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import { printable } from "../printable.js";
import { createRunId } from "../run-id.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import type { RunArtifacts } from "../sinks/artifacts.js";
import type { BudgetFlags } from "./budget-check.js";
import type { CommandIo } from "../command-io.js";

/** The flags for what a run leaves behind. */
export interface SinkFlags extends BudgetFlags {
  /** True: in the project's own folder. */
  readonly artifacts?: string | true;
  readonly quiet?: boolean;
}

/** What a run needs and leaves behind beside its answer. What was not asked for is not loaded. */
export interface RunSinks {
  /** The result of a run that must not begin: its budget is used up. */
  readonly refused: RunResult | null;
  /** The options of the run, with what the sinks need. */
  readonly options: RunOptions;
  /** Writes the artifacts. A failure makes a success a `cannot-create`, whose answer is still shown. */
  finish(result: RunResult): Promise<RunResult>;
  /** Tells where the run is kept, and adds it to the usage ledger. A failure only warns. */
  note(result: RunResult): Promise<void>;
}

/**
 * @throws JlgcliError `CANNOT_CREATE` for artifacts that cannot be written, and what `findBudgetEnd` throws.
 */
export async function openRunSinks(options: RunOptions, flags: SinkFlags, config: Config, io: CommandIo): Promise<RunSinks> {
  const refused = await findRefusal(options, flags, config);
  const opened = refused === null && flags.artifacts !== undefined && isFolder(options.cwd ?? io.cwd) ? await openArtifacts(options, flags.artifacts, config, io) : null;
  return {
    refused,
    options: {
      ...options,
      ...(opened === null ? {} : { runId: opened.runId, record: options.record ?? opened.artifacts.cassette }),
      onEvent: (event) => {
        opened?.artifacts.note(event);
        return options.onEvent?.(event);
      },
    },
    finish: async (result) => (opened === null ? result : finishArtifacts(opened.artifacts, result, options)),
    note: async (result) => {
      if (opened !== null && flags.quiet !== true) io.stderr(`jlgcli: this run is kept in ${printable(opened.artifacts.folder)}\n`);
      if (wasAsked(result) && !result.simulated && config.ledger !== false) await noteUsage(result, options, flags, io);
    },
  };
}

/** A run in a folder that is not there ends by itself; its artifacts must not make the folder. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function findRefusal(options: RunOptions, flags: SinkFlags, config: Config): Promise<RunResult | null> {
  if ((flags.maxCost ?? flags.maxTokens ?? config.maxCost ?? config.maxTokens) === undefined) return null;
  const { findBudgetEnd } = await import("./budget-check.js");
  return findBudgetEnd(flags, config, options);
}

async function openArtifacts(options: RunOptions, artifacts: string | true, config: Config, io: CommandIo) {
  const { createRunArtifacts } = await import("../sinks/artifacts.js");
  const { createRedactor } = await import("../sinks/redact.js");
  const { findRunsFolder } = await import("../sinks/run-folder.js");
  const { prompt, cwd = io.cwd, env = io.env } = options;
  const runId = options.runId ?? createRunId();
  const { backend = config.backend ?? null, model = null, access = config.access ?? null } = options;
  const place = artifacts === true || artifacts === "" ? { runsFolder: findRunsFolder(cwd, env), isInProject: true } : { runsFolder: resolve(io.cwd, artifacts), isInProject: false };
  const redactor = createRedactor({ ...env, ...config.env, ...options.extraEnv });
  return { runId, artifacts: createRunArtifacts({ runId, prompt, cwd, backend, model, access }, place, redactor) };
}

async function finishArtifacts(artifacts: RunArtifacts, result: RunResult, options: RunOptions): Promise<RunResult> {
  // The cassette is one of the artifacts; of all ends only a recording that cannot be written is this one.
  const isCassetteLost = result.status === "io-error" && options.record === undefined;
  const end: RunResult = isCassetteLost ? { ...result, status: "cannot-create", exitCode: exitCodeOf("cannot-create") } : result;
  const failure = artifacts.finish(end, options.record);
  return failure === null ? end : toUnkeptResult(end, failure, options);
}

async function toUnkeptResult(result: RunResult, failure: JlgcliError, options: RunOptions): Promise<RunResult> {
  if (result.status !== "success") return { ...result, warnings: [...result.warnings, failure.message] };
  await options.onAnswer?.(result.text);
  const { message: text, status, exitCode, hint: details } = failure;
  return { ...result, status, exitCode, text, ...(details === undefined ? {} : { details }), partialText: result.text };
}

/** The backend was started: it has an end of its own, or we have ended it. A run that was refused has used nothing. */
function wasAsked({ status, backendExitCode, backendSignal }: RunResult): boolean {
  return backendExitCode !== null || backendSignal !== null || ASKED_STATUSES.includes(status);
}

const ASKED_STATUSES: readonly RunResult["status"][] = ["success", "timeout", "interrupted"];

async function noteUsage(result: RunResult, options: RunOptions, flags: SinkFlags, io: CommandIo): Promise<void> {
  try {
    const { appendUsage } = await import("../sinks/usage-ledger.js");
    appendUsage(result, options.env ?? io.env);
  } catch (error) {
    if (flags.quiet !== true) io.stderr(`jlgcli: the usage of this run is not noted: ${describeError(error)}\n`);
  }
}
