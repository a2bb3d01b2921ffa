import type { FailureReason } from "../events/schema.js";
import { parseRecord } from "../parse/parse-record.js";
import { toJsonText } from "../parse/json-text.js";
import { textAt, valueAt, type JsonRecord } from "../parse/paths.js";
import type { OutputReading } from "../parse/output-reader.js";
import { findFailureReason, type FailureEvidence } from "./failure-reasons.js";
import { toQuota } from "./quota.js";
import { decideOutcome, type Outcome, type Stop } from "./outcome.js";
import {
  ENVELOPE_ERROR_CODES,
  USAGE_DATA_KEY,
  type EnvelopeRun,
  type ExecutorTraits,
  type ResultEnvelope,
  type SpawnOutcome,
} from "./traits.js";

/** Everything that is known of a run when it is over. */
export interface EndedRun {
  readonly traits: ExecutorTraits;
  /** The command that ran: the record's, or its override. */
  readonly command: string;
  readonly reading: OutputReading;
  readonly child: SpawnOutcome;
  readonly stopped: Stop | null;
  /** It was ended because its retries were hopeless. */
  readonly gaveUp: boolean;
  readonly resumed: boolean;
  /** Processes that could not be ended. */
  readonly leftRunning: number;
  readonly warnings: readonly string[];
}

const SUMMARY_MAX_CODE_POINTS = 200;
/** How much of stderr goes into a sentence for people; its end says why something failed. */
const STDERR_DETAIL_MAX_CHARS = 4000;

/** Makes the envelope of a run that has ended. Pure. */
export function toEnvelope(ended: EndedRun): ResultEnvelope {
  const failure = findFailure(ended);
  const outcome = decideOutcome({
    stopped: ended.stopped,
    spawnFailure: toSpawnFailure(ended.child),
    failure: failure?.reason ?? null,
    terminalSuccess: ended.reading.sawTerminalSuccess,
    namesTerminalSuccess: ended.traits.output.terminal?.success !== undefined,
    hasAnswer: ended.reading.resultText !== undefined,
    truncated: isTruncated(ended),
    pipeBroke: ended.child.streamErrorMessage !== undefined,
    exitCode: ended.child.exitCode,
    signal: ended.child.signal ?? null,
    hintedReason: findHintedReason(ended),
  });
  const message = describeOutcome(outcome, ended, failure);
  const run = toEnvelopeRun(outcome, ended, message);
  return { ...ENVELOPE_MAKERS[envelopeStatus(outcome)](outcome, ended, message), run };
}

/** An envelope for a run whose child was never started. */
export function toRefusalEnvelope(run: Pick<EnvelopeRun, "status" | "exitCode" | "text">, code: string): ResultEnvelope {
  return {
    status: run.status === "interrupted" ? "cancelled" : "failed",
    data: null,
    summary: toSummary(run.text),
    errors: [{ message: run.text, code }],
    run: { ...EMPTY_RUN, ...run },
  };
}

const EMPTY_RUN: Omit<EnvelopeRun, "status" | "exitCode" | "text"> = {
  reason: null,
  partialText: null,
  usage: null,
  cost: null,
  context: null,
  quota: null,
  sessionId: null,
  model: null,
  deniedTools: null,
  backendExitCode: null,
  backendSignal: null,
  warnings: [],
};

function envelopeStatus(outcome: Outcome): ResultEnvelope["status"] {
  if (outcome.status === "success") return "ok";
  return outcome.status === "interrupted" ? "cancelled" : "failed";
}

const ENVELOPE_MAKERS: Readonly<
  Record<ResultEnvelope["status"], (outcome: Outcome, ended: EndedRun, message: string) => ResultEnvelope>
