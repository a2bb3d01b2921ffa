import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChatPlace } from "./support/chat-place.js";
import { findLeftOvers, type Place } from "./support/cli.js";
import { waitUntil } from "./support/counting-codex.js";
import { NO_TMUX, openTerminal, type Terminal, type TerminalOptions } from "./support/tmux.js";

if (NO_TMUX !== null) console.warn(`skipped: the screen of a chat in a real terminal (${NO_TMUX})`);

let place: Place;
let terminal: Terminal;

beforeEach(() => {
  place = createChatPlace();
});
afterEach(() => {
  terminal.close();
  place.cleanUp();
});

async function chat(args: readonly string[] = [], options: TerminalOptions = {}): Promise<Terminal> {
  terminal = openTerminal(place, ["chat", ...args], options);
  await terminal.waitFor("jlgcli chat: claude");
  return terminal;
}

function enter(text: string): void {
  terminal.type(text);
  terminal.press("Enter");
}

/** The lines from the last drawn line but one on: the input with what stands below it. */
function foot(): string {
  const parts = terminal.screen().split(/─{20,}\n/);
  return parts.slice(-2).join("");
}

async function leave(): Promise<void> {
  terminal.press("C-c");
  await terminal.waitFor("Press Ctrl-C again to leave.");
  terminal.press("C-c");
  expect(await terminal.exitCode()).toBe(0);
}

/** A terminal that brackets what is pasted would show the brackets now. */
async function expectAsBefore(): Promise<void> {
  expect(terminal.modes()).toEqual({ cursorIsShown: true, echoes: true });
  terminal.paste("a probe");
  expect(await terminal.waitFor("a probe")).not.toContain("200~");
}

/** Processes of the backend; jlgcli itself has the place's home as well. */
function backendProcesses(): readonly string[] {
  return findLeftOvers(place).filter((line) => !line.includes("cli.cjs"));
}

