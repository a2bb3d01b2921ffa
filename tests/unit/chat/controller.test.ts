import { describe, expect, it } from "vitest";
import { createChatController } from "../../../src/chat/controller.js";
import type { ChatController } from "../../../src/chat/types.js";
import type { RunEvent } from "../../../src/events/schema.js";
import type { AnsweringCommand, CommandMessage } from "../../../src/slash-commands/types.js";
import { createFakeConversation, createFakeHost, toTurn, type FakeConversationOptions } from "./fake-host.js";

const COMMAND: AnsweringCommand = { name: "x", kind: "built-in", source: null, sourceLabel: null, dialect: null, filePath: null };
const chunk = (text: string): RunEvent => ({ type: "agent_message_chunk", messageId: null, content: { type: "text", text } });

function open(options: FakeConversationOptions = {}, host = createFakeHost()) {
  const conversation = createFakeConversation(options);
  return { conversation, host, controller: createChatController({ host, conversation }) };
}

function show(controller: ChatController): string[] {
  return controller.state().items.map((item) => ("text" in item ? `${item.type === "notice" ? item.level : item.type}: ${item.text}` : `${item.type}: ${"status" in item ? item.status : ""}`));
}

describe("what is typed", () => {
  it("is sent as a turn, and its answer shown", async () => {
    const { controller, conversation } = open({ turn: async (_request, tell) => void (await tell(chunk("done"))) });
    await controller.submit("hello");
    expect(conversation.sent).toMatchObject([{ text: "hello" }]);
    expect(show(controller)).toEqual(["user: hello", "answer: done", "end: success"]);
    expect(controller.state().activity).toEqual({ type: "idle" });
  });

  it("is no command where it only looks like one", async () => {
    const { controller, conversation } = open({ expand: () => ({ type: "no_command" }) });
    await controller.submit("/usr/bin/x is what?");
    expect(conversation.sent).toMatchObject([{ text: "/usr/bin/x is what?" }]);
  });

  it("is not sent where it is blank", async () => {
    const { controller, conversation } = open();
    await controller.submit(" \n");
    expect(conversation.sent).toEqual([]);
    expect(controller.state().items).toEqual([]);
  });

  it("is told, and not sent, while another turn runs", async () => {
    let finish = (): void => undefined;
    const { controller, conversation } = open({ turn: () => new Promise<void>((resolve) => (finish = resolve)) });
    const first = controller.submit("one");
    expect(controller.state().activity).toMatchObject({ type: "turn", cancelled: false });
    await controller.submit("two");
    await controller.resume("x");
    expect(show(controller).filter((line) => line.startsWith("warning: An answer is on its way"))).toHaveLength(2);
    finish();
    await first;
    expect(conversation.sent).toHaveLength(1);
  });

  it("shows a turn that could not even begin", async () => {
    const { controller } = open({ turn: () => Promise.reject(new Error("no disk")) });
    await controller.submit("hello");
    expect(show(controller)).toEqual(["user: hello", "error: no disk"]);
    expect(controller.state().activity.type).toBe("idle");
  });
});

describe("commands", () => {
  it("sends what a command expands to, with its notices, its model and the tools that it forbids", async () => {
    const { controller, conversation } = open({
      expand: () => ({ type: "submit_prompt", command: COMMAND, prompt: "Review it.", model: "opus", allowedTools: null, disallowedTools: ["Bash"], notices: ["a file is missing"] }),
    });
    await controller.submit("/review");
    expect(conversation.sent).toMatchObject([{ text: "/review", prompt: "Review it.", model: "opus", disallowedTools: ["Bash"] }]);
    expect(show(controller).slice(0, 2)).toEqual(["user: /review", "info: a file is missing"]);
  });

  it.each([
    { name: "a message", answer: { type: "message", command: COMMAND, messageType: "info", content: "fine" } as const, shown: "info: fine" },
    { name: "an unknown command, and nothing is sent", answer: { type: "unknown", name: "modle", suggestions: ["model"], message: "there is no command /modle", hint: "--literal" } as const, shown: "error: there is no command /modle\ndid you mean /model?" },
    { name: "a failed command", answer: { type: "error", name: "x", status: "usage", message: "no", hint: "try" } as const, shown: "error: no\ntry" },
    { name: "a command that is switched off", answer: { type: "disabled", name: "x", message: "it is off" } as const, shown: "error: it is off" },
  ])("shows $name", async ({ answer, shown }) => {
    const { controller, conversation } = open({ expand: () => answer });
    await controller.submit("/x");
    expect(show(controller)).toEqual(["user: /x", shown]);
    expect(conversation.sent).toEqual([]);
  });

  it("shows messages as they come, until it is cancelled", async () => {
    const messages = async function* (): AsyncGenerator<CommandMessage> {
      for (let n = 1; ; n += 1) {
        yield { messageType: "info", content: String(n) };
        if (n === 2) controller.cancel();
      }
    };
    const { controller } = open({ expand: () => ({ type: "stream_messages", command: COMMAND, messages: messages() }) });
    await controller.submit("/x");
    expect(show(controller).slice(0, 3)).toEqual(["user: /x", "info: 1", "info: 2"]);
    expect(show(controller).length).toBeLessThan(5);
  });

  it("opens dialogs, and leaves", async () => {
    const dialogs = open({ expand: () => ({ type: "dialog", dialog: "model", command: COMMAND }) });
    await dialogs.controller.submit("/model");
    expect(dialogs.controller.state().dialog).toBe("model");
    dialogs.controller.closeDialog();
    expect(dialogs.controller.state().dialog).toBeNull();
    const quits = open({ expand: () => ({ type: "quit", command: COMMAND }) });
    await quits.controller.submit("/quit");
    expect(quits.controller.state().left).toBe(true);
  });

  it("begins a new conversation with the same settings", async () => {
    const { controller, host, conversation } = open({ expand: (text) => (text === "/clear" ? { type: "clear", command: COMMAND } : { type: "no_command" }) });
    await controller.change({ backend: "codex" });
    await controller.submit("hello");
    await controller.submit("/clear");
    expect(host.created).toEqual([{ cwd: "/project", settings: { backend: "codex", model: null, access: null } }]);
    expect(controller.state().conversation).not.toBe(conversation);
    expect(show(controller)).toEqual(["info: A new conversation begins. The earlier one is kept: /sessions lists it."]);
  });
});

