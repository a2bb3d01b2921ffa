import { describeError } from "../errors.js";
import type { RunEvent } from "../events/schema.js";
import type { OutputReader } from "../parse/output-reader.js";
import { EMPTY_USAGE } from "../parse/usage-meter.js";
import { startDeadlines } from "./deadline-timers.js";
import { createEventDelivery } from "./event-delivery.js";
import type { Stop } from "./outcome.js";
import type { EndSignal, ExecutorTraits, RunRequest, SpawnedChild, SpawnOutcome } from "./traits.js";

/** How long a child may go on after its terminal record, in milliseconds, where its record names no other. */
export const DEFAULT_EXIT_GRACE_MS = 500;
/** How long we wait for a child's pipes, and for our caller, after its tree was ended, in milliseconds. */
const MAX_WAIT_AFTER_END_MS = 3000;
/** How long ending a tree may take beside the waits of its record's signals, in milliseconds. */
const MAX_KILL_MS = 10_000;

/** How one run ended. */
export interface RunEnd {
  readonly child: SpawnOutcome;
  readonly stopped: Stop | null;
  /** It was ended because its retries were hopeless. */
  readonly gaveUp: boolean;
  readonly leftRunning: number;
  readonly warnings: readonly string[];
}

/** Watches one run from before its spawn to its end. */
export interface RunWatch {
  readonly onStdout: (chunk: Uint8Array) => Promise<void>;
  readonly onStderr: () => void;
  /** Delivers the prompt and waits for the child's end, or ends it. Every wait is bounded once the run is over. */
  follow(child: SpawnedChild, deliver: () => void): Promise<RunEnd>;
  /** For a child that was never started. */
  close(): void;
}

export function createRunWatch(traits: ExecutorTraits, request: RunRequest, reader: OutputReader): RunWatch {
  const delivery = createEventDelivery(request);
  /** Opens when the child is not waited for any longer. */
  const early = createGate();
  /** Opens when our caller is not waited for any longer. */
  const abandoned = createGate();
  let stopped: Stop | null = null;
  let gaveUp = false;
  let sawTerminal = false;
  let isOver = false;
  let grace: NodeJS.Timeout | undefined;

  const stop = (reason: Stop): void => {
    if (!sawTerminal && !isOver) stopped ??= reason;
    early.open();
    abandoned.open();
  };
  const timers = startDeadlines(request.deadlines ?? {}, stop);
  const hidesUsage = request.resumed === true && traits.output.usageGrowsOverSession === true;

  /** Notes at once what was read: how long our caller takes for its events must not change how the run ended. */
  const noteProgress = (): void => {
    // What a backend says once it is being ended is about our signal.
    if (sawTerminal || stopped !== null || gaveUp) return;
    gaveUp = !reader.sawTerminal && reader.isHopeless;
    if (gaveUp) early.open();
    if (!reader.sawTerminal) return;
    sawTerminal = true;
    timers.clear();
    grace = setTimeout(early.open, traits.exitGraceMs ?? DEFAULT_EXIT_GRACE_MS);
  };
  const take = async (events: readonly RunEvent[]): Promise<void> => {
    noteProgress();
    const release = timers.holdIdle();
    await delivery.deliver(hidesUsage ? events.flatMap(hideUsage) : events);
    if (sawTerminal && reader.succeeded) await delivery.answer(reader.reading.resultText);
    release();
  };
  const close = (): void => {
    timers.clear();
    clearTimeout(grace);
    delivery.close();
  };

  const waitForEnd = async (child: SpawnedChild, deliver: () => void): Promise<RunEnd> => {
    const ending = watchChild(child);
    const abort = (): void => {
      if (!ending.isSettled()) stop({ kind: "interrupted", signal: abortSignalName(request.signal) });
      else abandoned.open();
    };
    request.signal?.addEventListener("abort", abort, { once: true });
    try {
      if (request.signal?.aborted === true) abort();
      const problem = attempt(deliver);
      if (problem !== null) return endUnfed(child, problem);
      await Promise.race([ending.done, early.opened]);
      isOver = true;
      timers.clear();
      const leftRunning = await endTree(child, ending.isSettled(), traits.endSignals ?? []);
      const outcome = await within(ending.done, MAX_WAIT_AFTER_END_MS, { exitCode: null, stderr: "" });
      if (outcome.stdout !== undefined) void take(reader.push(Buffer.from(outcome.stdout)));
      const lastTaken = take(reader.end());
      if (outcome.stdoutTruncated === true) reader.markTruncated();
      // A caller that takes its time is waited for, unless the run was ended: then it may never come back.
      await Promise.race([lastTaken, abandoned.opened.then(() => within(lastTaken, MAX_WAIT_AFTER_END_MS, undefined))]);
      return { child: outcome, stopped, gaveUp, leftRunning: ending.isSettled() ? leftRunning : Math.max(leftRunning, 1), warnings: [...delivery.warnings] };
    } finally {
      request.signal?.removeEventListener("abort", abort);
      close();
    }
  };

  return {
    onStdout: (chunk) => {
      timers.noteByte(true);
      return take(reader.push(chunk));
    },
    onStderr: () => timers.noteByte(false),
    follow: waitForEnd,
    close,
  };
}

/** Tokens that are not this run's are left out; how full the context is holds all the same. */
function hideUsage(event: RunEvent): readonly RunEvent[] {
  if (event.type !== "usage_update") return [event];
  return event.context === null ? [] : [{ ...event, usage: EMPTY_USAGE }];
}

/** The name of the signal that a caller gave as the reason of its abort. */
export function abortSignalName(signal: AbortSignal | undefined): string | null {
  const reason: unknown = signal?.reason;
  return typeof reason === "string" && reason.startsWith("SIG") ? reason : null;
}

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** The child's end; a promise of a foreign spawner that rejects all the same is a broken pipe. */
function watchChild(child: SpawnedChild): { readonly done: Promise<SpawnOutcome>; readonly isSettled: () => boolean } {
  let isSettled = false;
  const done = child.done
    .catch((error: unknown): SpawnOutcome => ({ exitCode: null, stderr: "", streamErrorMessage: describeError(error) }))
    .finally(() => (isSettled = true));
  return { done, isSettled: () => isSettled || child.settled };
}

/** A child that did not get its prompt is ended; its exit is not waited for. */
function endUnfed(child: SpawnedChild, problem: string): RunEnd {
  attempt(() => child.killTree());
  return { child: { exitCode: null, stderr: "", streamErrorMessage: problem }, stopped: null, gaveUp: false, leftRunning: 0, warnings: [] };
}

/** Ends what is left of the tree, also after a good end: helpers of a backend outlive it (openai/codex-plugin-cc#358). */
async function endTree(child: SpawnedChild, isSettled: boolean, signals: readonly EndSignal[]): Promise<number> {
  if (child.endTree === undefined) {
    if (!isSettled) attempt(() => child.killTree());
    return 0;
  }
  const waitsMs = signals.reduce((sum, signal) => sum + signal.waitMs, 0);
  return within(child.endTree().catch(() => 1), waitsMs + MAX_KILL_MS, 1);
}

/** The message of what was thrown; null when all went well. */
function attempt(action: () => void): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return describeError(error);
  }
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
