import { namesSameModel } from "../adapters/model-names.js";
import type { Adapter, AdapterAvailabilityStatus, AdapterRunOnceArgs, AdapterRunOnceResult } from "../adapters/types.js";
import { DEFAULT_BACKEND } from "../config/schema.js";
import { JlgcliError, describeError } from "../errors.js";
import { SCHEMA_VERSION, type RunEvent } from "../events/schema.js";
import { exitCodeOf, statusOfExitCode, type RunStatus } from "../exit-codes.js";
import { createRunId } from "../run-id.js";
import { pickDefined, resolveRun, toEnd } from "./resolve-run.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { assertRunOptions } from "./run-options.js";
import type { RunOptions, RunResult } from "./types.js";

/**
 * Runs a prompt once on one backend and tells how it ended. Prints nothing and expands no slash commands.
 * Every end is a value, whatever the backend did; the promise rejects only for an argument of the wrong type.
 */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  assertRunOptions(options);
  const run = startRun(options);
  const result = await redactOwnWords(toRunResult(run, await runToEnd(run, options)), run.variables);
  await run.emit({ type: "result", ...result });
  return result;
}

/**
 * What jlgcli says itself shows no credential, though a backend's error may have: the text of a failure, details and
 * warnings, and what there is of an answer that failed. The answer of a success is the caller's and stays as it is.
 */
export async function redactOwnWords(result: RunResult, env: Readonly<Record<string, string | undefined>>): Promise<RunResult> {
  const isSuccess = result.status === "success";
  if (isSuccess && result.warnings.length === 0) return result;
  const redactor = createLazyRedactor(env);
  const redactText = (text: string): Promise<string> => redactor.redactText(text);
  return {
    ...result,
    warnings: await Promise.all(result.warnings.map(redactText)),
    ...(!isSuccess && {
      text: await redactText(result.text),
      partialText: result.partialText === null ? null : await redactText(result.partialText),
      ...(result.details !== undefined && { details: await redactText(result.details) }),
    }),
  };
}

/** The result of a run that ends before its backend is asked. */
export function toEndedResult(end: AdapterRunOnceResult, options: Pick<RunOptions, "backend" | "cwd">): RunResult {
  return toRunResult(startRun({ prompt: "", ...options }), end);
}

/** The result of a run that cannot begin, for instance for a mistake on the command line. */
export function toUnstartedResult(error: unknown, options: Pick<RunOptions, "backend" | "cwd"> = {}): RunResult {
  return toEndedResult(toErrorEnd(error), { backend: "", ...options });
}

/** One run on its way. */
interface ActiveRun {
  readonly runId: string;
  readonly startedAt: number;
  readonly cwd: string;
  /** A caller's throw never changes the result. */
  readonly emit: (event: RunEvent) => Promise<void>;
  readonly warnings: string[];
  /** The backend's, as far as they are known. */
  variables: Readonly<Record<string, string | undefined>>;
  backend: string;
  simulated: boolean;
}

function startRun(options: RunOptions): ActiveRun {
  const warnings: string[] = [];
  return {
    runId: options.runId ?? createRunId(),
    startedAt: performance.now(),
    cwd: options.cwd ?? process.cwd(),
    backend: options.backend ?? DEFAULT_BACKEND,
    simulated: false,
    variables: { ...(options.env ?? process.env), ...options.extraEnv },
    warnings,
    emit: async (event) => {
      try {
        await options.onEvent?.(event);
      } catch (error) {
        if (warnings.length === 0) warnings.push(`an event callback failed: ${describeError(error)}`);
      }
    },
  };
}

async function runToEnd(run: ActiveRun, options: RunOptions): Promise<AdapterRunOnceResult> {
  try {
    return await runOnBackend(run, options);
  } catch (error) {
    return toErrorEnd(error);
  }
}

async function runOnBackend(run: ActiveRun, options: RunOptions): Promise<AdapterRunOnceResult> {
  const resolved = await resolveRun(options);
  run.backend = resolved.backend;
  if (resolved.kind === "ended") return resolved.end;
  const { adapter } = resolved;
  run.simulated = adapter.simulated === true;
  run.variables = { ...run.variables, ...resolved.args.env };
  const args = { ...resolved.args, onEvent: run.emit, runId: run.runId };
  const availability = await adapter.isAvailable({ cwd: run.cwd, ...pickDefined({ env: args.env }) });
  if (availability.status !== "available") return toUnavailableEnd(run.backend, availability.status, availability.details);
  await run.emit(await toStartEvent(run, adapter, args));
  const end = await checkModel(run, args, await adapter.runOnce(args), options);
  return applyStrictPermissions(end, options);
}

