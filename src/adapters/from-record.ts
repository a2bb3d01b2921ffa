import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { findHome } from "../environment.js";
import { JlgcliError, describeError } from "../errors.js";
import type { AccessLevel } from "../events/schema.js";
import { exitCodeOf } from "../exit-codes.js";
import { createRunId } from "../run-id.js";
import { toChildEnv } from "../process/child-env.js";
import { runningFolderOf } from "../process/running-folder.js";
import { checkAvailability, describeSignedOut, toStringEnv } from "./availability.js";
import { createExecutor } from "./create-cli-executor-adapter.js";
import { createEventDelivery } from "./event-delivery.js";
import { DEFAULT_ACCESS, toOptionInvocation, type InvocationWarning } from "./invocation.js";
import { mergeJsonVariables } from "./merge-json.js";
import { createPrivateFiles, type FilePaths } from "./private-files.js";
import { guardPrompt, toArgv, toMentionEnv } from "./prompt-delivery.js";
import { resolveRecordFile } from "./record-files.js";
import { namesSameModel } from "./model-names.js";
import type { BackendRecord } from "./record.js";
import { withDeliveredSchema } from "./schema-delivery.js";
import { toShutOffEnv } from "./unasked-service.js";
import type { ChildProcessSpawner, ResultEnvelope, RunRequest } from "./traits.js";
import type { Adapter, AdapterRunOnceArgs, AdapterRunOnceResult, Invocation } from "./types.js";

/** What one instance of an adapter does otherwise than its record says. */
export interface AdapterOverrides {
  readonly command?: string;
  readonly commandArgs?: readonly string[];
  readonly spawner?: ChildProcessSpawner;
  /** The id that a recording names, where it is not the record's own: the backend whose record reads it when it is played. */
  readonly recordedId?: string;
}

/** Makes the adapter of a backend from its record; `id` is the record's executor id. */
export function adapterFromRecord(record: BackendRecord, overrides: AdapterOverrides = {}): Adapter {
  const loadSpawner = async (): Promise<ChildProcessSpawner> => overrides.spawner ?? (await loadProcessSpawner());
  return {
    id: record.traits.executorId,
    simulated: record.kind === "simulated",
    defaultAccess: record.options?.access === undefined ? null : DEFAULT_ACCESS,
    isAvailable: (options = {}) => checkAvailability(record, { ...options, loadSpawner }),
    tellsCost: async () => record.traits.output.costPath !== undefined,
    runOnce: (args) => runFromRecord(record, overrides, loadSpawner, withDeliveredSchema(record, args)),
    describeInvocation: async (args) => toInvocation(record, overrides, withDeliveredSchema(record, args)),
  };
}

async function loadProcessSpawner(): Promise<ChildProcessSpawner> {
  const { createProcessSpawner } = await import("../process/spawner.js");
  return createProcessSpawner({ runningFolder: runningFolderOf(findHome(process.env)) });
}

async function runFromRecord(
  record: BackendRecord,
  overrides: AdapterOverrides,
  loadSpawner: () => Promise<ChildProcessSpawner>,
  args: AdapterRunOnceArgs,
): Promise<AdapterRunOnceResult> {
  const inputProblem = findCwdProblem(args.cwd) ?? findAttachmentProblem(args.attachments ?? []);
  if (inputProblem !== null) return { status: "no-input", exitCode: exitCodeOf("no-input"), text: inputProblem };
  // What can be refused is refused before a file is made.
  const options = toOptionInvocation(record, args);
  refuseUnenforceable(record, options.access, args);
  await tellWarnings(options.warnings, args);
  const files = createPrivateFiles(options.files);
  try {
    const result = await runWithFiles(record, overrides, loadSpawner, args, files.paths);
    return options.warnings.length === 0 ? result : { ...result, warnings: [...options.warnings.map(({ message }) => message), ...(result.warnings ?? [])] };
  } finally {
    files.remove();
  }
}

