import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { App } from "../../../../src/chat/ui/app.js";
import { createKeyParser } from "../../../../src/chat/ui/keys.js";
import { ScreenModel } from "../../../../src/chat/ui/screen-model.js";
import { measureWidth, stripStyles } from "../../../../src/chat/ui/text-width.js";
import type { ChatItem } from "../../../../src/chat/types.js";
import { createFakeChat, waitFor, type FakeChat, type FakeChatOptions } from "./fake-chat.js";

let screens: ScreenModel[] = [];
let errors: unknown[] = [];

afterEach(() => {
  for (const screen of screens) screen.end();
  screens = [];
  cleanup();
  expect(errors).toEqual([]);
  errors = [];
});

interface Shown {
  readonly chat: FakeChat;
  readonly screen: ScreenModel;
  readonly wipes: () => number;
  readonly suspensions: () => number;
  type(text: string): void;
  /** All that was printed, and what stands below. */
  frame(): string;
  frames(): readonly string[];
  shows(text: string): Promise<void>;
}

function show({ columns = 80, rows = 24, ...options }: FakeChatOptions & { readonly columns?: number; readonly rows?: number } = {}): Shown {
  const chat = createFakeChat(options);
  let [wipes, suspensions] = [0, 0];
  const screen = new ScreenModel({ program: chat.program, columns, rows, wipe: () => (wipes += 1), suspend: () => (suspensions += 1), onError: (error) => errors.push(error) });
  screens.push(screen);
  const view = render(<App screen={screen} />);
  const parser = createKeyParser();
  const frame = (): string => view.lastFrame() ?? "";
  return {
    chat,
    screen,
    wipes: () => wipes,
    suspensions: () => suspensions,
    type: (text) => [...parser.feed(text), ...parser.flush()].forEach((key) => screen.press(key)),
    frame,
    frames: () => view.frames,
    shows: (text) => waitFor(() => stripStyles(frame()).includes(text), JSON.stringify(text)),
  };
}

const ESC = "\u001B";
const CTRL_C = "\u0003";
const turn = { activity: { type: "turn", sinceMs: 0, cancelled: false } } as const;
const tool = (id: number): ChatItem => ({ id, type: "tool", done: true, toolCallId: "t", title: "Run ls", kind: "execute", status: "completed", rawInput: { command: "ls" }, output: "README.md" });