describe.skipIf(NO_TMUX !== null)("the screen of a chat in a real terminal", () => {
  it("streams a turn with Markdown and tools as lines, while more is typed", async () => {
    await chat();
    enter("stream");
    await terminal.waitFor("I look");
    terminal.type("hello");
    await terminal.waitFor(/It is empty\.\n[^]*15 tokens, /);
    const screen = await terminal.waitFor(/> hello\n/);
    expect(screen).toMatch(/> stream\n\nI look first\.\n\n← .*src\/x\.ts.*done\n\nIt is empty\.\n/);
    expect(terminal.coloured()).toMatch(/\u001b\[1mempty/);
    terminal.press("Enter");
    await terminal.waitFor(/claude heard: hello|goes on with session-1/);
    await leave();
  });

  it("cancels a turn with Esc, ends the backend with all it has started, and goes on", async () => {
    await chat();
    enter("hang");
    await waitUntil(() => backendProcesses().some((line) => line.includes("sleep 300")));
    terminal.press("Escape");
    await terminal.waitFor("Cancelled");
    expect(backendProcesses()).toEqual([]);
    enter("hello");
    await terminal.waitFor("claude heard: hello");
    await leave();
    expect(findLeftOvers(place)).toEqual([]);
  });

  it("completes a command and opens its dialog, which changes the settings", async () => {
    await chat();
    terminal.type("/acc");
    await terminal.waitFor("> /access");
    terminal.press("Tab");
    await terminal.waitFor(/> \/access ?\n/);
    terminal.press("Enter");
    await terminal.waitFor("Access: what the backend's tools may do");
    terminal.press("Down", "Enter");
    await terminal.waitFor("workspace-write.");
    expect(foot()).toContain("workspace-write");
    expect(foot()).not.toContain("Enter: choose");
    await leave();
  });

  it("draws anew in another size in the middle of a turn", async () => {
    await chat([], { columns: 100, rows: 30 });
    enter("hang");
    await waitUntil(() => backendProcesses().some((line) => line.includes("sleep 300")));
    terminal.type("typed before");
    await terminal.waitFor("> typed before");
    terminal.resize(40, 15);
    await terminal.waitFor(new RegExp(`\n─{40}\n> typed before\n─{40}\n`));
    terminal.type(" and after");
    await terminal.waitFor("> typed before and after");
    terminal.resize(90, 20);
    await terminal.waitFor(new RegExp(`\n─{90}\n> typed before and after\n─{90}\n`));
    // of what was drawn in the old sizes nothing is left on the screen
    expect(terminal.visible().match(/> typed before/g)).toHaveLength(1);
    expect(terminal.visible().match(/─{30,}/g)).toHaveLength(2);
    terminal.press("Escape");
    await terminal.waitFor("Cancelled");
    await leave();
  });

  it("takes a paste of 10,000 lines at once, as one placeholder, and sends all of it", async () => {
    await chat();
    const startedAt = Date.now();
    terminal.paste(Array.from({ length: 10_000 }, (_line, index) => `line ${String(index)}`).join("\n"));
    await terminal.waitFor("> [pasted 10,000 lines]");
    terminal.type(" what is this?");
    await terminal.waitFor("> [pasted 10,000 lines] what is this?");
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    terminal.press("Enter");
    const screen = await terminal.waitFor("claude heard: line 0");
    expect(screen).toContain("… 9988 more lines");
    await terminal.waitFor("line 9999 what is this?");
    await leave();
  });

  it("tells of a backend that dies, and goes on", async () => {
    await chat();
    enter("die");
    await terminal.waitFor(/Failed \(error\): [^]*SIGKILL/);
    enter("hello");
    await terminal.waitFor("claude heard: hello");
    await leave();
  });

  it("leaves the terminal as it was: with Ctrl-C twice, by a signal in the middle of a turn, with Ctrl-D", async () => {
    await chat();
    expect(terminal.modes()).toEqual({ cursorIsShown: true, echoes: false });
    await leave();
    await expectAsBefore();
    terminal.close();

    await chat();
    enter("hang");
    await waitUntil(() => backendProcesses().some((line) => line.includes("sleep 300")));
    process.kill(Number(findLeftOvers(place).find((line) => line.includes("cli.cjs"))?.split(" ")[0]), "SIGTERM");
    expect(await terminal.exitCode()).toBe(143);
    await expectAsBefore();
    expect(findLeftOvers(place)).toEqual([]);
    terminal.close();

    await chat();
    terminal.press("C-d");
    expect(await terminal.exitCode()).toBe(0);
    await expectAsBefore();
  });

  it("leaves while a turn runs, and ends the backend", async () => {
    await chat();
    enter("hang");
    await waitUntil(() => backendProcesses().some((line) => line.includes("sleep 300")));
    terminal.press("C-c");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(0);
    expect(findLeftOvers(place)).toEqual([]);
  });

  it("shows what an opened tool call was given, with Ctrl-O", async () => {
    await chat();
    enter("stream");
    await terminal.waitFor(/It is empty\.\n/);
    terminal.press("C-o");
    await terminal.waitFor(/ {2}in {2}/);
    await leave();
  });

  it("goes on with a conversation that is chosen from the list", async () => {
    await chat();
    enter("hello");
    await terminal.waitFor("claude heard: hello");
    await leave();
    terminal.close();
    await chat();
    enter("/sessions");
    await terminal.waitFor("Conversations: type to search");
    await terminal.waitFor("just now");
    terminal.press("Enter");
    await terminal.waitFor(/> hello\n\nclaude heard: hello/);
    enter("again");
    await terminal.waitFor("goes on with session-1");
    await leave();
  });

  it("lets no answer steer the terminal", async () => {
    await chat();
    enter("paint");
    await terminal.waitFor("before red after");
    expect(terminal.coloured()).not.toContain("\u001b[31m");
    await leave();
  });

  it.each<{ name: string; options: TerminalOptions }>([
    { name: "in 40 columns", options: { columns: 40, rows: 12 } },
    { name: "without colour", options: { env: { NO_COLOR: "1" } } },
    { name: "in CI, in a terminal all the same", options: { env: { CI: "true", DEV: "true" } } },
  ])("works $name", async ({ options }) => {
    await chat([], options);
    enter("stream");
    await terminal.waitFor(/It is empty\.\n[^]*15 tokens, /);
    enter("/help");
    await terminal.waitFor("Esc: close");
    terminal.press("Escape");
    await terminal.waitFor(/─\n>/);
    if (options.env?.["NO_COLOR"] !== undefined) expect(terminal.coloured()).not.toMatch(/\u001b\[\d/);
    await leave();
  });
});
