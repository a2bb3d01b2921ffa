import { describe, expect, it } from "vitest";
import { EMPTY_TRANSCRIPT, reduceItems, type Transcript, type TranscriptEvent } from "../../../src/chat/transcript.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { toResult, toTurn } from "./fake-host.js";

const chunk = (text: string, messageId: string | null = null): RunEvent => ({ type: "agent_message_chunk", messageId, content: { type: "text", text } });
const thought = (text: string): RunEvent => ({ type: "agent_thought_chunk", messageId: null, content: { type: "text", text } });
const call = (toolCallId: string, status: "in_progress" | "completed" = "in_progress"): RunEvent => ({ type: "tool_call", toolCallId, title: `run ${toolCallId}`, kind: "execute", status, rawInput: { command: "ls" } });
const update = (toolCallId: string, text: string, status: "in_progress" | "completed" | "failed" = "completed"): RunEvent => ({
  type: "tool_call_update", toolCallId, status, content: text === "" ? [] : [{ type: "content", content: { type: "text", text } }], rawOutput: null,
});
const result = (fields: Parameters<typeof toResult>[0] = {}): RunEvent => ({ type: "result", ...toResult(fields) });
const user: TranscriptEvent = { type: "user", text: "hello" };

function fold(...events: readonly TranscriptEvent[]): Transcript {
  return events.reduce(reduceItems, EMPTY_TRANSCRIPT);
}

/** Type, what it says, and whether it is done. */
function show({ items }: Transcript): string[] {
  return items.map((item) => {
    const said = "text" in item ? item.text : item.type === "tool" ? `${item.title} ${item.status} ${item.output}`.trim() : item.type === "end" ? `${item.status} ${item.problem ?? ""}`.trim() : item.entries.map(({ content }) => content).join(",");
    return `${item.type}${item.done ? "" : "…"}: ${said}`;
  });
}

