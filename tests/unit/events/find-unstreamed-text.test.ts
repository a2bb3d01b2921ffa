import { describe, expect, it } from "vitest";
import { addChunk, findUnstreamedText, type StreamedMessage, type StreamedMessages } from "../../../src/events/find-unstreamed-text.js";

const toMessages = (texts: readonly string[]): StreamedMessages => texts.map((text, index) => ({ messageId: `m${index}`, text }));

describe("findUnstreamedText", () => {
  it.each<[string, readonly string[], string, string]>([
    ["gives all of an answer that was not streamed", [], "the answer", "the answer"],
    ["gives nothing of an answer that was streamed whole", ["the answer"], "the answer", ""],
    ["gives nothing where only blanks at the ends differ", ["\nthe answer \n"], "the answer\n", ""],
    ["gives the rest of an answer whose last chunks were lost", ["the ans"], "the answer", "wer"],
    ["gives nothing where the answer is the last of several messages", ["I look.", "the answer"], "the answer", ""],
    ["gives nothing where the answer is all messages together", ["one ", "two"], "one two", ""],
    ["gives the rest of the last of several messages", ["I look.", "the ans"], "the answer", "wer"],
    ["gives the rest of an answer made of several messages", ["one ", "tw"], "one two", "o"],
    ["gives nothing where the answer came before another message", ["the answer", "and a remark of a helper"], "the answer", ""],
    ["gives nothing where the chunks began anew in the middle", ["the anthe answer"], "the answer", ""],
    ["sets an answer that has nothing to do with what was seen apart from it", ["I look."], "the answer", "\n\nthe answer"],
    ["does not take one letter at the end for the beginning of the answer", ["That is it"], "the answer", "\n\nthe answer"],
    ["gives all of it where only blanks were streamed", [" \n"], "the answer", "the answer"],
    ["gives nothing for a blank answer", ["I look."], "  ", ""],
    ["passes over blanks at the beginning of what was streamed", ["\n\nthe ans"], "the answer", "wer"],
  ])("%s", (_title, streamed, text, expected) => {
    expect(findUnstreamedText(toMessages(streamed), text)).toBe(expected);
  });

  it("takes no longer for many messages than a reader would wait", () => {
    const messages = toMessages(Array.from({ length: 20_000 }, (_, index) => `message ${index}\n`));
    expect(findUnstreamedText(messages, "something else")).toBe("\n\nsomething else");
  });
});

describe("addChunk", () => {
  const chunk = (text: string, messageId: string | null) => ({ type: "agent_message_chunk" as const, content: { type: "text" as const, text }, messageId });
  const join = (first: StreamedMessage, next: ReturnType<typeof chunk>, beginsAnew: boolean): readonly StreamedMessage[] => {
    const messages = [first];
    addChunk(messages, next, beginsAnew);
    return messages;
  };

  it("joins chunks of one id, and of none", () => {
    expect(join({ messageId: "1", text: "a" }, chunk("b", "1"), false)).toEqual([{ messageId: "1", text: "ab" }]);
    expect(join({ messageId: null, text: "a" }, chunk("b", null), false)).toEqual([{ messageId: null, text: "ab" }]);
  });

  it("begins a message with another id, after a tool call, and where there is none", () => {
    expect(join({ messageId: "1", text: "a" }, chunk("b", "2"), false)).toHaveLength(2);
    expect(join({ messageId: null, text: "a" }, chunk("b", null), true)).toEqual([
      { messageId: null, text: "a" },
      { messageId: null, text: "b" },
    ]);
    const messages: StreamedMessage[] = [];
    addChunk(messages, chunk("a", "1"), false);
    expect(messages).toEqual([{ messageId: "1", text: "a" }]);
  });
});
