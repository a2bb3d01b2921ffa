/**
 * The events and the result as zod schemas, for the JSON Schemas of the package and for tests. Never loaded in a run:
 * the plain types of `schema.ts` hold there, and a test proves that both are the same.
 */
import * as z from "zod";
import { RUN_STATUSES } from "../exit-codes.js";
import { ACCESS_LEVELS, ATTEMPT_CAUSES, FAILURE_REASONS, SCHEMA_VERSION, TOOL_KINDS, TOOL_STATUSES, VERDICT_STATUSES, WARNING_CODES } from "./schema.js";

const schemaVersion = z.number().describe(`Version of the events and of the result: ${SCHEMA_VERSION}.`);
const runId = z.string().describe("The id of the run, the same in its first and its last event.");
const backend = z.string().describe("The id of the backend; empty where a command line was refused before one was chosen.");
const cwd = z.string().describe("The working directory of the backend.");
const simulated = z.boolean().describe("True where no model is asked: the run is played from a recording.");
const runStatus = z.enum(RUN_STATUSES).describe("How the run ended, in words. New words may be added: treat an unknown one as its exit code says.");
const textContent = z
  .object({ type: z.literal("text").describe("Always this."), text: z.string().describe("The text itself.") })
  .describe("A content block, as the protocol has it.");
const messageId = z.string().nullable().describe("Chunks of one message share an id; null where the backend gives none.");
const toolCallId = z.string().describe("The backend's id of the call.");
const toolStatus = z.enum(TOOL_STATUSES).describe("How far the call is.");

export const usage = z.object({
  inputTokens: z.number().nullable().describe("As the vendor counts them: with the cached ones (codex, copilot) or without (claude)."),
  outputTokens: z.number().nullable().describe("What the model wrote."),
  cacheReadTokens: z.number().nullable().describe("Input that was read from the vendor's cache."),
  cacheWriteTokens: z.number().nullable().describe("Input that was written to the vendor's cache."),
  reasoningTokens: z.number().nullable().describe("Part of `outputTokens` where the vendor counts it so."),
  totalTokens: z.number().nullable().describe("All tokens, each counted once; null where a term was unreadable or output was lost."),
});

export const cost = z.object({ amount: z.number().describe("In the currency's main unit."), currency: z.string().describe("ISO 4217.") });

const contextUsage = z.object({
  usedTokens: z.number().describe("Tokens in the window when the backend last told it; what came after that, for instance the last answer, is not counted."),
  sizeTokens: z.number().describe("Tokens that fit in."),
});

const quotaWindow = z.object({
  name: z.string().describe("The vendor's name of the limit, for instance `five_hour`."),
  utilization: z.number().describe("The part that is used, from 0 to 1."),
  resetsAt: z.string().nullable().describe("ISO 8601, UTC; null where the vendor's figure is no time."),
});

const deniedTool = z.object({
  name: z.string().describe("The tool, as the backend names it."),
  toolCallId: z.string().nullable().describe("Null where the backend gives none."),
  reason: z.string().nullable().describe("Null where the backend gives none."),
});

const iteration = z.number().describe("The number of the run within a loop, from 1.");

const checkResult = z
  .object({
    command: z.string().describe("The command, as it was given."),
    exitCode: z.number().nullable().describe("Null where it was ended by a signal."),
    timedOut: z.boolean().describe("Its own deadline passed, and it was ended."),
    output: z.string().describe("The end of what it printed, stdout and stderr as they came."),
  })
  .describe("How the command ended that tells whether a loop is done.");

const verdict = z
  .object({
    status: z.enum(VERDICT_STATUSES).describe("`invalid`: the answer had to hold a JSON object, and holds none that can be used."),
    summary: z.string().nullable().describe("What was done, in the words of the answer's JSON; what is wrong where it is invalid. Null where nothing is told."),
    next: z.string().nullable().describe("What is to be done next, in the words of the answer's JSON. Null where nothing is told."),
    check: checkResult.nullable().describe("The command that checked; null where none did."),
  })
  .describe("What an answer, or the command that checks it, says about the whole task.");

