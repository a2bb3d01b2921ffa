import { JlgcliError, describeError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import { createOutputReader, type OutputReader } from "../parse/output-reader.js";
import { toEnvelope, toRefusalEnvelope } from "./envelope.js";
import { guardPrompt, refuseArgumentPrompt, toArgv } from "./prompt-delivery.js";
import { createSideFile } from "./side-file.js";
import { validateRunRequest } from "./run-request.js";
import { abortSignalName, createRunWatch } from "./run-watch.js";
import {
  ENVELOPE_ERROR_CODES,
  USAGE_ABSENCE_REASONS,
  type ChildProcessSpawner,
  type CliExecutorAdapter,
  type CliExecutorAdapterOptions,
  type ExecutorTraits,
  type ResultEnvelope,
  type RunRequest,
  type SpawnedChild,
  type SpawnOutcome,
} from "./traits.js";
import { validateTraits } from "./validate-traits.js";

/**
 * The trait engine: makes an adapter from a record. It knows no backend; a new one arrives as a record.
 * @throws JlgcliError `BACKEND_RECORD_INVALID` that lists every problem of the traits.
 */
export function createCliExecutorAdapter(traits: ExecutorTraits, options: CliExecutorAdapterOptions = {}): CliExecutorAdapter {
  const problems = validateTraits(traits);
  if (problems.length > 0) {
    const list = problems.map(({ path, reason }) => `${path} ${reason}`).join("; ");
    throw new JlgcliError("BACKEND_RECORD_INVALID", `the traits of '${traits.executorId}' are invalid: ${list}`);
  }
  return createExecutor(traits, options);
}

/** The same for the traits of a record, which was checked when it was read; those that come with jlgcli are checked by its tests. */
export function createExecutor(traits: ExecutorTraits, options: CliExecutorAdapterOptions): CliExecutorAdapter {
  return {
    executorId: traits.executorId,
    run: async (request) => {
      validateRunRequest(request);
      return runTimed(traits, options, { ...request, prompt: guardPrompt(traits, request.prompt) });
    },
  };
}

async function runTimed(traits: ExecutorTraits, options: CliExecutorAdapterOptions, request: RunRequest): Promise<ResultEnvelope> {
  const startedAt = performance.now();
  let spawnSetupMs: number | undefined;
  const noteSpawned = (): void => {
    spawnSetupMs = performance.now() - startedAt;
  };
  const envelope = await runOnceWith(traits, options, request, noteSpawned);
  const runMs = performance.now() - startedAt;
  isolate(() => options.onTiming?.({ spawnSetupMs: spawnSetupMs ?? runMs, runMs }));
  return envelope;
}

async function runOnceWith(
  traits: ExecutorTraits,
  options: CliExecutorAdapterOptions,
  request: RunRequest,
  noteSpawned: () => void,
): Promise<ResultEnvelope> {
  const command = options.command ?? traits.command;
  if (isAborted(request.signal)) return toCancelledEnvelope(command, request.signal);
  const refusal = refuseArgumentPrompt(traits, command, request.prompt);
  if (refusal !== undefined) return refusal;

  const spawner = options.spawner ?? (await loadDefaultSpawner());
  // The caller may have changed its mind while the spawner was loaded.
  if (isAborted(request.signal)) return toCancelledEnvelope(command, request.signal);
  const reader = createOutputReader(traits.output);
  const watch = createRunWatch(traits, request, reader);
  const sideFile = createSideFile(traits.sideFile);
  const argv = [...(options.commandArgs ?? []), ...toArgv(traits, request, sideFile.args)];
  let child: SpawnedChild;
  try {
    child = spawner.spawn(command, argv, {
      cwd: request.workspace.rootPath,
      ...(request.env === undefined ? {} : { env: request.env }),
      ...(traits.stdout === undefined ? {} : { stdout: traits.stdout }),
      ...(traits.endSignals === undefined ? {} : { endSignals: traits.endSignals }),
      onStdout: watch.onStdout,
      onStderr: watch.onStderr,
    });
  } catch (error) {
    noteSpawned();
    watch.close();
    sideFile.take();
    return toEnvelope({ ...ended(traits, command, reader, request), child: toSpawnFailure(error) });
  }
  noteSpawned();
  const end = await watch.follow(child, () => deliverPrompt(traits, request, child));
  const sideRecord = sideFile.take();
  if (sideRecord !== undefined) reader.readRecord(sideRecord);
  reportQuota(traits, options, reader, end.child);
  return toEnvelope({ ...ended(traits, command, reader, request), ...end });
}

function ended(traits: ExecutorTraits, command: string, reader: OutputReader, request: RunRequest) {
  return {
    traits,
    command,
    reading: reader.reading,
    resumed: request.resumed === true,
    stopped: null,
    gaveUp: false,
    leftRunning: 0,
    warnings: [],
  } as const;
}

/** Loaded when first needed: execa is the largest part of the start-up time. */
async function loadDefaultSpawner(): Promise<ChildProcessSpawner> {
  const { createProcessSpawner } = await import("../process/spawner.js");
  return createProcessSpawner();
}

function deliverPrompt(traits: ExecutorTraits, request: RunRequest, child: SpawnedChild): void {
  if (traits.promptDelivery === "stdin") child.writeStdin(request.prompt);
  child.endStdin();
}

// --- ends without a child ---

function isAborted(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal?.aborted === true;
}

function toCancelledEnvelope(command: string, signal: AbortSignal): ResultEnvelope {
  const name = abortSignalName(signal);
  return toRefusalEnvelope(
    { status: "interrupted", exitCode: exitCodeOf("interrupted", name ?? undefined), text: `the run of ${command} was cancelled before it started` },
    ENVELOPE_ERROR_CODES.executorCancelled,
  );
}

function toSpawnFailure(error: unknown): SpawnOutcome {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    exitCode: null,
    stderr: "",
    spawnErrorMessage: describeError(error),
    ...(code === undefined ? {} : { spawnErrorCode: code }),
  };
}

/** What a callback throws, or rejects with, is the caller's own fault: it must not spoil a finished run. */
function isolate(callback: () => unknown): void {
  try {
    Promise.resolve(callback()).catch(() => undefined);
  } catch {
    // As above.
  }
}

// --- quota ---

function reportQuota(traits: ExecutorTraits, options: CliExecutorAdapterOptions, reader: OutputReader, child: SpawnOutcome): void {
  const { usageWindows } = traits.output;
  const { onUsageObservation } = options;
  // A child that never started has observed nothing, which is not the same as saying nothing.
  if (usageWindows === undefined || onUsageObservation === undefined || child.spawnErrorMessage !== undefined) return;
  const { windows } = reader.reading;
  const executorId = traits.executorId;
  isolate(() =>
    onUsageObservation(
      windows === undefined
        ? {
            kind: "absent",
            executorId,
            reason: USAGE_ABSENCE_REASONS.notReported,
            detail: `${executorId} printed no readable '${usageWindows.path.join(".")}' in this run`,
          }
        : { kind: "observed", executorId, observedAt: new Date().toISOString(), windows },
    ),
  );
}
