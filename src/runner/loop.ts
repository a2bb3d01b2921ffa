import { describeError, JlgcliError } from "../errors.js";
import type { CheckResult, CompletionVerdict, LoopIteration } from "../events/schema.js";
import { exitCodeOf, type RunStatus } from "../exit-codes.js";
import { createRunId } from "../run-id.js";
import { countAlike } from "./answers-alike.js";
import { toIterationPrompt } from "./carry.js";
import { judgeAnswer, toVerdict, type Completion, type UntilCompletion } from "./completion.js";
import type { LoopEnd, LoopOptions, LoopSteps } from "./loop-options.js";
import { toLoopResult } from "./loop-result.js";
import { redactOwnWords } from "./run.js";
import { sumCost } from "./sum-usage.js";
import type { RunOptions, RunResult } from "./types.js";

export const DEFAULT_MAX_ITERATIONS = 4;
export const DEFAULT_NO_PROGRESS = 5;

/**
 * Repeats a prompt until it is done. Every end is a value: `success` when the completion says so; `max-iterations`,
 * `no-progress`, `timeout` or `rate-limited` (the cost) when a limit is reached first; `invalid-data` when an answer
 * does not hold the JSON that it must; `error` when the answer says so; else the end of the run that failed.
 */
export async function runLoop(options: LoopOptions, steps: LoopSteps): Promise<RunResult> {
  const loop = startLoop(options, steps);
  let end = findLimit(loop);
  while (end === null) end = (await runIteration(loop)) ?? findLimit(loop);
  const { env = process.env, extraEnv } = options.run;
  return redactOwnWords(toLoopResult({ ...loop, durationMs: spentMs(loop) }, end), { ...env, ...extraEnv });
}

interface ActiveLoop {
  readonly options: LoopOptions;
  readonly steps: LoopSteps;
  readonly loopId: string;
  readonly startedAt: number;
  readonly earlierMs: number;
  /** Those that are over and judged, earlier ones included. */
  readonly iterations: LoopIteration[];
  /** The results of this process's runs. */
  readonly results: RunResult[];
  readonly warnings: string[];
}

function startLoop(options: LoopOptions, steps: LoopSteps): ActiveLoop {
  const iterations = [...(options.earlier ?? [])];
  const earlierMs = iterations.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return { options, steps, loopId: options.loopId ?? createRunId(), startedAt: performance.now(), earlierMs, iterations, results: [], warnings: [] };
}

function spentMs({ startedAt, earlierMs }: ActiveLoop): number {
  return Math.round(performance.now() - startedAt + earlierMs);
}

// --- one iteration ---

/** Null: it is not done yet. */
async function runIteration(loop: ActiveLoop): Promise<LoopEnd | null> {
  const { options, steps, iterations } = loop;
  const iteration = iterations.length + 1;
  const startedAt = performance.now();
  const result = await steps.runOnce(toRunOptions(loop), iteration);
  loop.results.push(result);
  const over = (completion: CompletionVerdict | null): LoopIteration => toIteration(iteration, result, performance.now() - startedAt, completion);
  if (result.status !== "success") return toFailedEnd(loop, result, over(null));
  const completion = await judge(loop, result);
  if ("end" in completion) return { partialText: result.text, failed: over(null), ...completion.end };
  const judged = over(completion);
  iterations.push(judged);
  await tellIteration(loop, judged);
  return VERDICT_ENDS[completion.status](completion, result) ?? findUnknown(options, result);
}

/** A caller's throw never changes the result. */
async function tellIteration({ steps, iterations, warnings }: ActiveLoop, judged: LoopIteration): Promise<void> {
  try {
    await steps.onIteration?.(judged, iterations);
  } catch (error) {
    if (warnings.length === 0) warnings.push(`an iteration callback failed: ${describeError(error)}`);
  }
}

function toRunOptions(loop: ActiveLoop): RunOptions {
  const { run, carry = "none", instruct = false, completion, keepSession = false } = loop.options;
  const before = loop.iterations.at(-1);
  const timeoutMs = findTimeout(loop);
  const sessionId = keepSession ? before?.sessionId : null;
  return {
    ...run,
    prompt: toIterationPrompt(run.prompt, { carry, instruct, completion }, before),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(sessionId === null || sessionId === undefined ? {} : { resume: sessionId }),
  };
}

/** Milliseconds for the next run: what is left of the whole, at most what one may take. */
function findTimeout(loop: ActiveLoop): number | undefined {
  const limits = [findRemaining(loop), loop.options.iterationTimeoutMs].filter((limit) => limit !== undefined && limit > 0);
  return limits.length === 0 ? undefined : Math.min(...limits.map(Number));
}

/** At least 1, since 0 would mean "off". */
function findRemaining(loop: ActiveLoop): number | undefined {
  const { timeoutMs = 0 } = loop.options.run;
  return timeoutMs === 0 ? undefined : Math.max(1, timeoutMs - spentMs(loop));
}

function toIteration(iteration: number, result: RunResult, durationMs: number, completion: CompletionVerdict | null): LoopIteration {
  const { runId, status, exitCode, text, model, sessionId, usage, cost } = result;
  return { iteration, runId, status, exitCode, text, durationMs: Math.round(durationMs), model, sessionId, usage, cost, completion };
}

