import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import type { ReactElement, ReactNode } from "react";
import { CompletionMenu } from "../../../../src/chat/ui/completion-menu.js";
import { CrashGuard } from "../../../../src/chat/ui/crash-guard.js";
import { Dialog } from "../../../../src/chat/ui/dialog.js";
import { DialogModel } from "../../../../src/chat/ui/dialog-model.js";
import { toDialog } from "../../../../src/chat/ui/dialogs.js";
import { InputBox } from "../../../../src/chat/ui/input-box.js";
import { layOutInput } from "../../../../src/chat/ui/input-layout.js";
import type { Look } from "../../../../src/chat/ui/item-lines.js";
import { StatusLine } from "../../../../src/chat/ui/status-line.js";
import { measureWidth, stripStyles } from "../../../../src/chat/ui/text-width.js";
import { Transcript } from "../../../../src/chat/ui/transcript.js";
import { TranscriptFeed } from "../../../../src/chat/ui/transcript-feed.js";
import type { ChatItem, Completion } from "../../../../src/chat/types.js";
import type { DialogId } from "../../../../src/slash-commands/types.js";
import { createFakeChat, waitFor, type FakeChatOptions } from "./fake-chat.js";

const WIDTHS = [40, 100];

afterEach(cleanup);

/** What a component shows, each line without the blanks at its end. */
function draw(node: ReactElement): readonly string[] {
  return (render(node).lastFrame() ?? "").split("\n").map((line) => line.trimEnd());
}

function lookOf(columns: number, change: Partial<Look> = {}): Look {
  return { columns, color: false, opened: false, ...change };
}

function expectToFit(lines: readonly string[], columns: number): void {
  for (const line of lines) expect(measureWidth(stripStyles(line)), line).toBeLessThanOrEqual(columns);
}

describe("InputBox", () => {
  it.each(WIDTHS)("shows what is typed behind a mark, broken in %d columns", (columns) => {
    const text = "word ".repeat(12).trim();
    const lines = draw(<InputBox layout={layOutInput(text, 0, columns - 2, 8)} isEmpty={false} look={lookOf(columns)} />);
    expect(lines[0]).toMatch(/^> word word/);
    expect(lines).toHaveLength(columns === 40 ? 2 : 1);
    expectToFit(lines, columns);
  });

  it("shows what it is for only where colour tells it from something typed", () => {
    const layout = layOutInput("", 0, 78, 8);
    expect(draw(<InputBox layout={layout} isEmpty look={lookOf(80)} />)).toEqual([">"]);
    expect(stripStyles(draw(<InputBox layout={layout} isEmpty look={lookOf(80, { color: true })} />).join(""))).toContain("/ for commands");
  });
});

describe("CompletionMenu", () => {
  const completion = (label: string, hint: string, group: string): Completion => ({ label, hint, group, from: 0, to: 1, text: label });
  const completions = [completion("/help", "Show keys and commands", "Built-in"), completion("/model", "Choose the model for the next turns of this conversation", "Built-in"), completion("/review", "[file]  Review", "Skill")];

  it.each(WIDTHS)("shows groups, names and hints in %d columns", (columns) => {
    const lines = draw(<CompletionMenu menu={{ completions, index: 1 }} look={lookOf(columns)} maxLines={10} />);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe("Built-in");
    expect(lines[1]).toBe("  /help    Show keys and commands");
    expect(lines[2]).toMatch(/^> \/model {3}Choose the model/);
    expect(lines[3]).toBe("Skill");
    expectToFit(lines, columns);
  });

  it("keeps the chosen one in sight where there are many", () => {
    const many = Array.from({ length: 60 }, (_one, index) => completion(`/command-${String(index)}`, "", "Custom"));
    const lines = draw(<CompletionMenu menu={{ completions: many, index: 41 }} look={lookOf(40)} maxLines={5} />);
    expect(lines).toHaveLength(5);
    expect(lines).toContain("> /command-41");
  });
});

