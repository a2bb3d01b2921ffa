import { describe, expect, it } from "vitest";
import { replayTurns } from "../../../src/acp/replay-turns.js";
import type { StoredTurn } from "../../../src/conversation/types.js";

const turn: StoredTurn = {
  prompt: "hello",
  answer: "done",
  status: "success",
  problem: null,
  tools: [],
  settings: { backend: "fake", model: null, access: null },
  sessionId: null,
  usage: null,
  cost: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  durationMs: 1,
};

describe("replayTurns", () => {
  it("gives the prompt, the tools and the answer of each turn, with ids that are used once", () => {
    const tools = [{ toolCallId: "t", title: "ls", kind: "execute", status: "completed" }] as const;
    expect(replayTurns([{ ...turn, tools }, { ...turn, tools }])).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "hello" }, messageId: "1.prompt" },
      { sessionUpdate: "tool_call", toolCallId: "1.t", title: "ls", kind: "execute", status: "completed" },
      { sessionUpdate: "agent_message_chunk", content: { text: "done" }, messageId: "1.answer" },
      { sessionUpdate: "user_message_chunk", messageId: "2.prompt" },
      { sessionUpdate: "tool_call", toolCallId: "2.t" },
      { sessionUpdate: "agent_message_chunk", messageId: "2.answer" },
    ]);
  });

  it("gives a bad end as a thought, and leaves no tool at work", () => {
    const ended: StoredTurn = { ...turn, answer: "", status: "interrupted", problem: "interrupted by SIGTERM", tools: [{ toolCallId: "t", title: "ls", kind: "execute", status: "in_progress" }] };
    expect(replayTurns([ended])).toMatchObject([
      { sessionUpdate: "user_message_chunk" },
      { sessionUpdate: "tool_call", status: "failed" },
      { sessionUpdate: "agent_thought_chunk", content: { text: "interrupted by SIGTERM" } },
    ]);
  });
});