/** The run's own end, unless what is over is the time of the whole loop. */
function toFailedEnd(loop: ActiveLoop, result: RunResult, failed: LoopIteration): LoopEnd {
  const partialText = result.partialText ?? loop.iterations.at(-1)?.text ?? null;
  const timedOut = result.status === "timeout" ? findTimeLimit(loop) : null;
  const { status, exitCode, text, details } = result;
  return { status, exitCode, text, ...(details === undefined ? {} : { details }), ...timedOut, partialText, failed };
}

// --- is it done? ---

type Judgement = CompletionVerdict | { readonly end: LoopEnd };

async function judge(loop: ActiveLoop, result: RunResult): Promise<Judgement> {
  const { completion } = loop.options;
  if (completion.kind !== "until") return judgeAnswer(result.text, completion);
  try {
    return await judgeByCommand(loop, completion);
  } catch (error) {
    const known = error instanceof JlgcliError ? error : new JlgcliError("INTERNAL", `internal error: ${describeError(error)}`);
    return { end: { status: known.status, text: known.message, ...(known.hint === undefined ? {} : { details: known.hint }) } };
  }
}

async function judgeByCommand(loop: ActiveLoop, completion: UntilCompletion): Promise<Judgement> {
  const { steps, options } = loop;
  const remainingMs = findRemaining(loop);
  const limits = [remainingMs, completion.timeoutMs].filter((limit) => limit !== undefined && limit > 0);
  const timeoutMs = limits.length === 0 ? 0 : Math.min(...limits.map(Number));
  const check = await steps.runCheck?.({ ...completion, timeoutMs }, options.run);
  if (check === undefined) throw new JlgcliError("INTERNAL", "a loop with a command needs a way to run it");
  const stopped = findInterruption(loop) ?? (check.timedOut ? findTimeLimit(loop) : null);
  if (stopped !== null) return { end: stopped };
  return toVerdict({ status: check.exitCode === 0 ? "done" : "continue", check });
}

const VERDICT_ENDS: Readonly<Record<CompletionVerdict["status"], (verdict: CompletionVerdict, result: RunResult) => LoopEnd | null>> = {
  continue: () => null,
  done: (_verdict, { text }) => ({ status: "success", text }),
  error: ({ summary }, { text }) => ({ status: "error", text: summary === null ? "the answer says that the task failed" : `the answer says that the task failed: ${summary}`, partialText: text }),
  invalid: ({ summary }, { text }) => ({ status: "invalid-data", text: summary ?? "the answer holds no valid JSON object", partialText: text }),
};

// --- limits ---

/** The first limit that is reached by now. */
function findLimit(loop: ActiveLoop): LoopEnd | null {
  const reached = findInterruption(loop) ?? findCostLimit(loop) ?? findStandstill(loop) ?? findIterationLimit(loop) ?? findTimeLimit(loop);
  return reached === null ? null : { partialText: loop.iterations.at(-1)?.text ?? null, ...reached };
}

function findInterruption({ options: { run } }: ActiveLoop): LoopEnd | null {
  if (run.signal?.aborted !== true) return null;
  const reason: unknown = run.signal.reason;
  const signal = typeof reason === "string" ? reason : undefined;
  return { status: "interrupted", exitCode: exitCodeOf("interrupted", signal), text: `the loop was cancelled${signal === undefined ? "" : ` by ${signal}`}` };
}

function findCostLimit({ options: { maxCost }, iterations }: ActiveLoop): LoopEnd | null {
  if (maxCost === undefined) return null;
  const cost = sumCost(iterations.map((iteration) => iteration.cost));
  if (cost === null || cost.amount < maxCost) return null;
  return { status: "rate-limited", text: `not done, and the limit of ${maxCost} is reached: ${Number(cost.amount.toFixed(4))} ${cost.currency} were spent` };
}

/** A limit or a session that the backend does not tell cannot be honoured by going on. */
function findUnknown({ maxCost, keepSession = false }: LoopOptions, result: RunResult): LoopEnd | null {
  const missing = maxCost !== undefined && result.cost === null ? ["what a run costs", "a cost limit"] : keepSession && result.sessionId === null ? ["its session's id", "--session"] : null;
  if (missing === null) return null;
  const [unknown, wanted] = missing;
  return { status: "backend-unsupported", text: `the backend '${result.backend}' does not tell ${unknown}, so ${wanted} cannot be honoured`, partialText: result.text };
}

function findStandstill({ options: { noProgressAfter = DEFAULT_NO_PROGRESS }, iterations }: ActiveLoop): LoopEnd | null {
  if (noProgressAfter === 0 || iterations.length < noProgressAfter) return null;
  const alike = countAlike(iterations.slice(-noProgressAfter).map(({ text }) => text));
  return alike < noProgressAfter ? null : { status: "no-progress", text: `not done, and the last ${noProgressAfter} answers are equal or nearly equal` };
}

function findIterationLimit({ options: { maxIterations = DEFAULT_MAX_ITERATIONS }, iterations }: ActiveLoop): LoopEnd | null {
  if (iterations.length < maxIterations) return null;
  return { status: "max-iterations", text: `not done after ${iterations.length === 1 ? "1 iteration" : `${iterations.length} iterations`}` };
}

/** Within a moment of the end nothing can be done any more; timers may fire a moment early. */
const LAST_MOMENT_MS = 20;

function findTimeLimit(loop: ActiveLoop): LoopEnd | null {
  const { timeoutMs = 0 } = loop.options.run;
  if (timeoutMs === 0 || spentMs(loop) < timeoutMs - LAST_MOMENT_MS) return null;
  return { status: "timeout", text: `the loop did not finish within ${timeoutMs / 1000} s` };
}