const loopIteration = z.object({
  iteration,
  runId: z.string().describe("The id of this run."),
  status: runStatus,
  exitCode: z.number().describe("What the run alone would have ended with."),
  text: z.string().describe("The answer on success; otherwise the sentence that says what happened."),
  durationMs: z.number().describe("Milliseconds of the run and of the command that checked it."),
  model: z.string().nullable().describe("The model that answered; null where the backend does not tell."),
  sessionId: z.string().nullable().describe("The backend's id of the session; null where it gives none."),
  usage: usage.nullable().describe("Tokens by part; null where the backend told none."),
  cost: cost.nullable().describe("What the vendor says that the run cost; null where it does not."),
  completion: verdict.nullable().describe("What was made of the answer; null where the run failed, so that nothing was judged."),
});

const attempt = z.object({
  cause: z.enum(ATTEMPT_CAUSES).describe("Why the backend was asked: at first, again, because another one could not answer, or because an answer broke the schema."),
  backend,
  status: runStatus,
  exitCode: z.int().describe("jlgcli's exit code, as if this had been the only attempt."),
  reason: z.enum(FAILURE_REASONS).nullable().describe("Why the backend failed; null on success."),
  problem: z.string().nullable().describe("What happened, or what was wrong with the answer; null for a success that was the end."),
  model: z.string().nullable().describe("The model that answered; null where the backend does not tell."),
  sessionId: z.string().nullable().describe("The backend's id of the session; null where it gives none."),
  durationMs: z.number().describe("Milliseconds of this attempt."),
  waitedMs: z.number().describe("Milliseconds that were waited before it."),
  usage: usage.nullable().describe("Tokens by part; null where the backend told none."),
  cost: cost.nullable().describe("What the vendor says that the attempt cost; null where it does not."),
});

/** The one result of a run: the shape of `--json`. */
export const runResultSchema = z
  .object({
    schemaVersion,
    runId,
    exitCode: z.int().describe("jlgcli's own exit code, never the backend's."),
    status: runStatus,
    text: z.string().describe("The answer on success; otherwise the sentence that says what happened."),
    backend,
    durationMs: z.number().describe("Milliseconds of the whole run."),
    details: z.string().exactOptional().describe("More about a bad end: the next step, a suggestion. Left out where there is nothing to add."),
    reason: z.enum(FAILURE_REASONS).nullable().describe("Why the backend failed; null on success and where the failure is not the backend's."),
    partialText: z.string().nullable().describe("What was answered before a bad end; null where nothing was."),
    model: z.string().nullable().describe("The model that answered, as the backend names it; null where it does not tell."),
    sessionId: z.string().nullable().describe("The backend's id of the session, for `--resume`; null where it gives none."),
    usage: usage.nullable().describe("Tokens by part; null where the backend told none."),
    cost: cost.nullable().describe("What the vendor says that the run cost; null where it does not. Never estimated."),
    context: contextUsage.nullable().describe("How full the model's context window was as told last; null where the backend does not tell."),
    quota: z.array(quotaWindow).nullable().describe("The vendor's limits as told in this run; null where it told none."),
    deniedTools: z.array(deniedTool).nullable().describe("Tools that were refused; empty where none was, null where the backend does not tell."),
    backendExitCode: z.number().nullable().describe("The exit code of the backend's own process; null where a signal ended it, or it was not started."),
    backendSignal: z.string().nullable().describe("The signal that ended the backend's process; null where none did."),
    warnings: z.array(z.string()).describe("Sentences about what was odd and did not decide the run."),
    simulated,
    cwd,
    iteration: iteration.exactOptional(),
    iterations: z.array(loopIteration).exactOptional().describe("The iterations of a loop, in order. Only in the result of a loop, which is the sum of them."),
    structured: z.unknown().exactOptional().describe("The answer as a value, when a schema was given and the answer is valid; otherwise left out."),
    attempts: z.array(attempt).exactOptional().describe("Every attempt in order, where there were several; left out where there was one. The exit code is the last one's."),
  })
  .describe("The one result of a run: what `--json` prints, and the last event of `stream-json`.");