describe("StatusLine", () => {
  const { program } = createFakeChat();
  const chat = program.controller.state();

  it("tells all in 100 columns", () => {
    expect(draw(<StatusLine chat={chat} defaultAccess={null} look={lookOf(100)} tick={0} nowMs={0} />)).toEqual(["codex · gpt-5 · read-only · 1.2k tokens · 0.0123 USD"]);
  });

  it("leaves the less important out in 40 columns", () => {
    expect(draw(<StatusLine chat={chat} defaultAccess={null} look={lookOf(40)} tick={0} nowMs={0} />)).toEqual(["codex gpt-5 read-only 1.2k tokens"]);
  });

  it("shows a spinner and the time only while something is going on", () => {
    const busy = { ...chat, activity: { type: "turn" as const, sinceMs: 1000, cancelled: false } };
    expect(draw(<StatusLine chat={busy} defaultAccess={null} look={lookOf(40)} tick={3} nowMs={66_500} />)).toEqual(["⠸ 1 min 5 s codex gpt-5 read-only"]);
    expect(draw(<StatusLine chat={{ ...busy, activity: { ...busy.activity, cancelled: true } }} defaultAccess={null} look={lookOf(100)} tick={3} nowMs={3000} />)[0]).toContain("cancelling 2 s");
  });
});

describe("Transcript", () => {
  const ITEMS: readonly ChatItem[] = [
    { id: 1, type: "user", done: true, text: "What is in this folder, and what of it matters?" },
    { id: 2, type: "tool", done: true, toolCallId: "t", title: "List the files of the folder", kind: "execute", status: "completed", rawInput: null, output: "" },
    { id: 3, type: "answer", done: true, text: "| file | what it is |\n| --- | --- |\n| cli.ts | the entry of the whole command line program |" },
    { id: 4, type: "end", done: true, status: "success", problem: null, durationMs: 900, totalTokens: null, cost: null },
  ];

  it.each(WIDTHS)("shows items one below the other in %d columns", (columns) => {
    const look = lookOf(columns);
    const { printed } = new TranscriptFeed().update(ITEMS, look);
    const lines = draw(<Transcript epoch={0} greeting={["jlgcli chat"]} printed={printed} />);
    expect(lines[0]).toBe("jlgcli chat");
    expect(lines[1]).toMatch(/^> What is in this folder/);
    expect(lines).toContain("$ List the files of the folder  done");
    expect(lines.some((line) => /^cli\.ts {2}the entry/.test(line))).toBe(true);
    expect(lines.at(-2)).toBe("0.9 s");
    expectToFit(lines, columns);
  });
});

