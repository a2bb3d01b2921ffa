import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { fitUpdate } from "../../../src/acp/fit-update.js";

const MAX_LINE_BYTES = 32 * 1024 * 1024;
const chunk = (text: string): SessionUpdate => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId: "1.m" });
const bytesOf = (update: SessionUpdate): number => Buffer.byteLength(JSON.stringify(update));

describe("fitUpdate", () => {
  it.each<[string, SessionUpdate]>([
    ["a short answer", chunk("hello")],
    ["an empty answer", chunk("")],
    ["an image", { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "aGk=", mimeType: "image/png" } }],
    ["a tool call", { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", rawInput: { command: "ls" } }],
    ["the end of a tool call", { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", content: [{ type: "content", content: { type: "text", text: "a" } }], rawOutput: "a" }],
    ["a plan", { sessionUpdate: "plan", entries: [] }],
  ])("leaves %s as it is", (_title, update) => {
    expect(fitUpdate(update)).toEqual([update]);
  });

  it("gives a long answer in pieces of one message, of which none has half a letter", () => {
    const text = `x${"😀".repeat(3_000_000)}\u0001`;
    const pieces = fitUpdate(chunk(text));
    expect(pieces.map((piece) => (piece.sessionUpdate === "agent_message_chunk" && piece.content.type === "text" && piece.messageId === "1.m" ? piece.content.text : "?")).join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every((piece) => bytesOf(piece) < MAX_LINE_BYTES && !/[\uD800-\uDBFF]"/.test(JSON.stringify(piece)) && !JSON.stringify(piece).includes("\\ud8"))).toBe(true);
  });

  it("shortens what a tool was given and gave", () => {
    const long = "\u0001".repeat(20_000_000);
    const content = [1, 2].map(() => ({ type: "content", content: { type: "text", text: long } }) as const);
    const updates: SessionUpdate[] = [
      { sessionUpdate: "tool_call", toolCallId: "t", title: long, rawInput: { command: long } },
      { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", content, rawOutput: long },
    ];
    for (const update of updates) {
      const fitted = fitUpdate(update);
      expect(fitted).toHaveLength(1);
      expect(fitted.every((each) => bytesOf(each) < MAX_LINE_BYTES)).toBe(true);
    }
    expect(fitUpdate({ sessionUpdate: "tool_call_update", toolCallId: "t", content })).toMatchObject([{ content: [{ content: { text: expect.stringMatching(/characters left out\]$/) as string } }, {}] }]);
  });
});
