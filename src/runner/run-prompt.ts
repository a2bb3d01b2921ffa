import type { AttemptTally } from "./attempt-tally.js";
import type { Recovery } from "./recover.js";
import { runOnce } from "./run.js";
import type { PromptRunOptions, RunOptions, RunResult } from "./types.js";

/**
 * Runs a prompt until there is an answer that can be used: on one backend, again after a pause (`retries`), on the next
 * backend (`fallback`), and again where the answer breaks `schema`. Without any of these it is `runOnce`.
 * Every end is a value; the promise rejects only for an argument of the wrong type. The events of all attempts come in
 * order, each attempt with its own `start`, and the one `result` last.
 */
export async function runPrompt(options: PromptRunOptions): Promise<RunResult> {
  const { fallback = [], retries = 0, fallbackAfterTools = false, schemaRepairs = 1, ...once } = options;
  if (options.schema === undefined && fallback.length === 0 && retries === 0) return runOnce(once);
  const { createRecovery } = await import("./recover.js");
  const recovery = createRecovery({ fallback, retries, fallbackAfterTools });
  const result = withAttempts(await runToAnswer(once, schemaRepairs, recovery), recovery.tally);
  await emitResult(options, result);
  return result;
}

async function runToAnswer(once: RunOptions, repairs: number, recovery: Recovery): Promise<RunResult> {
  if (once.schema === undefined) return recovery.run(once, "first");
  const { runStructured } = await import("./structured.js");
  return runStructured({ ...once, schema: once.schema }, repairs, recovery);
}

/** The figures of a result are those of all its attempts; a figure that one of them does not tell is unknown. */
function withAttempts(result: RunResult, tally: AttemptTally): RunResult {
  const { attempts } = tally;
  if (attempts.length < 2) return result;
  return { ...result, attempts, durationMs: tally.durationMs(), usage: tally.usage(), cost: tally.cost() };
}

/** A caller's throw never changes the result. */
async function emitResult(options: PromptRunOptions, result: RunResult): Promise<void> {
  try {
    await options.onEvent?.({ type: "result", ...result });
  } catch {
    // It has the result already.
  }
}
