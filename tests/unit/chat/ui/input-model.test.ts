import { describe, expect, it } from "vitest";
import { BUSY_HINT, InputModel } from "../../../../src/chat/ui/input-model.js";
import { createKeyParser } from "../../../../src/chat/ui/keys.js";
import { toSubmittedText } from "../../../../src/chat/editor.js";
import type { ChatItem } from "../../../../src/chat/types.js";
import { createFakeChat, waitFor, type FakeChat, type FakeChatOptions } from "./fake-chat.js";

interface Typing {
  readonly chat: FakeChat;
  readonly input: InputModel;
  /** Types as a terminal would send it. */
  type(this: void, text: string): void;
  text(this: void): string;
}

function createTyping(options: FakeChatOptions = {}): Typing {
  const chat = createFakeChat(options);
  const { controller, history, listFiles } = chat.program;
  const input = new InputModel({ controller, history, listFiles });
  const parser = createKeyParser();
  return {
    chat,
    input,
    type: (text) => [...parser.feed(text), ...parser.flush()].forEach((key) => input.press(key)),
    text: () => input.store.get().editor.text,
  };
}

const UP = "\u001B[A";
const DOWN = "\u001B[B";

describe("InputModel", () => {
  it("sends with Enter, keeps it in the history and empties the line", () => {
    const { chat, type, text } = createTyping();
    type("hello there\r");
    expect(chat.calls).toEqual(["submit hello there"]);
    expect(chat.historyEntries).toEqual(["hello there"]);
    expect(text()).toBe("");
  });

  it("sends nothing for blanks", () => {
    const { chat, type } = createTyping();
    type("  \r");
    expect(chat.calls).toEqual([]);
  });

  it.each([["Alt-Enter", "\u001B\r"], ["Ctrl-J", "\n"], ["a backslash and Enter", "\\\r"], ["Shift-Enter", "\u001B[13;2u"]])("begins a new line with %s", (_name, keys) => {
    const { chat, type } = createTyping();
    type(`one${keys}two\r`);
    expect(chat.calls).toEqual(["submit one\ntwo"]);
  });

  it("keeps the text and says so while an answer is on its way", () => {
    const { chat, type, text, input } = createTyping();
    chat.set({ activity: { type: "turn", sinceMs: 0, cancelled: false } });
    type("ahead\r");
    expect(chat.calls).toEqual([]);
    expect(text()).toBe("ahead");
    expect(input.store.get().hint).toBe(BUSY_HINT);
    type("!");
    expect(input.store.get().hint).toBeNull();
    chat.set({ activity: { type: "idle" } });
    type("\r");
    expect(chat.calls).toEqual(["submit ahead!"]);
  });

  it("sends once the turn is over whose end is shown already", async () => {
    const { chat, type, text } = createTyping();
    const end: ChatItem = { id: 1, type: "end", done: true, status: "success", problem: null, durationMs: 1, totalTokens: null, cost: null };
    chat.set({ activity: { type: "turn", sinceMs: 0, cancelled: false }, items: [end] });
    type("next\r");
    expect([text(), chat.calls]).toEqual(["", []]);
    type("after next\r");
    expect(text()).toBe("after next");
    chat.set({ activity: { type: "idle" } });
    await waitFor(() => chat.calls.length > 0, "the submission");
    expect(chat.calls).toEqual(["submit next"]);
  });

  it("goes through the history at the edges and comes back to what was begun", () => {
    const { type, text } = createTyping({ history: ["first", "second\nline"] });
    type("draft");
    type(UP);
    expect(text()).toBe("second\nline");
    type(UP);
    expect(text()).toBe("second\nline");
    type(UP);
    expect(text()).toBe("first");
    type(UP);
    expect(text()).toBe("first");
    type(DOWN);
    expect(text()).toBe("second\nline");
    type(DOWN);
    expect(text()).toBe("draft");
    type(DOWN);
    expect(text()).toBe("draft");
  });

  it("edits with the keys of a shell", () => {
    const { type, text } = createTyping();
    type("one two three\u0017");
    expect(text()).toBe("one two ");
    type("\u0001\u000B");
    expect(text()).toBe("");
    type("abc\u001B[D\u007F\u0004");
    expect(text()).toBe("a");
  });

  it("takes a paste of ten thousand lines as one placeholder and sends all of it", () => {
    const { chat, type, text, input } = createTyping();
    const pasted = Array.from({ length: 10_000 }, (_line, index) => `line ${String(index)}`).join("\n");
    type(`see: \u001B[200~${pasted.replaceAll("\n", "\r")}\u001B[201~`);
    expect(text()).toBe("see: [pasted 10,000 lines]");
    expect(toSubmittedText(input.store.get().editor)).toBe(`see: ${pasted}`);
    type("\r");
    expect(chat.calls).toEqual([`submit see: ${pasted}`]);
    type(UP);
    expect(text()).toBe("[pasted 10,000 lines]");
  });

  it("offers commands by source after a slash, takes the chosen one and then sends it", async () => {
    const { chat, type, text, input } = createTyping();
    type("/");
    await waitFor(() => input.store.get().menu !== null, "the menu");
    expect(input.store.get().menu?.completions.map(({ label, group }) => `${group}: ${label}`)).toEqual(["Built-in: /help", "Built-in: /model", "Skill: /review"]);
    type(DOWN);
    type("\r");
    expect(text()).toBe("/model ");
    expect(chat.calls).toEqual([]);
    type("\r");
    expect(chat.calls).toEqual(["submit /model "]);
  });

  it("sends a command that is typed whole at once", async () => {
    const { chat, type, input } = createTyping();
    type("/help");
    await waitFor(() => input.store.get().menu !== null, "the menu");
    type("\r");
    expect(chat.calls).toEqual(["submit /help"]);
  });

  it("completes with Tab, at once where there is one choice", async () => {
    const { type, text } = createTyping();
    type("/rev\t");
    await waitFor(() => text() === "/review ", "the command");
  });

  it("completes files after an at sign", async () => {
    const { type, text, input } = createTyping();
    type("look at @err");
    await waitFor(() => input.store.get().menu !== null, "the menu");
    type("\t");
    expect(text()).toBe("look at src/errors.ts ");
  });

  it.each([["/", "help\r", "submit /help"], ["/", "no such\r", "submit /no such"], ["see @", "err\r", "submit see @err"]])("sends what is typed where %j has a menu and %j comes in one piece", async (before, keys, sent) => {
    const { chat, type, input } = createTyping();
    type(before);
    await waitFor(() => input.store.get().menu !== null, "the menu");
    type(keys);
    expect(chat.calls).toEqual([sent]);
  });

  it("completes what is typed where there is a menu and the rest comes in one piece with Tab", async () => {
    const { type, text, input } = createTyping();
    type("see @");
    await waitFor(() => input.store.get().menu !== null, "the menu");
    type("err\t");
    await waitFor(() => text() === "see src/errors.ts ", "the file");
  });

  it("closes the menu with Esc and keeps the text", async () => {
    const { type, text, input } = createTyping();
    type("/mo");
    await waitFor(() => input.store.get().menu !== null, "the menu");
    type("\u001B");
    expect(input.store.get().menu).toBeNull();
    expect(text()).toBe("/mo");
  });

  it("offers nothing where files cannot be listed", async () => {
    const { type, text, input } = createTyping({ program: { listFiles: () => Promise.reject(new Error("no such folder")) } });
    type("@x\t");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(input.store.get().menu).toBeNull();
    expect(text()).toBe("@x");
  });
});
