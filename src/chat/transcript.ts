import type { StoredTool, StoredTurn } from "../conversation/types.js";
import { findUnstreamedText } from "../events/find-unstreamed-text.js";
import type { ResultEvent, RunEvent, ToolCallEvent, ToolCallUpdateEvent, ToolStatus } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import { splitUnfinished, toSafeText } from "../render/safe-text.js";
import { describeCall } from "./describe-call.js";
import type { AnswerItem, ChatItem, NoticeItem, PlanItem, ThoughtItem, ToolItem } from "./types.js";

/** What was shown so far. */
export interface Transcript {
  readonly items: readonly ChatItem[];
  /** The id of the next item: never used twice, also after the items were cleared. */
  readonly nextId: number;
  /** The message that the answer in progress belongs to, as the backend names it. */
  readonly messageId: string | null;
  /** The end of the last chunk, where it may be the beginning of an escape sequence that the next one ends. */
  readonly unfinished: { readonly of: "answer" | "thought"; readonly text: string } | null;
  /** The directory of the turn, for short paths. */
  readonly cwd: string | null;
}

/** What makes a transcript grow: the events of a turn, and what the chat itself has to show. */
export type TranscriptEvent =
  | RunEvent
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "notice"; readonly level: NoticeItem["level"]; readonly text: string }
  | { readonly type: "stored_turn"; readonly turn: StoredTurn }
  | { readonly type: "cleared" };

export const EMPTY_TRANSCRIPT: Transcript = { items: [], nextId: 1, messageId: null, unfinished: null, cwd: null };

/** Longer outputs of tools lose their middle: the backend has read them, the person looks at how they began and ended. */
const MAX_OUTPUT_CHARS = 20_000;

/**
 * What a transcript becomes by what has happened. Pure. Text of others is made safe for a terminal here. An item that
 * is done is never changed again.
 */
export function reduceItems(transcript: Transcript, event: TranscriptEvent): Transcript {
  const reduce: ReducerOf<typeof event.type> = REDUCERS[event.type];
  // The table has for each type the function that takes it; the compiler cannot follow that through the union.
  return (reduce as (transcript: Transcript, event: TranscriptEvent) => Transcript)(transcript, event);
}

type EventOf<T extends TranscriptEvent["type"]> = Extract<TranscriptEvent, { type: T }>;
type ReducerOf<T extends TranscriptEvent["type"]> = { [K in T]: (transcript: Transcript, event: EventOf<K>) => Transcript }[T];
type Reducers = { readonly [T in TranscriptEvent["type"]]: (transcript: Transcript, event: EventOf<T>) => Transcript };

const REDUCERS: Reducers = {
  user: (transcript, { text }) => add(transcript, { type: "user", done: true, text: toSafeText(text) }),
  notice: (transcript, { level, text }) => add(transcript, { type: "notice", done: true, level, text: toSafeText(text) }),
  cleared: ({ nextId }) => ({ ...EMPTY_TRANSCRIPT, nextId }),
  stored_turn: (transcript, { turn }) => addStoredTurn(transcript, turn),
  start: (transcript, { cwd }) => ({ ...transcript, cwd }),
  usage_update: (transcript) => transcript,
  agent_message_chunk: (transcript, { content, messageId }) => addAnswer(transcript, content.text, messageId),
  agent_thought_chunk: (transcript, { content }) => addThought(transcript, content.text),
  tool_call: (transcript, event) => addTool(transcript, event),
  tool_call_update: (transcript, event) => updateTool(transcript, event),
  plan: (transcript, { entries }) => setPlan(transcript, { type: "plan", done: false, entries: entries.map((entry) => ({ ...entry, content: toSafeText(entry.content) })) }),
  // Another model's answer is told with the result.
  warning: (transcript, { code, message }) => (code === "model-substituted" ? transcript : warn(transcript, message)),
  result: (transcript, event) => endTurn(transcript, event),
};

/** An item before it has its number. */
type NewItem = ChatItem extends infer Item ? (Item extends ChatItem ? Omit<Item, "id"> : never) : never;

function add(transcript: Transcript, item: NewItem): Transcript {
  return { ...transcript, items: [...transcript.items, { ...item, id: transcript.nextId }], nextId: transcript.nextId + 1 };
}

