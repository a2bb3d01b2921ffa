import { EventEmitter } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { runScreen, type ScreenStreams } from "../../../../src/chat/ui/screen.js";
import { exitCodeOf } from "../../../../src/exit-codes.js";
import type { ChatItem } from "../../../../src/chat/types.js";
import { createFakeChat, waitFor } from "./fake-chat.js";

const SHOW_CURSOR = "\u001B[?25h";
const PASTE_ON = "\u001B[?2004h";
const PASTE_OFF = "\u001B[?2004l";

class FakeStdin extends EventEmitter {
  readonly isTTY = true;
  isRaw = false;
  isReading = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  resume(): this {
    this.isReading = true;
    return this;
  }

  pause(): this {
    this.isReading = false;
    return this;
  }
}

class FakeStdout extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  readonly writableLength = 0;
  columns = 80;
  rows = 24;
  written = "";

  write(text: string, whenWritten?: () => void): boolean {
    this.written += text;
    if (whenWritten !== undefined) setImmediate(whenWritten);
    return true;
  }
}

interface FakeTerminal {
  readonly stdin: FakeStdin;
  readonly stdout: FakeStdout;
  readonly streams: ScreenStreams;
}

function createTerminal(): FakeTerminal {
  const [stdin, stdout] = [new FakeStdin(), new FakeStdout()];
  // They have all that a screen uses of a terminal's streams.
  return { stdin, stdout, streams: { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream } };
}

function expectRestored({ stdin, stdout }: FakeTerminal): void {
  expect({ isRaw: stdin.isRaw, isReading: stdin.isReading, listeners: stdin.listenerCount("data") + stdout.listenerCount("resize") }).toEqual({ isRaw: false, isReading: false, listeners: 0 });
  expect(stdout.written.lastIndexOf(PASTE_OFF)).toBeGreaterThan(stdout.written.lastIndexOf(PASTE_ON));
  expect(stdout.written.endsWith(SHOW_CURSOR)).toBe(true);
}

const exitListeners = process.listenerCount("exit");

afterEach(() => {
  expect(process.listenerCount("exit")).toBeLessThanOrEqual(exitListeners + 1);
});

describe("runScreen", () => {
  it("takes hold of the terminal, passes keys on, and gives it back when the person leaves", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    expect(terminal.stdin.isRaw).toBe(true);
    expect(terminal.stdout.written).toContain(PASTE_ON);
    terminal.stdin.emit("data", Buffer.from("grüße\r"));
    expect(chat.calls).toEqual(["submit grüße"]);
    terminal.stdin.emit("data", Buffer.from("\u0003\u0003"));
    expect(await ended).toBe(0);
    expectRestored(terminal);
  });

  it("takes hold of the terminal again when a shell lets it go on", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    const before = terminal.stdout.written.length;
    // The shell has switched it back.
    terminal.stdin.isRaw = false;
    process.emit("SIGCONT");
    expect(terminal.stdin.isRaw).toBe(true);
    expect(terminal.stdout.written.slice(before)).toContain(PASTE_ON);
    terminal.stdin.emit("data", Buffer.from("\u0003\u0003"));
    expect(await ended).toBe(0);
    expectRestored(terminal);
    expect(process.listenerCount("SIGCONT")).toBe(0);
  });

  it("sends the first prompt", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat({ program: { firstPrompt: "begin here" } });
    const ended = runScreen(chat.program, terminal.streams);
    expect(chat.calls).toEqual(["submit begin here"]);
    chat.program.controller.leave();
    expect(await ended).toBe(0);
  });

  it("joins a character that comes in two pieces, and takes an Esc for itself after a while", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    const bytes = Buffer.from("ü\r");
    terminal.stdin.emit("data", bytes.subarray(0, 1));
    terminal.stdin.emit("data", bytes.subarray(1));
    expect(chat.calls).toEqual(["submit ü"]);
    chat.set({ activity: { type: "turn", sinceMs: 0, cancelled: false } });
    terminal.stdin.emit("data", Buffer.from("\u001B"));
    await waitFor(() => chat.calls.includes("cancel"), "the cancel");
    chat.set({ activity: { type: "idle" } });
    chat.program.controller.leave();
    await ended;
  });

  it("leaves when the terminal is gone", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    terminal.stdin.emit("end");
    expect(await ended).toBe(0);
    expect(chat.calls).toContain("leave");
    expectRestored(terminal);
  });

  it("gives the terminal back at a signal, cancels what is on its way and waits for it", async () => {
    const terminal = createTerminal();
    const stop = new AbortController();
    const chat = createFakeChat({ program: { signal: stop.signal } });
    chat.set({ activity: { type: "turn", sinceMs: 0, cancelled: false } });
    let isOver = false;
    const ended = runScreen(chat.program, terminal.streams).finally(() => (isOver = true));
    stop.abort("SIGTERM");
    await waitFor(() => !terminal.stdin.isRaw, "the terminal");
    expectRestored(terminal);
    expect(chat.calls).toContain("cancel");
    expect(isOver).toBe(false);
    chat.set({ activity: { type: "idle" } });
    expect(await ended).toBe(exitCodeOf("interrupted", "SIGTERM"));
  });

  it("gives the terminal back and rejects when drawing fails", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    const settled = expect(ended).rejects.toThrow("cannot be drawn");
    chat.set({
      conversation: {
        ...chat.program.controller.state().conversation,
        usage: () => {
          throw new Error("cannot be drawn");
        },
      },
    });
    await settled;
    expectRestored(terminal);
  });

  it("gives the terminal back and rejects when a key does", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat({
      program: {
        history: {
          entries: () => [],
          add: () => {
            throw new Error("cannot be kept");
          },
        },
      },
    });
    const ended = runScreen(chat.program, terminal.streams);
    terminal.stdin.emit("data", Buffer.from("x\r"));
    await expect(ended).rejects.toThrow("cannot be kept");
    expectRestored(terminal);
  });

  it("gives the terminal back and rejects when an item cannot be shown", async () => {
    const terminal = createTerminal();
    const chat = createFakeChat();
    const ended = runScreen(chat.program, terminal.streams);
    const settled = expect(ended).rejects.toThrow("has no text");
    const broken: ChatItem = {
      id: 1,
      type: "notice",
      done: true,
      level: "info",
      get text(): string {
        throw new Error("has no text");
      },
    };
    chat.set({ items: [broken] });
    await settled;
    expectRestored(terminal);
  });
});