const start = z
  .object({
    type: z.literal("start"),
    schemaVersion,
    runId,
    backend,
    simulated,
    recordedFrom: z.string().nullable().describe("Where a simulated run comes from, in words; null for a real one."),
    cwd,
    model: z.string().nullable().describe("The model that was asked for; null where the backend chooses."),
    access: z.enum(ACCESS_LEVELS).nullable().describe("What the tools may do; null for a backend without levels."),
    startedAt: z.string().describe("ISO 8601, UTC."),
    iteration: iteration.exactOptional(),
  })
  .describe("The backend is about to be started. The first event; a run that is refused before has none.");

const messageChunk = z
  .object({ type: z.literal("agent_message_chunk"), content: textContent, messageId })
  .describe("A piece of the answer as it arrives. A hint: pieces may be lost or repeated, the text of the result is the truth.");

const thoughtChunk = z
  .object({ type: z.literal("agent_thought_chunk"), content: textContent, messageId })
  .describe("A piece of the model's reasoning, where the backend shows it.");

const toolCall = z
  .object({
    type: z.literal("tool_call"),
    toolCallId,
    title: z.string().describe("What the call is, for people: the tool's name or its command."),
    kind: z.enum(TOOL_KINDS).describe("What the tool does, in the protocol's words; `other` where the record does not say."),
    status: toolStatus,
    rawInput: z.unknown().describe("What was passed to the tool, verbatim; null where the backend does not tell."),
  })
  .describe("A tool is called.");

const toolCallUpdate = z
  .object({
    type: z.literal("tool_call_update"),
    toolCallId,
    status: toolStatus,
    content: z.array(z.object({ type: z.literal("content").describe("Always this."), content: textContent })).describe("What the tool gave back, as text; empty where the backend does not tell."),
    rawOutput: z.unknown().describe("What the tool gave back, verbatim; null where the backend does not tell."),
  })
  .describe("A tool call goes on or has ended.");

const planEntry = z.object({
  content: z.string().describe("The step, in words."),
  priority: z.enum(["high", "medium", "low"]).describe("`medium` where the backend has no priorities."),
  status: z.enum(["pending", "in_progress", "completed"]).describe("How far the step is."),
});

const plan = z.object({ type: z.literal("plan"), entries: z.array(planEntry).describe("The whole plan; it takes the place of the one before.") }).describe("What the agent means to do.");

const usageUpdate = z
  .object({
    type: z.literal("usage_update"),
    usage: usage.describe("Tokens of the run so far; every part is null where only the context is told yet."),
    cost: cost.nullable().describe("Cost of the run so far; null where the vendor does not tell."),
    context: contextUsage.nullable().describe("How full the model's context window is now; null where the backend does not tell."),
  })
  .describe("The backend has told what was used.");

const warning = z
  .object({ type: z.literal("warning"), code: z.enum(WARNING_CODES).describe("What kind of notice it is."), message: z.string().describe("The notice, in words.") })
  .describe("Something a person may want to know that does not decide the run: a retry, a refused tool, another model.");

const result = z
  .object({ type: z.literal("result"), ...runResultSchema.shape })
  .describe("The end of the run, with all fields of the result. The last event, exactly once.");

/** Every event, in the order in which the documentation shows them. */
export const EVENT_SCHEMAS = [start, messageChunk, thoughtChunk, toolCall, toolCallUpdate, plan, usageUpdate, warning, result] as const;

/** One line of `--output stream-json`. */
export const runEventSchema = z.discriminatedUnion("type", EVENT_SCHEMAS).describe("One event of a run: one line of `--output stream-json`.");