describe("cancelling", () => {
  it("ends the turn through its signal, once there is one", async () => {
    const { controller } = open({
      turn: ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve({ status: "interrupted", text: "cancelled" }))),
    });
    expect(controller.cancel()).toBe(false);
    const turn = controller.submit("hello");
    expect(controller.cancel()).toBe(true);
    expect(controller.state().activity).toMatchObject({ type: "turn", cancelled: true });
    await turn;
    expect(show(controller)).toEqual(["user: hello", "end: interrupted"]);
    expect(controller.cancel()).toBe(false);
  });

  it("comes with leaving", async () => {
    const { controller } = open({ turn: ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve({ status: "interrupted" }))) });
    const turn = controller.submit("hello");
    controller.leave();
    await turn;
    expect(controller.state().left).toBe(true);
  });
});

describe("settings and other conversations", () => {
  it("tells what is in force after a change, and why one was refused", async () => {
    const { controller } = open();
    await controller.change({ model: "opus", access: "full" });
    await controller.change({ backend: "nonsense" });
    expect(show(controller)).toEqual(["info: From the next turn on: claude, model opus, access full.", "error: there is no backend 'nonsense'\ndid you mean claude?"]);
  });

  it("goes on with a kept conversation, with its turns", async () => {
    const kept = createFakeConversation({ id: "kept", turns: [toTurn()] });
    const { controller } = open({}, createFakeHost([kept]));
    await controller.resume("kept");
    expect(controller.state().conversation).toBe(kept);
    expect(show(controller)).toEqual(["user: first", "answer: one", "end: success", "info: This conversation goes on: first (claude)."]);
    await controller.resume("lost");
    expect(show(controller).at(-1)).toBe("error: no conversation has the id 'lost'");
  });

  it("shows the turns of the conversation that it begins with", () => {
    expect(show(open({ turns: [toTurn()] }).controller)).toEqual(["user: first", "answer: one", "end: success"]);
  });

  it("lists commands once, and again after a failure", async () => {
    let asked = 0;
    const { controller } = open({ commands: () => (asked++ === 0 ? Promise.reject(new Error("broken")) : Promise.resolve([])) });
    expect(await controller.commands()).toEqual([]);
    expect(show(controller)).toEqual(["error: broken"]);
    await controller.commands();
    await controller.commands();
    expect(asked).toBe(2);
  });
});

describe("views", () => {
  it("are told few times of many pieces, and see all of them", async () => {
    let told = 0;
    const { controller } = open({
      turn: async (_request, tell) => {
        for (let n = 0; n < 10_000; n += 1) await tell(chunk("ab"));
        return { text: "ab".repeat(10_000) };
      },
    });
    const stop = controller.subscribe(() => (told += controller.state().items.length > 0 ? 1 : 0));
    await controller.submit("hello");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(controller.state().items).toMatchObject([{ type: "user" }, { type: "answer", text: "ab".repeat(10_000), done: true }, { type: "end" }]);
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(500);
    stop();
    const before = told;
    controller.notify("info", "x");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told).toBe(before);
  });

  it("see the same state as long as nothing happens", () => {
    const { controller } = open();
    expect(controller.state()).toBe(controller.state());
  });

  it("see no credential of a tool call or a warning; a result has none already", async () => {
    const conversation = createFakeConversation({
      turn: async (_request, tell) => {
        await tell({ type: "tool_call", toolCallId: "a", title: "curl SECRET", kind: "execute", status: "in_progress", rawInput: { command: "SECRET" } });
        await tell({ type: "tool_call_update", toolCallId: "a", status: "completed", content: [{ type: "content", content: { type: "text", text: "SECRET" } }], rawOutput: "SECRET" });
        await tell({ type: "warning", code: "retry", message: "SECRET" });
        return { status: "error", text: "broken" };
      },
    });
    const hide = (text: string): Promise<string> => Promise.resolve(text.replaceAll("SECRET", "***"));
    const redactor = { redactText: hide, redactJson: async (value: unknown): Promise<unknown> => JSON.parse(await hide(JSON.stringify(value))) as unknown };
    const controller = createChatController({ host: createFakeHost(), conversation, redactor });
    await controller.submit("hello");
    expect(JSON.stringify(controller.state().items)).not.toContain("SECRET");
    expect(JSON.stringify(controller.state().items)).toContain("curl ***");
  });
});