> = {
  ok: (_outcome, ended, message) => ({
    status: "ok",
    data: toData(ended, ended.reading.resultRecord),
    summary: toSummary(firstLine(message)),
    errors: [],
  }),
  failed: (outcome, ended, message) => ({
    status: "failed",
    data: outcome.cause === "not-started" ? null : toData(ended, failureDataRecord(outcome, ended)),
    summary: toSummary(message),
    errors: [{ message, code: errorCode(outcome) }],
  }),
  cancelled: (_outcome, ended, message) => ({
    status: "cancelled",
    data: toFlags(ended),
    summary: toSummary(message),
    errors: [{ message, code: ENVELOPE_ERROR_CODES.executorCancelled }],
  }),
};

function errorCode(outcome: Outcome): string {
  return outcome.cause === "not-started" ? ENVELOPE_ERROR_CODES.executorUnavailable : ENVELOPE_ERROR_CODES.executorRunFailed;
}

function failureDataRecord(outcome: Outcome, ended: EndedRun): JsonRecord | undefined {
  return outcome.cause === "failure-record" ? (ended.reading.failureRecord ?? ended.reading.provisionalFailure) : ended.reading.resultRecord;
}

// --- why it failed ---

interface Failure {
  readonly record: JsonRecord;
  readonly detail: string;
  readonly reason: FailureReason;
}

/** The failure that decides: a terminal record, or notices that say retrying is hopeless. */
function findFailure(ended: EndedRun): Failure | undefined {
  const { reading, traits } = ended;
  // What a backend says after we have ended it for hopeless retries is about our signal, not about the failure.
  const record = ended.gaveUp ? (reading.provisionalFailure ?? reading.failureRecord) : reading.failureRecord;
  if (record === undefined) return undefined;
  const detail = findDetail(record, ended);
  const reason = findFailureReason(traits.output.failureReasons ?? [], toEvidence(record, detail, ended));
  return { record, detail, reason: reason ?? "other" };
}

/** What stderr and provisional failures say, for a run that ends without saying anything better. */
function findHintedReason(ended: EndedRun): FailureReason | null {
  const record = ended.reading.provisionalFailure;
  const detail = record === undefined ? "" : findDetail(record, ended);
  return findFailureReason(ended.traits.output.failureReasons ?? [], toEvidence(record, detail, ended));
}

function toEvidence(record: JsonRecord | undefined, detail: string, { child }: EndedRun): FailureEvidence {
  return { record, detail, stderr: child.stderr, exitCode: child.exitCode };
}

function findDetail(record: JsonRecord, ended: EndedRun): string {
  const { errorMessagePaths = [], errorMessagePath, resultPath } = ended.traits.output;
  const candidates = [...errorMessagePaths.map((path) => valueAt(record, path)), valueAt(record, errorMessagePath ?? resultPath)];
  const detail = candidates.map((value) => toDetailText(value, ended)).find((text) => text !== "");
  return detail ?? stderrDetail(ended);
}

function toDetailText(value: unknown, ended: EndedRun): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return toJsonText(value) ?? "";
  const text = withoutNoise(value, ended);
  return text.startsWith("{") ? (findErrorMessage(text) ?? text) : text;
}

/** The message of a service's error body that a backend passes on as text: {"error":{"message":"…"}} */
function findErrorMessage(text: string): string | undefined {
  const parsed = parseRecord(text);
  if (parsed.kind !== "record") return undefined;
  return textAt(parsed.record, ["error", "message"]) ?? textAt(parsed.record, ["message"]);
}

function stderrDetail(ended: EndedRun): string {
  return withoutNoise(ended.child.stderr, ended).slice(-STDERR_DETAIL_MAX_CHARS);
}

function withoutNoise(text: string, { traits }: EndedRun): string {
  const patterns = traits.output.detailNoise ?? [];
  return patterns.reduce((rest, source) => rest.replace(new RegExp(source, "gmu"), ""), text).trim();
}

/** Output was lost before it was read: by the spawner, or because it was more than can be kept. */
function isTruncated({ child, reading }: EndedRun): boolean {
  return child.stdoutTruncated === true || reading.truncated;
}

function toSpawnFailure(child: SpawnOutcome): { missing: boolean; tooLarge: boolean } | null {
  if (child.spawnErrorMessage === undefined) return null;
  const code = child.spawnErrorCode ?? (/\bENOENT\b/.test(child.spawnErrorMessage) ? "ENOENT" : "");
  return { missing: code === "ENOENT", tooLarge: code === "E2BIG" };
}