describe("a growing transcript", () => {
  it.each<{ name: string; events: readonly TranscriptEvent[]; shown: readonly string[] }>([
    { name: "joins the pieces of an answer", events: [user, chunk("Hel"), chunk("lo")], shown: ["user: hello", "answer…: Hello"] },
    { name: "begins another answer after a tool call", events: [chunk("I look."), call("a"), update("a", "x"), chunk("Fine.")], shown: ["answer: I look.", "tool: run a ls completed x", "answer…: Fine."] },
    { name: "begins another answer with another message", events: [chunk("one", "1"), chunk("two", "2"), chunk("!", "2")], shown: ["answer: one", "answer…: two!"] },
    { name: "begins no answer with blanks", events: [chunk("\n\n"), call("a")], shown: ["tool…: run a ls in_progress"] },
    { name: "keeps thoughts and answers apart", events: [thought("Hm"), thought("m"), chunk("Yes"), thought("Wait")], shown: ["thought: Hmm", "answer: Yes", "thought…: Wait"] },
    { name: "lets a failed call end", events: [call("a"), update("a", "no", "failed")], shown: ["tool: run a ls failed no"] },
    { name: "never changes a call that has ended", events: [call("a"), update("a", "x"), update("a", "y", "failed")], shown: ["tool: run a ls completed x"] },
    { name: "keeps the output of an earlier update where a later one has none", events: [call("a"), update("a", "x", "in_progress"), update("a", "")], shown: ["tool: run a ls completed x"] },
    { name: "passes over an update of an unknown call", events: [update("b", "x")], shown: [] },
    { name: "takes the same id again after its end for another call", events: [call("a", "completed"), call("a")], shown: ["tool: run a ls completed", "tool…: run a ls in_progress"] },
    { name: "tells a warning once in a turn", events: [user, { type: "warning", code: "retry", message: "again" }, { type: "warning", code: "retry", message: "again" }], shown: ["user: hello", "notice: again"] },
    { name: "goes on with an answer after a warning", events: [chunk("a"), { type: "warning", code: "retry", message: "w" }, chunk("b")], shown: ["answer…: ab", "notice: w"] },
    { name: "ends all with the result", events: [user, thought("h"), call("a"), chunk("done"), result()], shown: ["user: hello", "thought: h", "tool: run a ls completed", "answer: done", "end: success"] },
    { name: "ends a call that was cut short", events: [user, call("a"), result({ status: "interrupted", text: "cancelled" })], shown: ["user: hello", "tool: run a ls failed", "end: interrupted cancelled"] },
    { name: "adds a final text that was not streamed", events: [user, chunk("I look."), result({ text: "It works." })], shown: ["user: hello", "answer: I look.", "answer: It works.", "end: success"] },
    { name: "adds the lost end of a final text", events: [user, chunk("It wo"), result({ text: "It works." })], shown: ["user: hello", "answer: It works.", "end: success"] },
    { name: "adds nothing where all was streamed before a call", events: [user, chunk("Done.\n"), call("a", "completed"), result({ text: "Done." })], shown: ["user: hello", "answer: Done.\n", "tool: run a ls completed", "end: success"] },
    { name: "looks only at the last turn", events: [user, chunk("yes"), result({ text: "yes" }), user, result({ text: "yes" })], shown: ["user: hello", "answer: yes", "end: success", "user: hello", "answer: yes", "end: success"] },
    { name: "shows what there was of an answer that came to a bad end", events: [user, result({ status: "timeout", text: "too slow", details: "give it more time", partialText: "half" })], shown: ["user: hello", "answer: half", "end: timeout too slow\ngive it more time"] },
    { name: "tells where another backend can be chosen", events: [result({ status: "backend-missing", text: "'codex' is not installed", details: "install it" })], shown: ["end: backend-missing 'codex' is not installed\ninstall it\n/backend chooses another one"] },
    { name: "tells refused tools and warnings of the result", events: [user, result({ text: "x", warnings: ["w"], deniedTools: [{ name: "Bash", toolCallId: null, reason: null }] })], shown: ["user: hello", "answer: x", "notice: w", "notice: 1 tool call was refused (Bash): /access can allow more", "end: success"] },
    { name: "takes a sequence in two pieces for one", events: [user, chunk("a\u001b[3"), chunk("1mb\u001b"), chunk("[0mc\u001b]0;ti"), chunk("tle\u0007d"), result({ text: "a\u001b[31mb\u001b[0mc\u001b]0;title\u0007d" })], shown: ["user: hello", "answer: abcd", "end: success"] },
    { name: "takes the beginning of a sequence for no part of what follows it elsewhere", events: [chunk("a\u001b["), thought("Hm"), chunk("b\u001b", "1"), chunk("c", "2")], shown: ["answer: a", "thought: Hm", "answer: b", "answer…: c"] },
    { name: "makes text of others inert", events: [chunk("a\u001b[31mb\u001b[0m\u0007"), call("a"), update("a", "\u001b]0;x\u0007y")], shown: ["answer: ab", "tool: run a ls completed y"] },
  ])("$name", ({ events, shown }) => {
    expect(show(fold(...events))).toEqual(shown);
  });

  it("replaces a plan in its place", () => {
    const plan = (status: "pending" | "completed"): RunEvent => ({ type: "plan", entries: [{ content: "test", priority: "high", status }] });
    const { items } = fold(plan("pending"), call("a"), plan("completed"));
    expect(items).toMatchObject([{ id: 1, type: "plan", done: false, entries: [{ status: "completed" }] }, { id: 2, type: "tool" }]);
  });

  it("leaves out the middle of a long output", () => {
    const [tool] = fold(call("a"), update("a", `begin${"x".repeat(1_000_000)}end`)).items;
    expect(tool).toMatchObject({ type: "tool", output: expect.stringMatching(/^begin[^]*characters are left out[^]*end$/) as unknown });
    expect(tool?.type === "tool" && tool.output.length).toBeLessThan(21_000);
  });

  it("never uses an id twice, also after it was cleared", () => {
    const { items } = fold(user, chunk("x"), { type: "cleared" }, user);
    expect(items.map(({ id }) => id)).toEqual([3]);
  });

  it("shows a turn that was kept", () => {
    const tools = (["completed", "in_progress"] as const).map((status, index) => ({ toolCallId: String(index), title: "ls", kind: "execute" as const, status }));
    const turn = toTurn({ tools, status: "error", problem: "it broke" });
    expect(show(fold({ type: "stored_turn", turn }))).toEqual(["user: first", "tool: ls completed", "tool: ls failed", "answer: one", "end: error it broke"]);
  });
});