function replace(transcript: Transcript, item: ChatItem): Transcript {
  return { ...transcript, items: transcript.items.map((each) => (each.id === item.id ? item : each)) };
}

/** The newest item of a type that may still change. */
function findOpen<T extends ChatItem["type"]>({ items }: Transcript, type: T): Extract<ChatItem, { type: T }> | undefined {
  return items.findLast((item): item is Extract<ChatItem, { type: T }> => item.type === type && !item.done);
}

function close(transcript: Transcript, ...types: readonly ChatItem["type"][]): Transcript {
  if (!transcript.items.some((item) => !item.done && types.includes(item.type))) return transcript;
  return { ...transcript, items: transcript.items.map((item) => (!item.done && types.includes(item.type) ? { ...item, done: true } : item)) };
}

// --- answers and thoughts ---

function addAnswer(before: Transcript, chunk: string, messageId: string | null): Transcript {
  const isSame = messageId === before.messageId;
  const { text, unfinished } = toPiece(isSame ? before : { unfinished: null }, "answer", chunk);
  const transcript = close(before, ...(isSame ? (["thought"] as const) : (["thought", "answer"] as const)));
  return { ...growAnswer(transcript, text), messageId, unfinished };
}

function toPiece({ unfinished }: Pick<Transcript, "unfinished">, of: "answer" | "thought", chunk: string): Pick<Transcript, "unfinished"> & { readonly text: string } {
  const { whole, rest } = splitUnfinished((unfinished?.of === of ? unfinished.text : "") + chunk);
  return { text: toSafeText(whole), unfinished: rest === "" ? null : { of, text: rest } };
}

/** Blanks alone begin no answer. */
function growAnswer(transcript: Transcript, text: string): Transcript {
  const open = findOpen(transcript, "answer");
  if (open !== undefined) return replace(transcript, { ...open, text: open.text + text } satisfies AnswerItem);
  return text.trim() === "" ? transcript : add(transcript, { type: "answer", done: false, text: text.trimStart() });
}

function addThought(before: Transcript, chunk: string): Transcript {
  const { text, unfinished } = toPiece(before, "thought", chunk);
  const transcript = { ...close(before, "answer"), unfinished };
  const open = findOpen(transcript, "thought");
  if (open !== undefined) return replace(transcript, { ...open, text: open.text + text } satisfies ThoughtItem);
  return text.trim() === "" ? transcript : add(transcript, { type: "thought", done: false, text: text.trimStart() });
}

// --- tools and plans ---

function addTool(before: Transcript, { toolCallId, title, kind, status, rawInput }: ToolCallEvent): Transcript {
  const transcript = { ...close(before, "answer", "thought"), unfinished: null };
  const known = transcript.items.findLast((item): item is ToolItem => item.type === "tool" && !item.done && item.toolCallId === toolCallId);
  const told = { title: toSafeText(describeCall(title, rawInput, before.cwd)), kind, status, done: isEnded(status) };
  if (known !== undefined) return replace(transcript, { ...known, ...told, rawInput: rawInput ?? known.rawInput });
  return add(transcript, { type: "tool", toolCallId, rawInput, output: "", ...told });
}

/** An update of a call that was never told, or that has ended, tells nothing that could be shown. */
function updateTool(transcript: Transcript, { toolCallId, status, content, rawOutput }: ToolCallUpdateEvent): Transcript {
  const known = transcript.items.findLast((item): item is ToolItem => item.type === "tool" && !item.done && item.toolCallId === toolCallId);
  if (known === undefined) return transcript;
  const told = content.map((part) => part.content.text).join("");
  const output = told === "" && typeof rawOutput === "string" ? rawOutput : told;
  return replace(transcript, { ...known, status, done: isEnded(status), output: output === "" ? known.output : bound(toSafeText(output)) });
}

function isEnded(status: ToolItem["status"]): boolean {
  return status === "completed" || status === "failed";
}

function bound(output: string): string {
  if (output.length <= MAX_OUTPUT_CHARS) return output;
  const half = MAX_OUTPUT_CHARS / 2;
  return `${output.slice(0, half)}\n… ${String(output.length - MAX_OUTPUT_CHARS)} characters are left out …\n${output.slice(-half)}`;
}

