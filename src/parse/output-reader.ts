import { StringDecoder } from "node:string_decoder";
import type { ExecutorOutputTraits, Path, UsageWindow } from "../adapters/traits.js";
import type { ContextUsage, Cost, DeniedTool, RunEvent, RunUsage } from "../events/schema.js";
import { compileCondition, compileOptional } from "./conditions.js";
import { createContextGauge } from "./context-gauge.js";
import { createDeniedToolList } from "./denied-tools.js";
import { parseRecord, parseSingleObject } from "./parse-record.js";
import { createPathCompiler, textAt, valueAt, type JsonRecord, type PathCompiler } from "./paths.js";
import { compileQuotaReader } from "./quota-windows.js";
import { compileEventRules } from "./record-events.js";
import { BYTE_ORDER_MARK, MAX_LINE_BYTES, createLineSplitter } from "./split-lines.js";
import { EMPTY_USAGE, createUsageMeter } from "./usage-meter.js";

/** All that a backend's stdout has told so far. */
export interface OutputReading {
  /** The last record with a non-blank answer. */
  readonly resultRecord: JsonRecord | undefined;
  /** The answer: of that record, or of all its parts. */
  readonly resultText: string | undefined;
  /** The first record that reports a failure: terminal, or (where the traits name no terminal one) any. */
  readonly failureRecord: JsonRecord | undefined;
  /** The last failure that is not terminal: a retry notice, a recoverable error. It decides nothing by itself. */
  readonly provisionalFailure: JsonRecord | undefined;
  readonly sawTerminalSuccess: boolean;
  /** What was streamed of the answer, for a run that ends badly. */
  readonly partialText: string;
  /** The answer as a value, where the traits say where it stands; undefined where none was given. */
  readonly structured: unknown;
  readonly usageTotal: number | undefined;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  readonly context: ContextUsage | null;
  readonly windows: readonly UsageWindow[] | undefined;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly deniedTools: readonly DeniedTool[] | null;
  /** Lines that are no JSON: noise between records, and lost ones. */
  readonly malformedLines: number;
  readonly sawRecord: boolean;
  /** Output was cut: more than can be kept, or not all of it reached us. */
  readonly truncated: boolean;
}

export interface OutputReader {
  /** Takes bytes of stdout, however they are cut; gives the events that they complete. */
  push(chunk: Uint8Array): readonly RunEvent[];
  /** The end of stdout. */
  end(): readonly RunEvent[];
  /** A record that came another way than by stdout. */
  readRecord(record: JsonRecord): readonly RunEvent[];
  /** Output was cut before it reached us: figures that may miss a term are void. */
  markTruncated(): void;
  readonly reading: OutputReading;
  /** True once a record that ends the run was read. */
  readonly sawTerminal: boolean;
  /** True once a record that ends the run as a success was read, and none that reports a failure. */
  readonly succeeded: boolean;
  /** Retry notices that will not heal have come as often as the traits allow, and nothing better since. */
  readonly isHopeless: boolean;
}

/** Streamed text that is kept for a bad end. The answer itself has no such limit. */
const MAX_PARTIAL_CHARS = 16 * 1024 * 1024;

/** The longest answer in plain text. */
const MAX_TEXT_CHARS = MAX_LINE_BYTES;

/** Makes a reader for one run of one backend. Pure: bytes in, events and a reading out. */
export function createOutputReader(output: ExecutorOutputTraits): OutputReader {
  const state = createReadingState(output);
  return READER_FACTORIES[output.payload](output, state);
}

const READER_FACTORIES: Readonly<
  Record<ExecutorOutputTraits["payload"], (output: ExecutorOutputTraits, state: ReadingState) => OutputReader>
> = {
  jsonl: (_output, state) => createJsonlReader(state),
  "single-object": (_output, state) => createWholeReader(state, (text) => readSingleObject(text, state)),
  text: (_output, state) => createTextReader(state),
};

function toReader(state: ReadingState, stream: Pick<OutputReader, "push" | "end">): OutputReader {
  return {
    ...stream,
    readRecord: (record) => state.readRecord(record),
    markTruncated: () => state.markTruncated(),
    get reading() {
      return state.reading();
    },
    get sawTerminal() {
      return state.sawTerminal();
    },
    get succeeded() {
      return state.succeeded();
    },
    get isHopeless() {
      return state.isHopeless();
    },
  };
}

function createJsonlReader(state: ReadingState): OutputReader {
  const lines = createLineSplitter();
  let lostBefore = 0;
  const readLines = (texts: readonly string[]): readonly RunEvent[] => {
    const events: RunEvent[] = [];
    for (const line of texts) for (const event of state.readLine(line)) events.push(event);
    for (; lostBefore < lines.lostLines; lostBefore += 1) state.loseLine();
    return events;
  };
  return toReader(state, {
    push: (chunk) => readLines(lines.push(chunk)),
    end: () => readLines(lines.end()),
  });
}