// --- sentences ---

function describeOutcome(outcome: Outcome, ended: EndedRun, failure: Failure | undefined): string {
  const sentence = OUTCOME_SENTENCES[outcome.cause](ended, failure);
  const pipe = ended.child.streamErrorMessage;
  return pipe === undefined || outcome.status === "success" || sentence.includes(pipe) ? sentence : `${sentence} (pipe: ${pipe})`;
}

const OUTCOME_SENTENCES: Readonly<Record<Outcome["cause"], (ended: EndedRun, failure: Failure | undefined) => string>> = {
  "not-started": ({ command, child }) => `${command} could not be started: ${child.spawnErrorMessage ?? "unknown error"}`,
  stopped: describeStop,
  "failure-record": (ended, failure) => `${ended.command} failed${statusNote(ended, failure)}${after(": ", failure?.detail)}`,
  answered: ({ reading }) => reading.resultText ?? "",
  "no-answer": ({ command }) => `${command} ended without an answer`,
  "pipe-broke": ({ command, child }) => `the pipe to ${command} failed: ${child.streamErrorMessage ?? "unknown error"}`,
  "child-signal": (ended) => `${ended.command} was ended by an external signal${signalNote(ended)} before it had finished${after(": ", stderrDetail(ended))}`,
  "child-exit-code": (ended) => `${ended.command} exited with code ${String(ended.child.exitCode)}${after(": ", exitDetail(ended))}`,
  truncated: ({ command }) => `${command} printed more than could be kept, so its answer is incomplete`,
  "no-evidence": describeNoEvidence,
};

function describeStop(ended: EndedRun): string {
  const { stopped, command } = ended;
  if (stopped === null || stopped.kind === "interrupted") {
    return `the run of ${command} was cancelled${after(" by ", stopped?.signal ?? undefined)}`;
  }
  return `${command} ${DEADLINE_WORDS[stopped.deadline]} within ${stopped.afterMs / 1000} s and was ended${after("; the last thing it said on stderr: ", lastLine(withoutNoise(ended.child.stderr, ended)))}`;
}

const DEADLINE_WORDS = {
  total: "did not finish",
  idle: "gave no sign of life",
  "first-byte": "printed nothing",
} as const;

function statusNote(ended: EndedRun, failure: Failure | undefined): string {
  const { statusPath, errorStatusPrefix } = ended.traits.output;
  if (failure === undefined || statusPath === undefined || errorStatusPrefix === undefined) return "";
  const status = textAt(failure.record, statusPath);
  return status?.startsWith(errorStatusPrefix) === true && status !== errorStatusPrefix ? ` (${status})` : "";
}

function signalNote(ended: EndedRun): string {
  return typeof ended.child.signal === "string" ? ` (${ended.child.signal})` : "";
}

/** A failure that is still the last word when the child ends says more than stderr. */
function noticeDetail(ended: EndedRun): string {
  const record = ended.reading.provisionalFailure;
  return record === undefined ? stderrDetail(ended) : findDetail(record, ended);
}

/** A structured answer or notice says more than stderr, which may be noise. */
function exitDetail(ended: EndedRun): string {
  const record = ended.reading.provisionalFailure ?? ended.reading.resultRecord;
  return record === undefined ? stderrDetail(ended) : findDetail(record, ended);
}

function describeNoEvidence(ended: EndedRun): string {
  const { command, reading, traits } = ended;
  const { payload, resultPath, terminal } = traits.output;
  const name = resultPath.join(".");
  const note = after(": ", noticeDetail(ended));
  if (terminal?.success !== undefined && reading.sawRecord) return `${command} ended before it said that it had finished${note}`;
  if (payload === "text") return `${command} ended without an answer${note}`;
  if (reading.sawRecord) return `${command} returned JSON without a usable '${name}' result${note}`;
  return payload === "single-object"
    ? `${command} printed unparseable output instead of JSON${note}`
    : `${command} printed no JSON event carrying a '${name}' result${note}`;
}

