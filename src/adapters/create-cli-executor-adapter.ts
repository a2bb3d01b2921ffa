import { JlgcliError, describeError } from "../errors.js";
import type { RunEvent } from "../events/schema.js";
import { exitCodeOf } from "../exit-codes.js";
import { createOutputReader, type OutputReader } from "../parse/output-reader.js";
import { startDeadlines } from "./deadline-timers.js";
import { toEnvelope, toRefusalEnvelope } from "./envelope.js";
import type { Stop } from "./outcome.js";
import { refuseArgumentPrompt, toArgv } from "./prompt-delivery.js";
import { createSideFile } from "./side-file.js";
import { validateRunRequest } from "./run-request.js";
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

/** How long a child may go on after its terminal record, in milliseconds, where its record names no other. */
export const DEFAULT_EXIT_GRACE_MS = 500;
/** How long we wait for a child's pipes after its tree was ended, in milliseconds. */
const MAX_WAIT_AFTER_END_MS = 3000;

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
  return {
    executorId: traits.executorId,
    run: async (request) => {
      validateRunRequest(request);
      return runTimed(traits, options, request);
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
  if (request.signal?.aborted === true) return toCancelledEnvelope(command, request.signal);
  const refusal = refuseArgumentPrompt(traits, command, request.prompt);
  if (refusal !== undefined) return refusal;

  const reader = createOutputReader(traits.output);
  const watch = createRunWatch(traits, request, reader);
  const sideFile = createSideFile(traits.sideFile);
  const argv = [...(options.commandArgs ?? []), ...toArgv(traits, request, sideFile.args)];
  let child: SpawnedChild;
  try {
    child = (options.spawner ?? (await loadDefaultSpawner())).spawn(command, argv, {
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

// --- one run, from the spawn to its end ---

interface RunEnd {
  readonly child: SpawnOutcome;
  readonly stopped: Stop | null;
  readonly leftRunning: number;
  readonly warnings: readonly string[];
}

interface RunWatch {
  readonly onStdout: (chunk: Uint8Array) => Promise<void>;
  readonly onStderr: () => void;
  /** Waits for the child's end, or ends it. */
  follow(child: SpawnedChild, deliver: () => void): Promise<RunEnd>;
  close(): void;
}

function createRunWatch(traits: ExecutorTraits, request: RunRequest, reader: OutputReader): RunWatch {
  const emitter = createEmitter(request);
  let stopped: Stop | null = null;
  let finish: () => void = () => undefined;
  const overEarly = new Promise<void>((resolve) => (finish = resolve));
  let sawTerminal = false;

  const stop = (reason: Stop): void => {
    if (!sawTerminal) stopped ??= reason;
    finish();
  };
  const timers = startDeadlines(request.deadlines ?? {}, stop);

  const noteProgress = async (): Promise<void> => {
    if (reader.reading.hopeless) finish();
    if (sawTerminal || !reader.sawTerminal || stopped !== null) return;
    sawTerminal = true;
    timers.clear();
    await emitter.answer(reader.reading.resultText);
    setTimeout(finish, traits.exitGraceMs ?? DEFAULT_EXIT_GRACE_MS).unref();
  };
  const take = async (events: readonly RunEvent[]): Promise<void> => {
    for (const event of events) await emitter.emit(event);
    await noteProgress();
  };

  return {
    onStdout: async (chunk) => {
      timers.noteByte(true);
      await take(reader.push(chunk));
    },
    onStderr: () => timers.noteByte(false),
    close: () => timers.clear(),
    follow: async (child, deliver) => {
      let childSettled = false;
      const done = child.done.then((outcome) => {
        childSettled = true;
        return outcome;
      });
      const abort = (): void => {
        if (childSettled || child.settled) return;
        stop({ kind: "interrupted", signal: abortSignalName(request.signal) });
      };
      request.signal?.addEventListener("abort", abort, { once: true });
      if (request.signal?.aborted === true) abort();
      try {
        deliver();
      } catch (error) {
        child.killTree();
        finish();
        stopped = null;
        timers.clear();
        request.signal?.removeEventListener("abort", abort);
        return { child: { exitCode: null, stderr: "", streamErrorMessage: describeError(error) }, stopped, leftRunning: 0, warnings: [] };
      }
      await Promise.race([done, overEarly]);
      const leftRunning = await endTree(child, childSettled);
      const outcome = await within(done, MAX_WAIT_AFTER_END_MS, { exitCode: null, stderr: "" });
      timers.clear();
      request.signal?.removeEventListener("abort", abort);
      if (outcome.stdout !== undefined) await take(reader.push(Buffer.from(outcome.stdout)));
      await take(reader.end());
      if (outcome.stdoutTruncated === true) reader.markTruncated();
      return { child: outcome, stopped, leftRunning, warnings: emitter.warnings };
    },
  };
}

/** Ends what is left of the tree, also after a good end: helpers of a backend outlive it (openai/codex-plugin-cc#358). */
async function endTree(child: SpawnedChild, childSettled: boolean): Promise<number> {
  if (child.endTree !== undefined) return child.endTree();
  if (!childSettled) child.killTree();
  return 0;
}

/** The promise's value, or `otherwise` when it takes longer than `ms` milliseconds. */
async function within<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => (timer = setTimeout(() => resolve(otherwise), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function abortSignalName(signal: AbortSignal | undefined): string | null {
  const reason: unknown = signal?.reason;
  return typeof reason === "string" && reason.startsWith("SIG") ? reason : null;
}

// --- callbacks: a caller's throw never changes the result ---

interface Emitter {
  emit(event: RunEvent): Promise<void>;
  answer(text: string | undefined): Promise<void>;
  readonly warnings: readonly string[];
}

function createEmitter(request: RunRequest): Emitter {
  const warnings: string[] = [];
  const call = async (callback: () => void | Promise<void>): Promise<void> => {
    try {
      await callback();
    } catch (error) {
      if (warnings.length === 0) warnings.push(`an event callback failed: ${describeError(error)}`);
    }
  };
  return {
    emit: async (event) => {
      if (request.onEvent !== undefined) await call(() => request.onEvent?.(event));
    },
    answer: async (text) => {
      if (text !== undefined && request.onAnswer !== undefined) await call(() => request.onAnswer?.(text));
    },
    warnings,
  };
}

function isolate(callback: () => void): void {
  try {
    callback();
  } catch {
    // The caller's own fault: it must not turn a finished run into a rejection.
  }
}

// --- ends without a child ---

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