/** What the caller's callback throws is its own fault. */
async function tellWarnings(warnings: readonly InvocationWarning[], { onEvent }: AdapterRunOnceArgs): Promise<void> {
  const delivery = createEventDelivery(onEvent === undefined ? {} : { onEvent });
  await delivery.deliver(warnings.map((warning) => ({ type: "warning", ...warning })));
}

async function runWithFiles(
  record: BackendRecord,
  overrides: AdapterOverrides,
  loadSpawner: () => Promise<ChildProcessSpawner>,
  args: AdapterRunOnceArgs,
  paths: FilePaths,
): Promise<AdapterRunOnceResult> {
  const options = toOptionInvocation(record, args, paths);
  const env = toRunEnv(record, args);
  const { spawner, finish } = await loadTappedSpawner(record, overrides, args, await loadSpawner());
  const adapter = createExecutor(record.traits, { ...overrides, spawner });
  const request: RunRequest = {
    prompt: args.prompt,
    workspace: { id: args.cwd, rootPath: resolve(args.cwd), capabilities: ["read", "write"] },
    env,
    extraArgs: options.extraArgs,
    deadlines: toDeadlines(args),
    resumed: args.resume !== undefined,
    ...(args.signal === undefined ? {} : { signal: args.signal }),
    ...(args.onEvent === undefined ? {} : { onEvent: args.onEvent }),
    ...(args.onAnswer === undefined ? {} : { onAnswer: args.onAnswer }),
  };
  const result = withModelMatch(toAdapterResult(await adapter.run(request), record), record, args.model);
  const problem = finish();
  return problem === null ? result : { ...result, ...toUnrecordedEnd(problem, result) };
}

