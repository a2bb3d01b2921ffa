import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { toSessionUpdate } from "../../../src/acp/to-session-update.js";
import type { Cost, RunEvent } from "../../../src/events/schema.js";
import { toResult } from "./fake-host.js";

const content = { type: "text", text: "hello" } as const;
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: null };
const usd = (amount: number): Cost => ({ amount, currency: "USD" });

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
      { type: "usage_update", usage, cost: { amount: 0.5, currency: "USD" }, context: null },
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
    expect(toSessionUpdate(event, { turn: 3, earlierCosts: [], showsNotices: false })).toEqual(expected);
  });

  it.each<[string, readonly (Cost | null)[], Cost | null, Cost | undefined]>([
    ["of the first turn", [], usd(0.5), usd(0.5)],
    ["of all turns together", [usd(1), usd(0.25)], usd(0.5), usd(1.75)],
    ["of nothing, where an earlier turn did not tell", [usd(1), null], usd(0.5), undefined],
    ["of nothing, where this turn does not tell", [usd(1)], null, undefined],
    ["of nothing, where there are two currencies", [{ amount: 1, currency: "EUR" }], usd(0.5), undefined],
  ])("tells how full the context is, with the cost %s", (_title, earlierCosts, cost, sessionCost) => {
    const event: RunEvent = { type: "usage_update", usage, cost, context: { usedTokens: 1520, sizeTokens: 200_000 } };
    expect(toSessionUpdate(event, { turn: 3, earlierCosts, showsNotices: false })).toStrictEqual({
      sessionUpdate: "usage_update",
      used: 1520,
      size: 200_000,
      ...(sessionCost === undefined ? {} : { cost: sessionCost }),
      _meta: { jlgcli: { usage, cost } },
    });
  });

  it("gives a warning as a notice to a client that shows them", () => {
    expect(toSessionUpdate({ type: "warning", code: "retry", message: "again" }, { turn: 1, earlierCosts: [], showsNotices: true })).toEqual({
      sessionUpdate: "notice",
      severity: "warning",
      title: "again",
      _meta: { jlgcli: { code: "retry" } },
    });
  });
});
