import type { DeniedToolRule, FieldSource } from "../adapters/traits.js";
import type { DeniedTool, RunEvent } from "../events/schema.js";
import { compileOptional } from "./conditions.js";
import { valuesAt, type JsonRecord } from "./paths.js";
import { readText } from "./record-events.js";

export interface DeniedToolList {
  /** Takes what a record says of refusals, and the events that it made: a refusal may name its call by the id alone. */
  add(record: JsonRecord, events: readonly RunEvent[]): void;
  /** Null where the backend does not tell. */
  readonly tools: readonly DeniedTool[] | null;
}

/** Collects the refused tools of a run. */
export function createDeniedToolList(rules: readonly DeniedToolRule[] | undefined): DeniedToolList {
  if (rules === undefined) return { add: () => undefined, tools: null };
  const compiled = rules.map((rule) => ({ rule, applies: compileOptional(rule.when) }));
  const titles = new Map<string, string>();
  const tools: DeniedTool[] = [];
  const toDenied = (rule: DeniedToolRule, source: unknown): DeniedTool => {
    const toolCallId = readOptional(source, rule.toolCallId);
    return {
      name: readOptional(source, rule.name) ?? titles.get(toolCallId ?? "") ?? "tool",
      toolCallId,
      reason: readOptional(source, rule.reason),
    };
  };
  return {
    add(record, events) {
      for (const event of events) if (event.type === "tool_call") titles.set(event.toolCallId, event.title);
      for (const { rule, applies } of compiled) {
        if (!applies(record)) continue;
        const sources = rule.each === undefined ? [record] : valuesAt(record, [...rule.each, "*"]);
        for (const source of sources) tools.push(toDenied(rule, source));
      }
    },
    tools,
  };
}

function readOptional(source: unknown, field: FieldSource | undefined): string | null {
  return field === undefined ? null : (readText(source, field) ?? null);
}
