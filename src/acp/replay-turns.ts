import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { StoredTool, StoredTurn } from "../conversation/types.js";
import { toSessionId } from "./to-session-update.js";

/** Kept turns as the updates that a client builds its view from. Chunks of one message share an id of their own. */
export function replayTurns(turns: readonly StoredTurn[]): readonly SessionUpdate[] {
  return turns.flatMap((turn, index) => replayTurn(turn, index + 1));
}

function replayTurn({ prompt, tools, answer, problem }: StoredTurn, turn: number): readonly SessionUpdate[] {
  return [
    toChunk("user_message_chunk", prompt, toSessionId("prompt", turn)),
    ...tools.map((tool) => toToolCall(tool, turn)),
    ...(answer === "" ? [] : [toChunk("agent_message_chunk", answer, toSessionId("answer", turn))]),
    ...(problem === null ? [] : [toChunk("agent_thought_chunk", problem, toSessionId("problem", turn))]),
  ];
}

/** A call that never told its end was ended with its turn. */
function toToolCall({ toolCallId, title, kind, status }: StoredTool, turn: number): SessionUpdate {
  return { sessionUpdate: "tool_call", toolCallId: toSessionId(toolCallId, turn), title, kind, status: status === "completed" ? "completed" : "failed" };
}

function toChunk(sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk", text: string, messageId: string): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text }, messageId };
}