function createWholeReader(state: ReadingState, readWhole: (text: string) => readonly RunEvent[]): OutputReader {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return toReader(state, {
    push(chunk) {
      bytes += chunk.length;
      if (bytes > MAX_LINE_BYTES) state.markTruncated();
      else chunks.push(Buffer.from(chunk));
      return [];
    },
    end: () => readWhole(Buffer.concat(chunks).toString("utf8")),
  });
}

function readSingleObject(text: string, state: ReadingState): readonly RunEvent[] {
  const record = parseSingleObject(text);
  return record === undefined ? [] : state.readRecord(record);
}

function createTextReader(state: ReadingState): OutputReader {
  const decoder = new StringDecoder("utf8");
  let isFirst = true;
  let answerLength = 0;
  const take = (decoded: string): readonly RunEvent[] => {
    const text = isFirst && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(BYTE_ORDER_MARK.length) : decoded;
    if (decoded !== "") isFirst = false;
    if (text === "") return [];
    if (answerLength + text.length > MAX_TEXT_CHARS) {
      state.markTruncated();
      return [];
    }
    answerLength += text.length;
    state.addAnswerText(text);
    return [{ type: "agent_message_chunk", content: { type: "text", text }, messageId: null }];
  };
  return toReader(state, {
    push: (chunk) => take(decoder.write(Buffer.from(chunk))),
    end: () => take(decoder.end()),
  });
}

interface ReadingState {
  readLine(line: string): readonly RunEvent[];
  loseLine(): void;
  addAnswerText(text: string): void;
  reading(): OutputReading;
  sawTerminal(): boolean;
  readRecord(record: JsonRecord): readonly RunEvent[];
  succeeded(): boolean;
  isHopeless(): boolean;
  markTruncated(): void;
}

