import { randomUUID } from "node:crypto";
import { tryGetAdapterById } from "../adapters/registry.js";
import type { Adapter, AdapterAvailabilityStatus, AdapterRunOnceArgs, AdapterRunOnceResult } from "../adapters/types.js";
import { parseDuration, type Duration } from "../config/duration.js";
import { loadConfig } from "../config/loader.js";
import { CONFIG_KEYS } from "../config/schema.js";
import { JlgcliError, describeError } from "../errors.js";
import { SCHEMA_VERSION, type RunEvent } from "../events/schema.js";
import { exitCodeOf, statusOfExitCode, type RunStatus } from "../exit-codes.js";
import { assertRunOptions } from "./run-options.js";
import type { RunOptions, RunResult } from "./types.js";

/** The backend of a run that names none and whose configuration names none. */
export const DEFAULT_BACKEND = "copilot";

/**
 * Runs a prompt once on one backend and tells how it ended. Prints nothing and expands no slash commands.
 * Every end is a value, whatever the backend did; the promise rejects only for an argument of the wrong type.
 */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  assertRunOptions(options);
  const run = startRun(options);
  const result = await finishRun(run, options);
  await emit(run, options, { type: "result", ...result });
  return result;
}

/** One run on its way. */
interface ActiveRun {
  readonly runId: string;
  readonly startedAt: number;
  readonly cwd: string;
  backend: string;
  simulated: boolean;
  readonly warnings: string[];
}

function startRun(options: RunOptions): ActiveRun {
  return {
    runId: randomUUID(),
    startedAt: performance.now(),
    cwd: options.cwd ?? process.cwd(),
    backend: options.backend ?? DEFAULT_BACKEND,
    simulated: false,
    warnings: [],
  };
}

async function finishRun(run: ActiveRun, options: RunOptions): Promise<RunResult> {
  try {
    return toRunResult(run, await runOnBackend(run, options));
  } catch (error) {
    return toRunResult(run, toErrorEnd(error));
  }
}

type RunEnd = AdapterRunOnceResult;

async function runOnBackend(run: ActiveRun, options: RunOptions): Promise<RunEnd> {
  const config = await loadConfig({ cwd: run.cwd, ...(options.env === undefined ? {} : { env: options.env }) });
  run.backend = options.backend ?? config.backend ?? DEFAULT_BACKEND;
  const promptProblem = findPromptProblem(options.prompt);
  if (promptProblem !== null) return promptProblem;
  const places = { ...(config.backends === undefined ? {} : { records: config.backends }), ...(options.env === undefined ? {} : { env: options.env }) };
  const adapter = tryGetAdapterById(run.backend, places);
  if (adapter === null) return unknownBackendEnd(run.backend, places);
  run.simulated = adapter.simulated === true;
  const availability = await adapter.isAvailable({ cwd: run.cwd, ...(options.env === undefined ? {} : { env: options.env }) });
  if (availability.status !== "available") return unavailableEnd(run.backend, availability.status, availability.details);
  const args = toAdapterArgs(run, options, config);
  await emit(run, options, await toStartEvent(run, adapter, args));
  return applyStrictPermissions(await adapter.runOnce(args), options);
}

function findPromptProblem(prompt: string): RunEnd | null {
  if (prompt.trim() === "") return toEnd("usage", "the prompt is empty");
  const at = prompt.indexOf("\0");
  return at === -1 ? null : toEnd("invalid-data", `the prompt has a NUL character at position ${at}`);
}

async function unknownBackendEnd(id: string, places: Parameters<typeof tryGetAdapterById>[1]): Promise<RunEnd> {
  const { listBackendIds } = await import("../adapters/backend-ids.js");
  const { didYouMean } = await import("../did-you-mean.js");
  const known = listBackendIds(places);
  const guess = didYouMean(id, known);
  const details = [...(guess === null ? [] : [`did you mean '${guess}'?`]), `known backends: ${known.join(", ")}`].join(" ");
  return { ...toEnd("backend-unknown", `no backend has the id '${id}'`), details };
}

const UNAVAILABLE_ENDS: Readonly<
  Record<Exclude<AdapterAvailabilityStatus, "available">, { readonly status: RunStatus; readonly says: (id: string) => string }>
