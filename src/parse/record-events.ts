import type { EventRule, FieldSource, MappedEventType } from "../adapters/traits.js";
import {
  TOOL_KINDS,
  TOOL_STATUSES,
  WARNING_CODES,
  type PlanEntry,
  type RunEvent,
  type TextContent,
} from "../events/schema.js";
import { compileOptional } from "./conditions.js";
import { toJsonText } from "./json-text.js";
import { compilePath, isJsonRecord, textAt, valueAt, valuesAt, type JsonRecord, type PathCompiler } from "./paths.js";

/** Makes the events of one record, in the order of the rules. */
export type EventMapper = (record: JsonRecord) => readonly RunEvent[];

/** Compiles the event rules of a backend's record. A rule whose required field is missing emits nothing. */
export function compileEventRules(rules: readonly EventRule[], toPathReader: PathCompiler = compilePath): EventMapper {
  const compiled = rules.map((rule) => compileRule(rule, toPathReader));
  return (record) => {
    const events: RunEvent[] = [];
    for (const addEvents of compiled) addEvents(record, events);
    return events;
  };
}

function compileRule(rule: EventRule, toPathReader: PathCompiler): (record: JsonRecord, events: RunEvent[]) => void {
  const applies = compileOptional(rule.when, toPathReader);
  const appliesToEach = compileOptional(rule.eachWhen);
  const build = EVENT_BUILDERS[rule.emit];
  const { each } = rule;
  return (record, events) => {
    if (!applies(record)) return;
    for (const source of each === undefined ? [record] : valuesAt(record, [...each, "*"])) {
      const event = appliesToEach(source) ? build(readFields(source, rule.fields)) : undefined;
      if (event !== undefined) events.push(event);
    }
  };
}

/** The fields of one event, read from a record. */
interface Fields {
  text(name: string): string | undefined;
  raw(name: string): unknown;
}

function readFields(source: unknown, fields: Readonly<Record<string, FieldSource>>): Fields {
  return {
    text: (name) => {
      const field = fields[name];
      return field === undefined ? undefined : readText(source, field);
    },
    raw: (name) => {
      const field = fields[name];
      return field === undefined || "constant" in field ? undefined : valueAt(source, "path" in field ? field.path : field);
    },
  };
}

/** The text that a field source gives for a record; numbers and booleans become their words, objects their JSON. */
export function readText(source: unknown, field: FieldSource): string | undefined {
  if ("constant" in field) return field.constant;
  if (!("path" in field)) return textAt(source, field) ?? toText(valueAt(source, field));
  const value = textAt(source, field.path) ?? toText(valueAt(source, field.path));
  if (field.map === undefined) return value ?? field.otherwise;
  const mapped = value !== undefined && Object.hasOwn(field.map, value) ? field.map[value] : undefined;
  return mapped ?? field.otherwise;
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : toJsonText(value);
}

const EVENT_BUILDERS: Readonly<Record<MappedEventType, (fields: Fields) => RunEvent | undefined>> = {
  agent_message_chunk: (fields) => toChunk("agent_message_chunk", fields),
  agent_thought_chunk: (fields) => toChunk("agent_thought_chunk", fields),
  tool_call: (fields) => {
    const toolCallId = fields.text("toolCallId");
    if (toolCallId === undefined) return undefined;
    return {
      type: "tool_call",
      toolCallId,
      title: fields.text("title") ?? "tool",
      kind: oneOf(TOOL_KINDS, fields.text("kind")) ?? "other",
      status: oneOf(TOOL_STATUSES, fields.text("status")) ?? "pending",
      rawInput: fields.raw("rawInput") ?? null,
    };
  },
  tool_call_update: (fields) => {
    const toolCallId = fields.text("toolCallId");
    if (toolCallId === undefined) return undefined;
    const output = fields.text("output");
    return {
      type: "tool_call_update",
      toolCallId,
      status: oneOf(TOOL_STATUSES, fields.text("status")) ?? "completed",
      content: output === undefined ? [] : [{ type: "content", content: toContent(output) }],
      rawOutput: fields.raw("rawOutput") ?? null,
    };
  },
  plan: (fields) => {
    const entries = fields.raw("entries");
    return Array.isArray(entries) ? { type: "plan", entries: entries.flatMap((entry: unknown) => toPlanEntry(entry) ?? []) } : undefined;
  },
  warning: (fields) => {
    const message = fields.text("message");
    if (message === undefined) return undefined;
    return { type: "warning", code: oneOf(WARNING_CODES, fields.text("code")) ?? "backend-notice", message };
  },
};

function toChunk(type: "agent_message_chunk" | "agent_thought_chunk", fields: Fields): RunEvent | undefined {
  const text = fields.text("text");
  return text === undefined || text === "" ? undefined : { type, content: toContent(text), messageId: fields.text("messageId") ?? null };
}

function toContent(text: string): TextContent {
  return { type: "text", text };
}

const PLAN_STATUSES = ["pending", "in_progress", "completed"] as const;
const PLAN_PRIORITIES = ["high", "medium", "low"] as const;

/** Vendors name the text of a plan's step differently; these names were seen or are ACP's own. */
function toPlanEntry(entry: unknown): PlanEntry | undefined {
  if (!isJsonRecord(entry)) return undefined;
  const content = textAt(entry, ["content"]) ?? textAt(entry, ["step"]) ?? textAt(entry, ["text"]);
  if (content === undefined) return undefined;
  const status = entry["completed"] === true ? "completed" : oneOf(PLAN_STATUSES, textAt(entry, ["status"]));
  return { content, status: status ?? "pending", priority: oneOf(PLAN_PRIORITIES, textAt(entry, ["priority"])) ?? "medium" };
}

function oneOf<T extends string>(allowed: readonly T[], value: string | undefined): T | undefined {
  return allowed.find((candidate) => candidate === value);
}