function after(separator: string, text: string | undefined): string {
  return text === undefined || text === "" ? "" : `${separator}${text}`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

function firstLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? "";
}

function toSummary(text: string): string {
  // An answer may have 64 MiB; a code point has at most two of the string's units.
  const points = [...text.trim().slice(0, 2 * SUMMARY_MAX_CODE_POINTS + 2)];
  return points.length <= SUMMARY_MAX_CODE_POINTS ? points.join("") : `${points.slice(0, SUMMARY_MAX_CODE_POINTS).join("")}…`;
}

// --- data ---

/** `data` for a record that is reported; without one, only what holds for the whole run. */
function toData(ended: EndedRun, record: JsonRecord | undefined): Record<string, unknown> | null {
  const { reading, traits } = ended;
  const result = reading.resultText;
  if (record === undefined && result === undefined) return toFlags(ended);
  return {
    ...(result === undefined ? {} : { result }),
    ...(record === undefined ? {} : toMetadata(record, traits.output.metadata ?? {})),
    ...toFlags(ended),
  };
}

function toMetadata(record: JsonRecord, metadata: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const found = Object.entries(metadata).map(([key, path]) => [key, valueAt(record, path)] as const);
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => typeof entry[1] === "string"));
}

function toFlags(ended: EndedRun): Record<string, unknown> | null {
  const { child, reading } = ended;
  const usage = reading.usageTotal !== undefined && !isUsageUnknown(ended) ? { [USAGE_DATA_KEY]: reading.usageTotal } : {};
  const stdoutTruncated = isTruncated(ended);
  const stderrTruncated = child.stderrTruncated === true;
  const truncation = stdoutTruncated || stderrTruncated ? { stdoutTruncated, stderrTruncated } : {};
  const malformed = reading.malformedLines > 0 ? { malformedStreamLines: reading.malformedLines } : {};
  const flags = { ...usage, ...truncation, ...malformed };
  return Object.keys(flags).length === 0 ? null : flags;
}

/** A figure that grows over a thread is not this run's, unless the thread began with it. */
function isUsageUnknown(ended: EndedRun): boolean {
  return ended.resumed && ended.traits.output.usageGrowsOverSession === true;
}

// --- the run's own fields ---

function toEnvelopeRun(outcome: Outcome, ended: EndedRun, message: string): EnvelopeRun {
  const { reading, child } = ended;
  return {
    status: outcome.status,
    exitCode: outcome.exitCode,
    reason: outcome.reason,
    text: message,
    partialText: outcome.status === "success" ? null : toPartialText(reading),
    ...(reading.structured === undefined ? {} : { structured: reading.structured }),
    usage: isUsageUnknown(ended) ? null : reading.usage,
    cost: reading.cost,
    context: reading.context,
    quota: toQuota(reading.windows),
    sessionId: reading.sessionId,
    model: reading.model,
    deniedTools: reading.deniedTools,
    backendExitCode: child.exitCode,
    backendSignal: child.signal ?? null,
    warnings: [...ended.warnings, ...describeOddities(outcome, ended)],
  };
}

function toPartialText(reading: OutputReading): string | null {
  if (reading.partialText.trim() !== "") return reading.partialText;
  // A failure may stand where an answer would: its sentence is no part of one.
  return reading.resultRecord === reading.failureRecord ? null : (reading.resultText ?? null);
}


function describeOddities(outcome: Outcome, ended: EndedRun): readonly string[] {
  const { child, reading, command } = ended;
  const oddExit = outcome.status === "success" && child.exitCode !== 0 && child.exitCode !== null;
  return [
    ...(oddExit ? [`${command} exited with code ${String(child.exitCode)} after it had finished`] : []),
    ...(reading.malformedLines > 0 ? [`${reading.malformedLines} line(s) of ${command}'s output could not be read`] : []),
    ...(ended.leftRunning > 0 ? [`${ended.leftRunning} process(es) of ${command} could not be ended`] : []),
  ];
}