> = {
  missing: { status: "backend-missing", says: (id) => `the backend '${id}' is not installed` },
  unauthenticated: { status: "backend-unauthenticated", says: (id) => `the backend '${id}' is not signed in` },
  unsupported: { status: "backend-unsupported", says: (id) => `the backend '${id}' is not supported here` },
};

function unavailableEnd(id: string, status: Exclude<AdapterAvailabilityStatus, "available">, details: string | undefined): RunEnd {
  const end = UNAVAILABLE_ENDS[status];
  return { ...toEnd(end.status, end.says(id)), ...(details === undefined ? {} : { details }) };
}

type LoadedConfig = Awaited<ReturnType<typeof loadConfig>>;

/** Options win over the configuration. A configured model or effort belongs to the configured backend only. */
function toAdapterArgs(run: ActiveRun, options: RunOptions, config: LoadedConfig): AdapterRunOnceArgs {
  const { backend: _backend, strictPermissions: _strict, onEvent: _onEvent, ...passedOn } = options;
  const own = run.backend === (config.backend ?? DEFAULT_BACKEND);
  const onEvent = (event: RunEvent): Promise<void> => emit(run, options, event);
  return {
    ...pickDefined({
      model: own ? config.model : undefined,
      effort: own ? config.effort : undefined,
      access: config.access,
      systemPrompt: config.systemPrompt,
      appendSystemPrompt: config.appendSystemPrompt,
      backendArgs: own ? config.backendArgs : undefined,
      timeoutMs: toMilliseconds(config.timeout),
      idleTimeoutMs: toMilliseconds(config.idleTimeout ?? CONFIG_KEYS.idleTimeout.default),
      firstByteTimeoutMs: toMilliseconds(config.firstByteTimeout),
    }),
    ...passedOn,
    cwd: run.cwd,
    onEvent,
    runId: run.runId,
  };
}

function toMilliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

function pickDefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
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
    access: args.access ?? null,
    startedAt: new Date().toISOString(),
  };
}

function applyStrictPermissions(end: RunEnd, options: RunOptions): RunEnd {
  const denied = end.deniedTools?.length ?? 0;
  if (options.strictPermissions !== true || denied === 0 || end.exitCode !== exitCodeOf("success")) return end;
  return { ...end, ...toEnd("permission-denied", `${denied} tool call(s) were refused`), partialText: end.text };
}

/** A caller's throw never changes the result. */
async function emit(run: ActiveRun, options: RunOptions, event: RunEvent): Promise<void> {
  try {
    await options.onEvent?.(event);
  } catch (error) {
    if (run.warnings.length === 0) run.warnings.push(`an event callback failed: ${describeError(error)}`);
  }
}

// --- ends ---

function toEnd(status: RunStatus, text: string): RunEnd & { readonly status: RunStatus } {
  return { status, exitCode: exitCodeOf(status), text };
}

function toErrorEnd(error: unknown): RunEnd {
  if (error instanceof JlgcliError) {
    return { ...toEnd(error.status, error.message), ...(error.hint === undefined ? {} : { details: error.hint }) };
  }
  return toEnd("internal", `internal error: ${describeError(error)}`);
}

function toRunResult(run: ActiveRun, end: RunEnd): RunResult {
  return {
    schemaVersion: SCHEMA_VERSION,
    runId: run.runId,
    exitCode: end.exitCode,
    status: end.status ?? statusOfExitCode(end.exitCode),
    text: end.text,
    backend: run.backend,
    durationMs: Math.round(performance.now() - run.startedAt),
    ...(end.details === undefined ? {} : { details: end.details }),
    reason: end.reason ?? null,
    partialText: end.partialText ?? null,
    model: end.model ?? null,
    sessionId: end.sessionId ?? null,
    usage: end.usage ?? null,
    cost: end.cost ?? null,
    deniedTools: end.deniedTools ?? null,
    backendExitCode: end.backendExitCode ?? null,
    backendSignal: end.backendSignal ?? null,
    warnings: [...(end.warnings ?? []), ...run.warnings],
    simulated: run.simulated,
    cwd: run.cwd,
  };
}
