import { array, boolean, enum as oneOf, int, literal, nullable, number, object, string } from "zod/mini";
import { VERDICT_STATUSES } from "../events/schema.js";
import { RUN_STATUSES } from "../exit-codes.js";
import { LOOP_STATE_VERSION, type LoopState } from "./loop-state-type.js";

/** The state of a loop from its file's text; null where it is none. What a newer version has added is left out. */
export function parseLoopState(text: string): LoopState | null {
  try {
    const parsed = loopState.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const figure = nullable(number());

const iteration = object({
  iteration: int(),
  runId: string(),
  status: oneOf(RUN_STATUSES),
  exitCode: int(),
  text: string(),
  durationMs: number(),
  model: nullable(string()),
  sessionId: nullable(string()),
  usage: nullable(
    object({ inputTokens: figure, outputTokens: figure, cacheReadTokens: figure, cacheWriteTokens: figure, reasoningTokens: figure, totalTokens: figure }),
  ),
  cost: nullable(object({ amount: number(), currency: string() })),
  completion: nullable(
    object({
      status: oneOf(VERDICT_STATUSES),
      summary: nullable(string()),
      next: nullable(string()),
      check: nullable(object({ command: string(), exitCode: nullable(int()), timedOut: boolean(), output: string() })),
    }),
  ),
});

const loopState = object({
  version: literal(LOOP_STATE_VERSION),
  loopId: string(),
  startedAt: string(),
  cwd: string(),
  prompt: string(),
  args: array(string()),
  withheld: array(string()),
  owner: object({ pid: int(), startedAt: nullable(number()) }),
  iterations: array(iteration),
});
