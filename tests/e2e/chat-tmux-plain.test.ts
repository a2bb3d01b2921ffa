import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChatPlace } from "./support/chat-place.js";
import { findLeftOvers, type Place } from "./support/cli.js";
import { NO_TMUX, openTerminal, type Terminal, type TerminalOptions } from "./support/tmux.js";

if (NO_TMUX !== null) console.warn(`skipped: the plain mode in a real terminal (${NO_TMUX})`);

/** tmux leaves out blanks at the end of a line. */
const PROMPT = /^>/m;

let place: Place;
let terminal: Terminal;

beforeEach(() => {
  place = createChatPlace();
});
afterEach(() => {
  terminal.close();
  place.cleanUp();
});

function chat(args: readonly string[] = [], options: TerminalOptions = {}): Terminal {
  return (terminal = openTerminal(place, ["chat", "--plain", ...args], options));
}

function enter(text: string): void {
  terminal.type(text);
  terminal.press("Enter");
}

async function leave(): Promise<number> {
  terminal.press("C-d");
  return terminal.exitCode();
}

describe.skipIf(NO_TMUX !== null)("the plain mode in a real terminal", () => {
  it("streams a turn, with its tools as lines, and asks again", async () => {
    chat();
    await terminal.waitFor("jlgcli chat with claude.");
    enter("stream");
    await terminal.waitFor("I look");
    const screen = await terminal.waitFor(/\(success, [^)]*\)\n>/);
    expect(screen).toMatch(/> stream\n\nI look first\.\n\nread: Read src\/x\.ts \(completed\)\n\nIt is empty\.\n\n\(success, \d/);
    expect(terminal.coloured()).toContain("\u001b[1mempty");
    expect(await leave()).toBe(0);
  });

  it("cancels a turn with Ctrl-C, leaves nothing running, and goes on", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    enter("hang");
    await terminal.waitFor("> hang");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    terminal.press("C-c");
    await terminal.waitFor(/\(interrupted, [^)]*\)\n>/);
    expect(findLeftOvers(place).filter((line) => /sleep 300|talking-claude|claude/.test(line) && !line.includes("cli.cjs"))).toEqual([]);
    enter("hello");
    await terminal.waitFor("claude heard: hello");
    terminal.press("C-c");
    await terminal.waitFor("Ctrl-C again leaves.");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(0);
  });

  it("opens a dialog whose numbers choose, and completes commands", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    terminal.type("/acc");
    terminal.press("Tab");
    await terminal.waitFor("> /access");
    terminal.press("Enter");
    await terminal.waitFor("Type a number to choose");
    enter("2");
    await terminal.waitFor("From the next turn on: claude, access workspace-write.");
    enter("/nonsense");
    await terminal.waitFor("error: there is no command /nonsense");
    enter("/quit");
    expect(await terminal.exitCode()).toBe(0);
  });

  it("takes a paste of 10,000 lines for one text", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    terminal.paste(Array.from({ length: 10_000 }, (_line, index) => `line ${String(index)}`).join("\n"));
    await terminal.waitFor("line 9999", 60_000);
    terminal.press("Enter");
    const screen = await terminal.waitFor(/\(success, [^)]*\)\n>/, 60_000);
    expect(screen).toContain("claude heard: line 0");
    expect(screen.match(/\(success/g)).toHaveLength(1);
    expect(await leave()).toBe(0);
  }, 120_000);

  it("goes on with a conversation, and shows what was said", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    enter("hello");
    await terminal.waitFor("(success");
    expect(await leave()).toBe(0);
    terminal.close();
    chat(["--continue"]);
    const screen = await terminal.waitFor(/\(success, [^)]*\)\n>/);
    expect(screen).toContain("> hello\n\nclaude heard: hello\n");
    terminal.press("Up");
    await terminal.waitFor(/\)\n> hello/);
    terminal.press("C-u");
    enter("again");
    await terminal.waitFor("goes on with session-1");
    expect(await leave()).toBe(0);
  });

  it("tells of a backend that dies, and goes on", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    enter("die");
    await terminal.waitFor(/SIGKILL[^]*\n>/);
    enter("hello");
    await terminal.waitFor("claude heard: hello");
    expect(await leave()).toBe(0);
  });

  it("lets no answer steer the terminal", async () => {
    chat();
    await terminal.waitFor(PROMPT);
    enter("paint");
    await terminal.waitFor("before red after");
    expect(terminal.coloured()).not.toContain("\u001b[31m");
    expect(await leave()).toBe(0);
  });

  it.each<{ name: string; args: readonly string[]; options: TerminalOptions }>([
    { name: "in 40 columns", args: [], options: { columns: 40, rows: 12 } },
    { name: "without colour", args: [], options: { env: { NO_COLOR: "1" } } },
    { name: "in a dumb terminal", args: [], options: { env: { TERM: "dumb" } } },
    { name: "with a screen reader", args: ["--screen-reader"], options: {} },
  ])("works $name", async ({ args, options }) => {
    chat(args, options);
    await terminal.waitFor(PROMPT);
    enter("stream");
    await terminal.waitFor(/\(success, [^)]*\)\n>/);
    enter("/model");
    await terminal.waitFor("1. Claude Code chooses (now)");
    enter("2");
    await terminal.waitFor("From the next turn on");
    enter("hang");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    terminal.press("C-c");
    await terminal.waitFor(/\(interrupted, [^)]*\)\n>/);
    if (options.env !== undefined) expect(terminal.coloured()).not.toMatch(/\u001b\[\d/);
    expect(await leave()).toBe(0);
    expect(findLeftOvers(place)).toEqual([]);
  });
});