/** Tells that another model answered than the one that was asked for; where the model is strict, that fails the run. */
async function checkModel(run: ActiveRun, args: AdapterRunOnceArgs, end: AdapterRunOnceResult, { strictModel = false }: RunOptions): Promise<AdapterRunOnceResult> {
  const fail = (result: AdapterRunOnceResult, text: string): AdapterRunOnceResult =>
    strictModel && end.exitCode === exitCodeOf("success") ? { ...result, ...toEnd("error", text), reason: "model-substituted", partialText: end.text } : result;
  const { model: requested } = args;
  const answered = end.model ?? null;
  if (requested === undefined) return end;
  if (answered === null) return fail(end, `${run.backend} did not tell which model answered`);
  if (end.modelMatches ?? namesSameModel(requested, answered)) return end;
  const message = `the model '${answered}' answered, not '${requested}'`;
  await run.emit({ type: "warning", code: "model-substituted", message });
  return fail({ ...end, warnings: [...(end.warnings ?? []), message] }, message);
}

const UNAVAILABLE_ENDS: Readonly<
  Record<Exclude<AdapterAvailabilityStatus, "available">, { readonly status: RunStatus; readonly says: string }>
> = {
  missing: { status: "backend-missing", says: "is not installed" },
  unauthenticated: { status: "backend-unauthenticated", says: "is not signed in" },
  unsupported: { status: "backend-unsupported", says: "is not supported here" },
};

function toUnavailableEnd(id: string, status: Exclude<AdapterAvailabilityStatus, "available">, details: string | undefined): AdapterRunOnceResult {
  const end = UNAVAILABLE_ENDS[status];
  return toEnd(end.status, `the backend '${id}' ${end.says}`, details);
}

async function toStartEvent(run: ActiveRun, adapter: Adapter, args: AdapterRunOnceArgs): Promise<RunEvent> {
  return {
    type: "start",
    schemaVersion: SCHEMA_VERSION,
    runId: run.runId,
    backend: run.backend,
    simulated: run.simulated,
    recordedFrom: (await adapter.describeRecording?.(args)) ?? null,
    cwd: run.cwd,
    model: args.model ?? null,
    access: args.access ?? adapter.defaultAccess ?? null,
    startedAt: new Date().toISOString(),
  };
}

function applyStrictPermissions(end: AdapterRunOnceResult, options: RunOptions): AdapterRunOnceResult {
  const denied = end.deniedTools?.length ?? 0;
  if (options.strictPermissions !== true || denied === 0 || end.exitCode !== exitCodeOf("success")) return end;
  return { ...end, ...toEnd("permission-denied", `${denied} tool call(s) were refused`), partialText: end.text };
}

function toErrorEnd(error: unknown): AdapterRunOnceResult {
  if (error instanceof JlgcliError) return { ...toEnd(error.status, error.message, error.hint), exitCode: error.exitCode };
  return toEnd("internal", `internal error: ${describeError(error)}`);
}

function toRunResult(run: ActiveRun, end: AdapterRunOnceResult): RunResult {
  return {
    schemaVersion: SCHEMA_VERSION,
    runId: run.runId,
    exitCode: end.exitCode,
    status: end.status ?? statusOfExitCode(end.exitCode),
    text: end.text,
    backend: run.backend,
    durationMs: Math.round(performance.now() - run.startedAt),
    ...pickDefined({ details: end.details }),
    reason: end.reason ?? null,
    partialText: end.partialText ?? null,
    model: end.model ?? null,
    sessionId: end.sessionId ?? null,
    usage: end.usage ?? null,
    cost: end.cost ?? null,
    context: end.context ?? null,
    quota: end.quota ?? null,
    deniedTools: end.deniedTools ?? null,
    backendExitCode: end.backendExitCode ?? null,
    backendSignal: end.backendSignal ?? null,
    warnings: [...(end.warnings ?? []), ...run.warnings],
    simulated: run.simulated,
    cwd: run.cwd,
    ...pickDefined({ structured: end.structured }),
  };
}