describe("App", () => {
  it.each([40, 100])("shows who answers, what was said and what is typed in %d columns, without any colour", async (columns) => {
    const shown = show({ columns, items: [{ id: 1, type: "user", done: true, text: "hello" }, { id: 2, type: "answer", done: true, text: "**Hi.** ".concat("words ".repeat(30)) }, tool(3)] });
    shown.type("typing");
    await shown.shows("> typing");
    const frame = shown.frame();
    for (const text of ["jlgcli chat: codex, gpt-5, read-only", "> hello", "Hi. words", "$ Run ls  done", columns === 40 ? "codex gpt-5" : "codex · gpt-5"]) expect(frame).toContain(text);
    expect(frame).not.toContain(ESC);
    for (const line of frame.split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
  });

  it("shows an answer while it comes, and the input stays usable", async () => {
    const shown = show();
    shown.type("first\r");
    expect(shown.chat.calls).toEqual(["submit first"]);
    shown.chat.set({ ...turn, items: [{ id: 1, type: "user", done: true, text: "first" }, { id: 2, type: "answer", done: false, text: "One block.\n\nAnother bl" }] });
    shown.type("ahead");
    await shown.shows("Another bl");
    await shown.shows("> ahead");
    shown.type("\r");
    await shown.shows("An answer is on its way");
    expect(shown.chat.calls).toEqual(["submit first"]);
    shown.chat.set({ activity: { type: "idle" }, items: [{ id: 1, type: "user", done: true, text: "first" }, { id: 2, type: "answer", done: true, text: "One block.\n\nAnother block." }] });
    await shown.shows("Another block.");
    expect(shown.frame().match(/One block\./g)).toHaveLength(1);
    expect(shown.frame()).not.toContain("An answer is on its way");
  });

  it("cancels with Esc while an answer is on its way", () => {
    const shown = show();
    shown.chat.set(turn);
    shown.type(ESC);
    expect(shown.chat.calls).toEqual(["cancel"]);
  });

  it("cancels with the first Ctrl-C and leaves with the second", async () => {
    const shown = show();
    shown.chat.set(turn);
    shown.type(CTRL_C);
    await shown.shows("Press Ctrl-C again to leave.");
    expect(shown.chat.calls).toEqual(["cancel"]);
    shown.type(CTRL_C);
    expect(shown.chat.calls).toEqual(["cancel", "leave"]);
  });

  it("empties the line with Ctrl-C at rest, and keeps what stood there in the history", async () => {
    const shown = show();
    shown.type(`half a thought${CTRL_C}`);
    await shown.shows("Press Ctrl-C again to leave.");
    expect(shown.frame()).not.toContain("half");
    expect(shown.chat.historyEntries).toEqual(["half a thought"]);
  });

  it("leaves with Ctrl-D on an empty line alone", () => {
    const shown = show();
    shown.type("x\u0004");
    expect(shown.chat.calls).toEqual([]);
    shown.type("\u007F\u0004");
    expect(shown.chat.calls).toEqual(["leave"]);
  });

  it("opens a dialog in the place of the input and takes the keys there", async () => {
    const shown = show();
    shown.type("kept");
    shown.chat.set({ dialog: "access" });
    await shown.shows("> read-only *");
    shown.type(`${ESC}[B\r`);
    expect(shown.chat.calls).toEqual(['change {"access":"workspace-write"}']);
    await shown.shows("> kept");
    expect(shown.frame()).not.toContain("Enter: choose");
  });

  it("opens tool calls and thoughts with Ctrl-O, and folds them again", async () => {
    const shown = show({ items: [{ id: 1, type: "user", done: true, text: "list" }, tool(2)] });
    expect(shown.frame()).not.toContain("README.md");
    shown.type("\u000F");
    await shown.shows("out README.md");
    expect(shown.wipes()).toBe(1);
    shown.type("\u000F");
    await waitFor(() => shown.wipes() === 2 && shown.frame().trimEnd().split("$ Run ls  done").length === 4, "the folded call");
  });

  it("draws anew for another size, in its columns", async () => {
    const shown = show({ columns: 100, items: [{ id: 1, type: "answer", done: true, text: "word ".repeat(40) }] });
    const before = shown.frame().length;
    shown.screen.resize(40, 20);
    await waitFor(() => shown.wipes() === 1 && shown.frame().length > before, "the new drawing");
    for (const line of shown.frame().slice(before).split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(40);
    expect(shown.frame().slice(before)).toContain("codex gpt-5");
  });

  it("draws anew with Ctrl-L, also while nothing was said yet", async () => {
    const shown = show();
    shown.type("\u000C");
    await waitFor(() => shown.wipes() === 1 && shown.frame().split("jlgcli chat:").length === 3, "the new drawing");
  });

  it.each([6, 10, 24])("keeps what can still change lower than a terminal of %d rows", async (rows) => {
    const shown = show({ rows, columns: 40 });
    const open: ChatItem = { id: 2, type: "tool", done: false, toolCallId: "t", title: "Work", kind: "execute", status: "in_progress", rawInput: null, output: "" };
    shown.chat.set({ ...turn, items: [open, ...Array.from({ length: 30 }, (_item, index): ChatItem => ({ id: index + 3, type: "notice", done: true, level: "info", text: `notice ${String(index)}` }))] });
    shown.type("/");
    await shown.shows("/help");
    const lines = shown.frame().split("\n");
    const greetingLines = 3;
    expect(lines.length - greetingLines).toBeLessThan(rows);
    shown.type(ESC);
    shown.chat.set({ dialog: "help" });
    await shown.shows("Help");
    expect(shown.frame().split("\n").length - greetingLines).toBeLessThan(rows);
  });

  it("takes all below the transcript away at the end", async () => {
    const shown = show({ items: [{ id: 1, type: "user", done: true, text: "hello" }] });
    shown.type("typed");
    await shown.shows("> typed");
    shown.screen.end();
    await waitFor(() => !shown.frame().includes("> typed"), "the end");
    expect(shown.frame().trimEnd().endsWith("> hello")).toBe(true);
    expect(shown.frame().match(/> hello/g)).toHaveLength(1);
  });

  it("leaves what has come of an answer on the screen at the end", async () => {
    const shown = show();
    shown.chat.set({ ...turn, items: [{ id: 1, type: "user", done: true, text: "hello" }, { id: 2, type: "answer", done: false, text: "Half an ans" }] });
    await shown.shows("Half an ans");
    shown.screen.end();
    await waitFor(() => shown.frame().trimEnd().endsWith("> hello\n\nHalf an ans"), "the end");
  });

  it("takes all below the transcript away with Ctrl-Z, and draws anew when it goes on", async () => {
    const shown = show({ items: [{ id: 1, type: "user", done: true, text: "hello" }] });
    shown.type("typed\u001A");
    expect(shown.suspensions()).toBe(1);
    await waitFor(() => shown.frame().trimEnd().endsWith("> hello"), "the pause");
    shown.screen.goOn();
    await waitFor(() => shown.wipes() === 1 && shown.frame().includes("> typed"), "the new drawing");
  });

  it("stays quick with five thousand items in the transcript", async () => {
    const shown = show({ items: Array.from({ length: 5000 }, (_item, index): ChatItem => ({ id: index + 1, type: "user", done: true, text: `message ${String(index + 1)}` })) });
    await shown.shows("message 5000");
    const startedAt = performance.now();
    for (let count = 0; count < 50; count += 1) shown.type("x");
    await shown.shows("x".repeat(50));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