function createReadingState(output: ExecutorOutputTraits): ReadingState {
  const toPathReader = createPathCompiler();
  const carriesResult = compileOptional(output.resultWhen, toPathReader);
  const reportsFailure = compileFailureTest(output, toPathReader);
  const endsWell = output.terminal?.success === undefined ? undefined : compileCondition(output.terminal.success, toPathReader);
  const endsBadly = output.terminal?.failure === undefined ? undefined : compileCondition(output.terminal.failure, toPathReader);
  const isHopelessNotice = output.hopelessRetry === undefined ? undefined : compileCondition(output.hopelessRetry.when, toPathReader);
  const isProvisional = output.provisionalWhen === undefined ? undefined : compileCondition(output.provisionalWhen);
  const toEvents = compileEventRules(output.events ?? [], toPathReader);
  const readWindows = compileQuotaReader(output.usageWindows);
  const denied = createDeniedToolList(output.deniedTools);
  const startsAnew = output.resultParts?.startsAnewWhen === undefined ? undefined : compileCondition(output.resultParts.startsAnewWhen, toPathReader);
  const carriesModel = compileOptional(output.modelWhen, toPathReader);
  const meter = createUsageMeter(output, toPathReader);
  const gauge = createContextGauge(output.contextWindow, toPathReader);

  let resultRecord: JsonRecord | undefined;
  let resultParts: string[] = [];
  let resultKey: unknown = null;
  let structured: unknown;
  let failureRecord: JsonRecord | undefined;
  let provisionalFailure: JsonRecord | undefined;
  let sawTerminalSuccess = false;
  let hopelessCount = 0;
  let partialText = "";
  let partialMessageId: string | null = null;
  let plainText = "";
  let windows: readonly UsageWindow[] | undefined;
  let sessionId: string | null = null;
  let model: string | null = null;
  const models = new Set<string>();
  let malformedLines = 0;
  let sawRecord = false;
  let truncated = false;

  const readRecord = (record: JsonRecord): readonly RunEvent[] => {
    sawRecord = true;
    noteResult(record);
    noteFailure(record);
    if (endsWell?.(record) === true) sawTerminalSuccess = true;
    windows = readWindows(record) ?? windows;
    sessionId = namedText(record, output.sessionIdPath) ?? sessionId;
    if (carriesModel(record)) for (const path of output.modelPaths ?? []) noteModel(namedText(record, path));
    const events = toEvents(record);
    // What healed once may fail again much later: that is a new story.
    if (events.some(isProgress)) hopelessCount = 0;
    notePartialText(events);
    denied.add(record, events);
    const tellsUsage = meter.add(record) && meter.usage !== null;
    const tellsContext = gauge.add(record, models);
    if (!tellsUsage && !tellsContext) return events;
    return [...events, { type: "usage_update", usage: meter.usage ?? EMPTY_USAGE, cost: meter.cost, context: gauge.context }];
  };

  const noteModel = (name: string | undefined): void => {
    if (name === undefined) return;
    model = name;
    models.add(name);
  };

  const noteResult = (record: JsonRecord): void => {
    if (startsAnew?.(record) === true) {
      resultRecord = undefined;
      resultParts = [];
    }
    if (!carriesResult(record)) return;
    noteStructured(record);
    const text = textAt(record, output.resultPath);
    if (text === undefined) return;
    if (output.resultParts !== undefined) notePart(record, text, output.resultParts.by);
    if (text.trim() !== "") resultRecord = record;
  };

  const noteStructured = (record: JsonRecord): void => {
    if (output.structuredPath === undefined) return;
    const value = valueAt(record, output.structuredPath);
    if (value === undefined || value === null) return;
    structured = value;
    resultRecord = record;
  };

  /** A blank part belongs to the answer that it stands in, but begins none: a trailing one must not shadow it. */
  const notePart = (record: JsonRecord, text: string, by: Path | undefined): void => {
    const key = by === undefined ? null : valueAt(record, by);
    if (key !== resultKey || resultParts.length === 0) {
      if (text.trim() === "") return;
      resultParts = [];
      resultKey = key;
    }
    resultParts.push(text);
  };

  const noteFailure = (record: JsonRecord): void => {
    const terminal = endsBadly?.(record) === true;
    if (isHopelessNotice?.(record) === true) hopelessCount += 1;
    if (terminal || (endsBadly === undefined && reportsFailure(record))) failureRecord ??= record;
    else if (isProvisional?.(record) === true || reportsFailure(record) || isHopelessNotice?.(record) === true) provisionalFailure = record;
  };

  const notePartialText = (events: readonly RunEvent[]): void => {
    for (const event of events) {
      if (event.type !== "agent_message_chunk") continue;
      // A retry begins its message anew, under another id: what came before is not part of it.
      if (event.messageId !== partialMessageId) partialText = "";
      partialMessageId = event.messageId;
      if (partialText.length < MAX_PARTIAL_CHARS) partialText += event.content.text;
    }
  };

  const resultText = (): string | undefined => {
    if (output.payload === "text") return plainText.trim() === "" ? undefined : plainText;
    if (resultRecord === undefined) return undefined;
    if (output.resultParts !== undefined) return resultParts.join(output.resultParts.separator ?? "");
    const text = textAt(resultRecord, output.resultPath);
    // An answer that was given as a value may stand nowhere as a text.
    return structured === undefined || (text ?? "").trim() !== "" ? text : JSON.stringify(structured);
  };

  const isHopeless = (): boolean => output.hopelessRetry !== undefined && hopelessCount >= output.hopelessRetry.afterCount;

  const loseFigures = (): void => {
    meter.voidAll();
    gauge.forget();
  };

  const loseLine = (): void => {
    malformedLines += 1;
    loseFigures();
  };

  return {
    loseLine,
    readLine(line) {
      const parsed = parseRecord(line);
      if (parsed.kind === "record") return readRecord(parsed.record);
      if (parsed.kind === "lost") loseLine();
      if (parsed.kind === "noise") malformedLines += 1;
      return [];
    },
    addAnswerText(text) {
      plainText += text;
      partialText = plainText;
    },
    sawTerminal: () => sawTerminalSuccess || (endsBadly !== undefined && failureRecord !== undefined),
    readRecord,
    succeeded: () => sawTerminalSuccess && failureRecord === undefined,
    isHopeless,
    markTruncated: () => {
      truncated = true;
      loseFigures();
    },
    reading: () => ({
      resultRecord,
      resultText: resultText(),
      failureRecord,
      provisionalFailure,
      sawTerminalSuccess,
      partialText,
      structured,
      usageTotal: meter.total,
      usage: meter.usage,
      cost: meter.cost,
      context: gauge.context,
      windows,
      sessionId,
      model,
      deniedTools: denied.tools,
      malformedLines,
      sawRecord,
      truncated,
    }),
  };
}

/** An answer of the model, which only one that was let in can give. */
function isProgress({ type }: RunEvent): boolean {
  return type === "agent_message_chunk" || type === "agent_thought_chunk" || type === "tool_call";
}

/** A failure is a true error flag, or a status with the prefix, on a record that passes `failureWhen`. */
function compileFailureTest(output: ExecutorOutputTraits, toPathReader: PathCompiler): (record: JsonRecord) => boolean {
  const mayReport = compileOptional(output.failureWhen, toPathReader);
  const { errorFlagPath, statusPath, errorStatusPrefix } = output;
  return (record) => {
    if (!mayReport(record)) return false;
    if (errorFlagPath !== undefined && valueAt(record, errorFlagPath) === true) return true;
    const status = statusPath === undefined ? undefined : valueAt(record, statusPath);
    return errorStatusPrefix !== undefined && typeof status === "string" && status.startsWith(errorStatusPrefix);
  };
}

function namedText(record: JsonRecord, path: readonly string[] | undefined): string | undefined {
  const text = path === undefined ? undefined : textAt(record, path);
  return text === "" ? undefined : text;
}
