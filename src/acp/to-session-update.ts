import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Cost, MessageChunkEvent, PlanEvent, RunEvent, ThoughtChunkEvent, ToolCallEvent, ToolCallUpdateEvent, UsageUpdateEvent, WarningEvent } from "../events/schema.js";
import { sumCost } from "../runner/sum-usage.js";

/** What decides how an event is told beside the event itself. */
export interface UpdateContext {
  /** The number of the turn in its session, from 1: backends use their ids again in every turn, a session must not. */
  readonly turn: number;
  /** What the earlier turns of the session have cost; null for one that did not tell. */
  readonly earlierCosts: readonly (Cost | null)[];
  /** The client said that it shows notices. */
  readonly showsNotices: boolean;
}

/** An event of a run as the protocol tells it; null for one that it has no update for: the answer to the prompt tells the result. */
export function toSessionUpdate(event: RunEvent, context: UpdateContext): SessionUpdate | null {
  switch (event.type) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return toChunk(event, context);
    case "tool_call":
      return toToolCall(event, context);
    case "tool_call_update":
      return toToolCallUpdate(event, context);
    case "plan":
      return toPlan(event);
    case "usage_update":
      return toUsage(event, context);
    case "warning":
      return toWarning(event, context);
    case "start":
    case "result":
      return null;
    default:
      return event satisfies never;
  }
}

/** An id of a backend, unique in the whole session. */
export function toSessionId(id: string, turn: number): string {
  return `${turn}.${id}`;
}

function toChunk({ type, content, messageId }: MessageChunkEvent | ThoughtChunkEvent, { turn }: UpdateContext): SessionUpdate {
  return { sessionUpdate: type, content: { ...content }, ...(messageId === null ? {} : { messageId: toSessionId(messageId, turn) }) };
}

function toToolCall({ toolCallId, title, kind, status, rawInput }: ToolCallEvent, { turn }: UpdateContext): SessionUpdate {
  return { sessionUpdate: "tool_call", toolCallId: toSessionId(toolCallId, turn), title, kind, status, ...known({ rawInput }) };
}

/** An update replaces what it names: without content it must not name any. */
function toToolCallUpdate({ toolCallId, status, content, rawOutput }: ToolCallUpdateEvent, { turn }: UpdateContext): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: toSessionId(toolCallId, turn),
    status,
    ...(content.length === 0 ? {} : { content: content.map((each) => ({ type: each.type, content: { ...each.content } })) }),
    ...known({ rawOutput }),
  };
}

function toPlan({ entries }: PlanEvent): SessionUpdate {
  return { sessionUpdate: "plan", entries: entries.map((entry) => ({ ...entry })) };
}

/**
 * The protocol's `usage_update` wants the size of the context window and how full it is: where a backend does not tell
 * them a figure would be an invention. Its cost is the session's, ours the turn's so far, which stands with the tokens
 * where a client finds what is ours.
 */
function toUsage({ usage, cost, context }: UsageUpdateEvent, { earlierCosts }: UpdateContext): SessionUpdate {
  const _meta = { jlgcli: { usage, cost } };
  if (context === null) return { sessionUpdate: "session_info_update", _meta };
  const sessionCost = sumCost([...earlierCosts, cost]);
  return { sessionUpdate: "usage_update", used: context.usedTokens, size: context.sizeTokens, ...(sessionCost === null ? {} : { cost: { ...sessionCost } }), _meta };
}

/** Not an agent message: that would become part of the answer. */
function toWarning({ code, message }: WarningEvent, { showsNotices }: UpdateContext): SessionUpdate {
  if (showsNotices) return { sessionUpdate: "notice", severity: "warning", title: message, _meta: { jlgcli: { code } } };
  return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `Warning: ${message}\n\n` } };
}

/** What is not known is left out. */
function known<T extends Record<string, unknown>>(fields: T): Partial<T> {
  return Object.values(fields).every((value) => value === null || value === undefined) ? {} : fields;
}