function setPlan(transcript: Transcript, plan: Omit<PlanItem, "id">): Transcript {
  const open = findOpen(transcript, "plan");
  return open === undefined ? add(transcript, plan) : replace(transcript, { ...plan, id: open.id });
}

// --- notices and the end ---

/** The same sentence is told once in a turn. */
function warn(transcript: Transcript, message: string): Transcript {
  const text = toSafeText(message);
  const isTold = itemsOfTurn(transcript).some((item) => item.type === "notice" && item.text === text);
  return isTold ? transcript : add(transcript, { type: "notice", done: true, level: "warning", text });
}

function endTurn(before: Transcript, result: ResultEvent): Transcript {
  const answered = addMissing(before, result.status === "success" ? result.text : (result.partialText ?? ""), result.status === "success");
  const warned = result.warnings.reduce(warn, answered);
  const denied = describeRefusals(result);
  const told = denied === null ? warned : warn(warned, denied);
  const closed = close(endTools(told, result.status), "answer", "thought", "tool", "plan");
  return {
    ...add(closed, {
      type: "end",
      done: true,
      status: result.status,
      problem: result.status === "success" ? null : describeProblem(result),
      durationMs: result.durationMs,
      totalTokens: result.usage?.totalTokens ?? null,
      cost: result.cost,
    }),
    messageId: null,
    unfinished: null,
  };
}

/** Nothing of a turn that has ended still runs, though not every backend tells the end of a call that was cut short. */
function endTools(transcript: Transcript, turn: RunStatus): Transcript {
  return { ...transcript, items: transcript.items.map((item) => (item.type === "tool" && !item.done ? { ...item, status: toEndedStatus(item.status, turn) } : item)) };
}

function toEndedStatus(status: ToolStatus, turn: RunStatus): ToolStatus {
  return isEnded(status) ? status : turn === "success" ? "completed" : "failed";
}

function describeProblem({ status, text, details }: ResultEvent): string {
  const nextStep = status === "backend-missing" ? "/backend chooses another one" : undefined;
  return toSafeText([text, details, nextStep].filter((part) => part !== undefined).join("\n"));
}

/** The final text is the truth: what of it has not come in chunks is added. Of a bad end, only where nothing has come. */
function addMissing(transcript: Transcript, text: string, isFinal: boolean): Transcript {
  const streamed = itemsOfTurn(transcript).flatMap((item) => (item.type === "answer" ? [{ messageId: null, text: item.text }] : []));
  if (!isFinal && streamed.length > 0) return transcript;
  const safe = toSafeText(text);
  const missing = findUnstreamedText(streamed, safe);
  if (missing.trim() === "") return transcript;
  return growAnswer(missing.length < safe.length ? transcript : close(transcript, "answer"), missing);
}

function itemsOfTurn({ items }: Transcript): readonly ChatItem[] {
  return items.slice(items.findLastIndex((item) => item.type === "user") + 1);
}

function describeRefusals({ deniedTools }: ResultEvent): string | null {
  if (deniedTools === null || deniedTools.length === 0) return null;
  const names = [...new Set(deniedTools.map(({ name }) => name))].join(", ");
  const calls = deniedTools.length === 1 ? "1 tool call was refused" : `${String(deniedTools.length)} tool calls were refused`;
  return `${calls} (${names}): /access can allow more`;
}

// --- turns that were kept ---

function addStoredTurn(transcript: Transcript, { prompt, answer, status, problem, tools, usage, cost, durationMs }: StoredTurn): Transcript {
  const asked = add(transcript, { type: "user", done: true, text: toSafeText(prompt) });
  const worked = tools.reduce((done, tool) => addStoredTool(done, tool, status), asked);
  const text = toSafeText(answer).trim();
  const answered = text === "" ? worked : add(worked, { type: "answer", done: true, text });
  return add(answered, { type: "end", done: true, status, problem: problem === null ? null : toSafeText(problem), durationMs, totalTokens: usage?.totalTokens ?? null, cost });
}

function addStoredTool(transcript: Transcript, { toolCallId, title, kind, status }: StoredTool, turn: RunStatus): Transcript {
  return add(transcript, { type: "tool", done: true, toolCallId, title: toSafeText(title), kind, status: toEndedStatus(status, turn), rawInput: null, output: "" });
}
