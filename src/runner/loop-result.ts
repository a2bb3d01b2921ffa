import type { LoopIteration } from "../events/schema.js";
import { exitCodeOf } from "../exit-codes.js";
import type { LoopEnd, LoopOptions } from "./loop-options.js";
import { toEndedResult } from "./run.js";
import { sumCost, sumUsage } from "./sum-usage.js";
import type { RunResult } from "./types.js";

interface EndedLoop {
  readonly options: LoopOptions;
  readonly loopId: string;
  readonly durationMs: number;
  readonly iterations: readonly LoopIteration[];
  /** The results of this process's runs, in order. */
  readonly results: readonly RunResult[];
  /** The loop's own. */
  readonly warnings: readonly string[];
}

/**
 * The one result of a loop: the sums of its iterations (null where one term is unknown), and else what the last run
 * says. Refused tools and warnings are those of the runs of this process. Pure.
 */
export function toLoopResult({ options, loopId, durationMs, iterations, results, warnings }: EndedLoop, end: LoopEnd): RunResult {
  const { backend, cwd } = options.run;
  const last = results.at(-1);
  const exitCode = end.exitCode ?? exitCodeOf(end.status);
  const base = last ?? toEndedResult({ status: end.status, exitCode, text: end.text }, { ...(backend === undefined ? {} : { backend }), ...(cwd === undefined ? {} : { cwd }) });
  const all = end.failed === undefined ? iterations : [...iterations, end.failed];
  const { details: _details, ...facts } = base;
  return {
    ...facts,
    runId: loopId,
    exitCode,
    status: end.status,
    text: end.text,
    ...(end.details === undefined ? {} : { details: end.details }),
    partialText: end.partialText ?? null,
    durationMs,
    model: all.at(-1)?.model ?? null,
    sessionId: findLastSession(all),
    usage: sumUsage(all.map(({ usage }) => usage)),
    cost: sumCost(all.map(({ cost }) => cost)),
    deniedTools: joinKnown(results.map(({ deniedTools }) => deniedTools)),
    warnings: [...new Set(results.flatMap((result) => result.warnings)), ...warnings],
    iterations: all,
  };
}

/** A run that failed may have had none: the one before it is still there to be continued. */
function findLastSession(iterations: readonly LoopIteration[]): string | null {
  return iterations.findLast(({ sessionId }) => sessionId !== null)?.sessionId ?? null;
}

function joinKnown<T>(lists: readonly (readonly T[] | null)[]): readonly T[] | null {
  const known = lists.filter((list) => list !== null);
  return known.length === 0 || known.length < lists.length ? null : known.flat();
}
