import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../config/loader.js";
import { parseDuration } from "../config/duration.js";
import type { AttemptCause, RunEvent } from "../events/schema.js";
import { exitCodeOf, type RunStatus } from "../exit-codes.js";
import { createAttemptTally, type AttemptTally } from "./attempt-tally.js";
import { pickDefined } from "./resolve-run.js";
import { findPauseMs } from "./retry-pause.js";
import { runOnce } from "./run.js";
import { createToolWatch } from "./tool-watch.js";
import type { RunOptions, RunResult } from "./types.js";

export interface RecoveryOptions {
  readonly fallback: readonly string[];
  readonly retries: number;
  readonly fallbackAfterTools: boolean;
}

/** Runs prompts, each with its retries and fallbacks, and keeps a tally of all attempts. */
export interface Recovery {
  readonly tally: AttemptTally;
  /** The result of the last attempt. `cause` is that of the first one. */
  run(options: RunOptions, cause: AttemptCause): Promise<RunResult>;
}

/** Ends that another backend may not meet. Anything else says something about the prompt, the options or the machine. */
const FALLBACK_STATUSES: readonly RunStatus[] = ["backend-missing", "backend-unauthenticated", "rate-limited", "unavailable"];
/** Ends that may heal by waiting. */
const RETRY_STATUSES: readonly RunStatus[] = ["rate-limited", "unavailable"];

export function createRecovery(recovery: RecoveryOptions): Recovery {
  const tally = createAttemptTally();
  let deadline: Promise<number> | undefined;
  return {
    tally,
    run: async (options, cause) => {
      // The time for the whole run is that of all its attempts.
      deadline ??= findDeadline(options);
      return runChain({ recovery, options, tally, deadlineAt: await deadline }, cause);
    },
  };
}

interface Chain {
  readonly recovery: RecoveryOptions;
  readonly options: RunOptions;
  readonly tally: AttemptTally;
  /** On the clock of `performance.now()`. */
  readonly deadlineAt: number;
}

async function runChain(chain: Chain, cause: AttemptCause): Promise<RunResult> {
  const { recovery, options } = chain;
  let last = await runWithRetries(chain, options.backend, cause);
  for (const backend of recovery.fallback) {
    if (!FALLBACK_STATUSES.includes(last.result.status) || !mayGoOn(chain, last)) break;
    await warn(options, "fallback", `${last.result.backend}: ${last.result.text}; ${backend} is asked instead`);
    last = await runWithRetries(chain, backend, "fallback");
  }
  return last.result;
}

interface Attempted {
  readonly result: RunResult;
  /** A tool may have changed something. */
  readonly toolsActed: boolean;
}

async function runWithRetries(chain: Chain, backend: string | undefined, cause: AttemptCause): Promise<Attempted> {
  let last = await runAttempt(chain, backend, { cause, waitedMs: 0 });
  for (let retry = 0; retry < chain.recovery.retries; retry += 1) {
    if (!RETRY_STATUSES.includes(last.result.status) || !mayGoOn(chain, last)) break;
    const pauseMs = findPauseMs(last.result, retry);
    if (pauseMs === null || performance.now() + pauseMs >= chain.deadlineAt) break;
    await warn(chain.options, "retry", `${last.result.backend}: ${last.result.text}; it is asked again in ${(pauseMs / 1000).toFixed(1)} s`);
    if (!(await pause(pauseMs, chain.options.signal))) return { ...last, result: toInterrupted(last.result, chain.options.signal) };
    last = await runAttempt(chain, backend, { cause: "retry", waitedMs: pauseMs });
  }
  return last;
}

/** Asked again after a tool has acted, a backend would act twice. */
function mayGoOn({ recovery }: Chain, { toolsActed }: Attempted): boolean {
  return recovery.fallbackAfterTools || !toolsActed;
}

async function runAttempt(chain: Chain, backend: string | undefined, attempt: { readonly cause: AttemptCause; readonly waitedMs: number }): Promise<Attempted> {
  const { options, deadlineAt, tally } = chain;
  const tools = createToolWatch();
  const result = await runOnce({
    ...options,
    ...pickDefined({ backend }),
    ...(deadlineAt === Infinity ? {} : { timeoutMs: Math.max(1, Math.round(deadlineAt - performance.now())) }),
    onEvent: (event) => {
      tools.note(event);
      return event.type === "result" ? undefined : options.onEvent?.(event);
    },
  });
  tally.add(result, attempt);
  return { result, toolsActed: tools.acted(result.deniedTools) };
}

/** Infinity where the run has no deadline. A configuration that cannot be read is told by the run itself. */
async function findDeadline({ timeoutMs, cwd, env }: RunOptions): Promise<number> {
  const limitMs = timeoutMs ?? (await findConfiguredTimeout(pickDefined({ cwd, env })));
  return limitMs === 0 ? Infinity : performance.now() + limitMs;
}

async function findConfiguredTimeout(places: Parameters<typeof loadConfig>[0]): Promise<number> {
  try {
    const { timeout } = await loadConfig(places);
    return timeout === undefined ? 0 : parseDuration(timeout);
  } catch {
    return 0;
  }
}

/** False when the run was cancelled meanwhile. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(ms, undefined, pickDefined({ signal }));
    return true;
  } catch {
    return false;
  }
}

function toInterrupted(result: RunResult, signal: AbortSignal | undefined): RunResult {
  const reason: unknown = signal?.reason;
  const name = typeof reason === "string" ? reason : undefined;
  const text = `cancelled${name === undefined ? "" : ` by ${name}`} while waiting to ask ${result.backend} again`;
  return { ...result, status: "interrupted", exitCode: exitCodeOf("interrupted", name), text, reason: null };
}

/** A caller's throw never changes the result. */
export async function warn(options: RunOptions, code: "retry" | "fallback" | "repair", message: string): Promise<void> {
  const event: RunEvent = { type: "warning", code, message };
  try {
    await options.onEvent?.(event);
  } catch {
    // The run goes on.
  }
}