/** @throws JlgcliError `BACKEND_OPTION_UNSUPPORTED` where a file of the user's would let the backend do more than the level says. */
function refuseUnenforceable(record: BackendRecord, access: AccessLevel | null, args: AdapterRunOnceArgs): void {
  const env = args.env ?? toStringEnv(process.env);
  const refusal = access === null ? undefined : record.options?.access?.[access]?.refuseIf;
  if (refusal === undefined) return;
  const pattern = new RegExp(refusal.matches, "u");
  const path = refusal.files.map((file) => resolveRecordFile(file, env, args.cwd)).find((file) => file !== null && pattern.test(readIfThere(file)));
  if (path === undefined || path === null) return;
  throw new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `${record.displayName} cannot honour --access ${String(access)}: ${refusal.because}`, {
    hint: `they stand in ${path}; choose another level, or take them out`,
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A record knows which names its backend gives to one model. */
function withModelMatch(result: AdapterRunOnceResult, record: BackendRecord, requested: string | undefined): AdapterRunOnceResult {
  if (requested === undefined || result.model === undefined || result.model === null) return result;
  return { ...result, modelMatches: namesSameModel(requested, result.model, record.options?.model?.aliases) };
}

/** A recording that was asked for and is not there fails the run; its answer is kept. */
function toUnrecordedEnd(problem: JlgcliError, { partialText, text, exitCode }: AdapterRunOnceResult): Partial<AdapterRunOnceResult> {
  const answer = exitCode === exitCodeOf("success") ? text : (partialText ?? null);
  return { status: problem.status, exitCode: problem.exitCode, text: problem.message, partialText: answer };
}

/** A missing directory must not look like a missing program, as the system's own error does. */
function findCwdProblem(cwd: string): string | null {
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (stats === undefined) return `the working directory ${cwd} does not exist`;
  return stats.isDirectory() ? null : `the working directory ${cwd} is not a directory`;
}

function findAttachmentProblem(files: readonly string[]): string | null {
  const missing = files.find((file) => !isReadableFile(file));
  return missing === undefined ? null : `the attachment ${missing} does not exist, or is no file that can be read`;
}

function isReadableFile(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function toRunEnv(record: BackendRecord, args: AdapterRunOnceArgs): Record<string, string> {
  const options = toOptionInvocation(record, args);
  const env = args.env ?? toStringEnv(process.env);
  const shutOff = toShutOffEnv(record, args.model, env);
  return toChildEnv(env, {
    set: { ...options.envSet, ...toMentionEnv(record.traits, args.prompt), ...shutOff.set, ...mergeJsonVariables(env, [...options.envMergeJson, shutOff.mergeJson ?? {}]) },
    remove: [...options.envRemove, ...(shutOff.remove ?? [])],
    runId: args.runId ?? createRunId(),
    cwd: resolve(args.cwd),
  });
}

function toDeadlines(args: AdapterRunOnceArgs) {
  return {
    ...(args.timeoutMs === undefined ? {} : { totalMs: args.timeoutMs }),
    ...(args.idleTimeoutMs === undefined ? {} : { idleMs: args.idleTimeoutMs }),
    ...(args.firstByteTimeoutMs === undefined ? {} : { firstByteMs: args.firstByteTimeoutMs }),
  };
}

interface TappedSpawner {
  readonly spawner: ChildProcessSpawner;
  /** Puts the recording in its place; gives what went wrong, or null. */
  readonly finish: () => JlgcliError | null;
}

/**
 * With `record`, what the child prints also goes to a recording.
 * @throws JlgcliError `CANNOT_CREATE` where the file cannot be made: then nothing is spawned.
 */
async function loadTappedSpawner(
  record: BackendRecord,
  overrides: AdapterOverrides,
  args: AdapterRunOnceArgs,
  spawner: ChildProcessSpawner,
): Promise<TappedSpawner> {
  if (args.record === undefined) return { spawner, finish: () => null };
  const { createCassetteWriter } = await import("../sinks/cassette-writer.js");
  const { createRecordingSpawner } = await import("../sinks/recording-spawner.js");
  const { createRedactor } = await import("../sinks/redact.js");
  const redactor = createRedactor(toRunEnv(record, args));
  const writer = createCassetteWriter(args.record, { backend: overrides.recordedId ?? record.id, backendVersion: null }, redactor);
  return {
    spawner: createRecordingSpawner(spawner, writer),
    finish: () => {
      try {
        writer.close();
        return null;
      } catch (error) {
        if (error instanceof JlgcliError) return error;
        return new JlgcliError("OUTPUT_FAILED", `the recording ${args.record ?? ""} could not be written: ${describeError(error)}`, { cause: error });
      }
    },
  };
}

/** What a run would spawn. */
function toInvocation(record: BackendRecord, overrides: AdapterOverrides, args: AdapterRunOnceArgs): Invocation {
  const options = toOptionInvocation(record, args);
  const prompt = guardPrompt(record.traits, args.prompt);
  const before = args.env ?? toStringEnv(process.env);
  const after = toRunEnv(record, args);
  return {
    command: overrides.command ?? record.traits.command,
    args: [...(overrides.commandArgs ?? []), ...toArgv(record.traits, { prompt, extraArgs: options.extraArgs })],
    cwd: resolve(args.cwd),
    envSet: Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value)),
    envRemoved: Object.keys(before).filter((name) => after[name] === undefined),
    promptDelivery: record.traits.promptDelivery,
    prompt,
  };
}

/** Envelope to result: the one place where the engine's words become the runner's. Pure. */
export function toAdapterResult(envelope: ResultEnvelope, record: BackendRecord): AdapterRunOnceResult {
  const { run } = envelope;
  if (run === undefined) {
    const success = envelope.status === "ok";
    return { exitCode: exitCodeOf(success ? "success" : "error"), text: envelope.errors?.[0]?.message ?? envelope.summary, raw: envelope };
  }
  const details = DETAILS[run.status]?.(record);
  return { ...run, raw: envelope, ...(details === undefined ? {} : { details }) };
}

/** The next step for the ends that have one. */
const DETAILS: Partial<Readonly<Record<string, (record: BackendRecord) => string | undefined>>> = {
  "backend-unauthenticated": describeSignedOut,
  "backend-missing": (record) => (record.availability?.install === undefined ? undefined : `install it with: ${record.availability.install}`),
};