describe("Dialog", () => {
  const backends = [
    { id: "codex", displayName: "Codex CLI", status: "available", isSelected: true },
    { id: "claude", displayName: "Claude Code", status: "missing", nextStep: "npm install -g @anthropic-ai/claude-code", isSelected: false },
  ];
  const sessions = [{ id: "s1", cwd: "/home/me/project", title: "Fix the build", usedAt: "2020-01-02T03:04:05.000Z" }];

  async function open(id: DialogId, columns: number, options: FakeChatOptions = {}): Promise<{ readonly dialog: DialogModel; lines(this: void): readonly string[]; readonly calls: readonly string[] }> {
    const chat = createFakeChat({ backends, sessions, ...options });
    const dialog = new DialogModel(toDialog(id, chat.program), () => chat.program.controller.closeDialog());
    await waitFor(() => dialog.store.get().content !== null, "the content");
    return { dialog, calls: chat.calls, lines: () => draw(<Dialog dialog={dialog} look={lookOf(columns)} maxLines={20} />) };
  }

  it.each(WIDTHS)("offers models with the present one marked in %d columns, and any other name that is typed", async (columns) => {
    const { dialog, lines, calls } = await open("model", columns);
    for (const line of [/^ {2}automatic +the backend chooses$/, /^> gpt-5 +\*$/, /^ {2}gpt-5-mini$/]) expect(lines()).toContainEqual(expect.stringMatching(line));
    expectToFit(lines(), columns);
    dialog.press({ type: "text", text: "o3-next" });
    expect(lines()).toContain("> o3-next  as typed");
    dialog.press({ type: "press", name: "enter" });
    expect(calls).toEqual(['change {"model":"o3-next"}']);
  });

  it.each(WIDTHS)("offers backends with their state in %d columns", async (columns) => {
    const { dialog, lines, calls } = await open("backend", columns);
    expect(lines()).toContainEqual(expect.stringMatching(/^> codex \* {2}Codex CLI, available/));
    expect(lines()).toContainEqual(expect.stringMatching(/^ {2}claude {3}Claude Code, missing/));
    expectToFit(lines(), columns);
    dialog.press({ type: "press", name: "down" });
    dialog.press({ type: "press", name: "enter" });
    expect(calls).toEqual(['change {"backend":"claude"}']);
  });

  it.each(WIDTHS)("explains the access levels in %d columns", async (columns) => {
    const { dialog, lines, calls } = await open("access", columns);
    expect(lines()[1]).toMatch(/^> read-only \* +only look/);
    expect(lines().join(" ")).toContain("only look");
    expectToFit(lines(), columns);
    dialog.press({ type: "press", name: "end" });
    dialog.press({ type: "press", name: "enter" });
    expect(calls).toEqual(['change {"access":"full"}']);
  });

  it("says so where a backend has no access levels", async () => {
    const { lines } = await open("access", 100, { capabilities: { accessLevels: [], defaultAccess: null } });
    expect(lines()).toContain("This backend has no access levels that could be enforced.");
    expect(lines().at(-1)).toBe("Esc: close");
  });

  it.each(WIDTHS)("lists conversations with title, time and directory in %d columns, finds them by words and resumes one", async (columns) => {
    const { dialog, lines, calls } = await open("sessions", columns, { sessions: [{ id: "s2", cwd: "/home/me/other", title: "Write the manual", usedAt: "2020-01-09T00:00:00.000Z" }, ...sessions] });
    // that of this directory first, though it is older
    expect(lines()).toContainEqual(expect.stringMatching(/^> Fix the build +2020-01-02, /));
    expectToFit(lines(), columns);
    dialog.press({ type: "text", text: "other manual" });
    expect(lines()).not.toContainEqual(expect.stringContaining("Fix the build"));
    dialog.press({ type: "press", name: "enter" });
    expect(calls).toEqual(["resume s2"]);
  });

  it.each(WIDTHS)("shows the usage in %d columns", async (columns) => {
    const { lines } = await open("usage", columns);
    expect(lines()).toEqual(expect.arrayContaining(["Turns             2", "Input             1,200", "Total             1,234", "Cost              0.0123 USD", "Read from cache   not told"]));
    expectToFit(lines(), columns);
  });

  it.each(WIDTHS)("explains keys and commands in %d columns, and scrolls", async (columns) => {
    const { dialog, lines } = await open("help", columns);
    expect(lines()[1]).toBe("Keys");
    expectToFit(lines(), columns);
    dialog.press({ type: "press", name: "end" });
    expect(lines()[1]).toMatch(/^ {2}\/review \[file\]: Review/);
  });

  it("shows what went wrong instead of what there would be to choose", async () => {
    const chat = createFakeChat();
    const dialog = new DialogModel({ type: "list", title: "A list", empty: "", load: () => Promise.reject(new Error("no such thing")) }, () => chat.program.controller.closeDialog());
    await waitFor(() => dialog.store.get().content !== null, "the content");
    expect(draw(<Dialog dialog={dialog} look={lookOf(40)} maxLines={9} />)).toContain("no such thing");
  });

  it("changes nothing where what is chosen holds already", async () => {
    const { dialog, calls } = await open("backend", 100);
    dialog.press({ type: "press", name: "enter" });
    expect(calls).toEqual([]);
  });

  it("empties what was typed with the first Esc and closes with the next", async () => {
    let closed = 0;
    const { program } = createFakeChat();
    const dialog = new DialogModel(toDialog("model", program), () => (closed += 1));
    dialog.press({ type: "text", text: "abc" });
    dialog.press({ type: "press", name: "esc" });
    expect([dialog.store.get().filter, closed]).toEqual(["", 0]);
    dialog.press({ type: "press", name: "esc" });
    expect(closed).toBe(1);
  });
});

describe("CrashGuard", () => {
  it("tells the error of a drawing and draws nothing more", () => {
    const errors: unknown[] = [];
    const Broken = (): ReactNode => {
      throw new Error("cannot draw");
    };
    expect(draw(<CrashGuard onError={(error) => errors.push(error)}>{<Broken />}</CrashGuard>)).toEqual([""]);
    expect(errors).toEqual([new Error("cannot draw")]);
  });
});
