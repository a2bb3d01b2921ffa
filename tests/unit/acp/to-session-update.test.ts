import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { toSessionUpdate } from "../../../src/acp/to-session-update.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { toResult } from "./fake-host.js";

const content = { type: "text", text: "hello" } as const;
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: null };

describe("toSessionUpdate", () => {
  it.each<[string, RunEvent, SessionUpdate | null]>([
    ["a piece of the answer", { type: "agent_message_chunk", content, messageId: "m" }, { sessionUpdate: "agent_message_chunk", content, messageId: "3.m" }],
    ["a piece without an id", { type: "agent_message_chunk", content, messageId: null }, { sessionUpdate: "agent_message_chunk", content }],
    ["a thought", { type: "agent_thought_chunk", content, messageId: null }, { sessionUpdate: "agent_thought_chunk", content }],
    [
      "a tool call",
      { type: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "in_progress", rawInput: { command: "ls" } },
      { sessionUpdate: "tool_call", toolCallId: "3.t", title: "ls", kind: "execute", status: "in_progress", rawInput: { command: "ls" } },
    ],
    [
      "a tool call whose input is not known",
      { type: "tool_call", toolCallId: "t", title: "ls", kind: "other", status: "pending", rawInput: null },
      { sessionUpdate: "tool_call", toolCallId: "3.t", title: "ls", kind: "other", status: "pending" },
    ],
    [
      "the end of a tool call",
      { type: "tool_call_update", toolCallId: "t", status: "completed", content: [{ type: "content", content }], rawOutput: "a" },
      { sessionUpdate: "tool_call_update", toolCallId: "3.t", status: "completed", content: [{ type: "content", content }], rawOutput: "a" },
    ],
    [
      "the end of a tool call that gave nothing, which takes nothing away",
      { type: "tool_call_update", toolCallId: "t", status: "failed", content: [], rawOutput: null },
      { sessionUpdate: "tool_call_update", toolCallId: "3.t", status: "failed" },
    ],
    [
      "a plan",
      { type: "plan", entries: [{ content: "look", priority: "high", status: "pending" }] },
      { sessionUpdate: "plan", entries: [{ content: "look", priority: "high", status: "pending" }] },
    ],
    [
      "the usage, without a size of the context that nobody knows",
      { type: "usage_update", usage, cost: { amount: 0.5, currency: "USD" } },
      { sessionUpdate: "session_info_update", _meta: { jlgcli: { usage, cost: { amount: 0.5, currency: "USD" } } } },
    ],
    ["a warning", { type: "warning", code: "retry", message: "again" }, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Warning: again\n\n" } }],
    [
      "nothing for the start",
      { type: "start", schemaVersion: 1, runId: "r", backend: "b", simulated: false, recordedFrom: null, cwd: "/", model: null, access: null, startedAt: "2026-01-01T00:00:00.000Z" },
      null,
    ],
    ["nothing for the result", { type: "result", ...toResult() }, null],
  ])("gives %s", (_title, event, expected) => {
    expect(toSessionUpdate(event, { turn: 3, showsNotices: false })).toEqual(expected);
  });

  it("gives a warning as a notice to a client that shows them", () => {
    expect(toSessionUpdate({ type: "warning", code: "retry", message: "again" }, { turn: 1, showsNotices: true })).toEqual({
      sessionUpdate: "notice",
      severity: "warning",
      title: "again",
      _meta: { jlgcli: { code: "retry" } },
    });
  });
});
