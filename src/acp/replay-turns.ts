import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { StoredTurn } from "../conversation/types.js";
import { toSessionId } from "./to-session-update.js";

/** Kept turns as the updates that a client builds its view from. Chunks of one message share an id of their own. */
export function replayTurns(turns: readonly StoredTurn[]): readonly SessionUpdate[] {
  return turns.flatMap((turn, index) => replayTurn(turn, index + 1));
}

function replayTurn({ prompt, tools, answer, problem }: StoredTurn, turn: number): readonly SessionUpdate[] {
  return [
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: prompt }, messageId: toSessionId("prompt", turn) },
    ...tools.map(({ toolCallId, ...tool }): SessionUpdate => ({ sessionUpdate: "tool_call", toolCallId: toSessionId(toolCallId, turn), ...tool })),
    ...(answer === "" ? [] : [{ sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text: answer }, messageId: toSessionId("answer", turn) }]),
    ...(problem === null ? [] : [{ sessionUpdate: "agent_thought_chunk" as const, content: { type: "text" as const, text: problem }, messageId: toSessionId("problem", turn) }]),
  ];
}
