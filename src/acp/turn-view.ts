import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { addChunk, findUnstreamedText, type StreamedMessage, type StreamedMessages } from "../events/find-unstreamed-text.js";
import type { RunEvent, RunResult } from "../events/schema.js";
import { toSessionId, type UpdateContext } from "./to-session-update.js";

/** What the client has seen of a turn, so that its end can tell what is missing. */
export interface TurnView {
  /** False for an update of a tool call that was never told: it tells nothing that could be shown. */
  note(event: RunEvent): boolean;
  /** The rest of the answer, and the end of tool calls that will never tell one. */
  finish(result: RunResult): readonly SessionUpdate[];
}

export function createTurnView({ turn }: Pick<UpdateContext, "turn">): TurnView {
  const messages: StreamedMessage[] = [];
  let toolSinceChunk = false;
  const toldTools = new Set<string>();
  const openTools = new Set<string>();
  return {
    note: (event) => {
      if (event.type === "agent_message_chunk") {
        addChunk(messages, event, toolSinceChunk);
        toolSinceChunk = false;
      }
      if (event.type !== "tool_call" && event.type !== "tool_call_update") return true;
      toolSinceChunk = true;
      if (event.type === "tool_call") toldTools.add(event.toolCallId);
      else if (!toldTools.has(event.toolCallId)) return false;
      if (event.status === "completed" || event.status === "failed") openTools.delete(event.toolCallId);
      else openTools.add(event.toolCallId);
      return true;
    },
    finish: (result) => [...findMissingAnswer(messages, result, turn), ...(result.status === "success" ? [] : endTools(openTools, turn))],
  };
}

function findMissingAnswer(messages: StreamedMessages, { status, text, partialText }: RunResult, turn: number): readonly SessionUpdate[] {
  const missing = findUnstreamedText(messages, status === "success" ? text : (partialText ?? ""));
  const messageId = messages.at(-1)?.messageId ?? null;
  return missing === "" ? [] : [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: missing }, ...(messageId === null ? {} : { messageId: toSessionId(messageId, turn) }) }];
}

/** Their processes are gone. */
function endTools(toolCallIds: Iterable<string>, turn: number): readonly SessionUpdate[] {
  return [...toolCallIds].map((id) => ({ sessionUpdate: "tool_call_update", toolCallId: toSessionId(id, turn), status: "failed" }));
}
