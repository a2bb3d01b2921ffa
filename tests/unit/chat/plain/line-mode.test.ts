import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createChatController } from "../../../../src/chat/controller.js";
import { runLineMode } from "../../../../src/chat/plain/line-mode.js";
import type { ChatProgram } from "../../../../src/chat/types.js";
import type { TerminalStreams } from "../../../../src/command-io.js";
import type { RunEvent } from "../../../../src/events/schema.js";
import type { AnsweringCommand, DialogId } from "../../../../src/slash-commands/types.js";
import { createFakeConversation, createFakeHost, toTurn, type FakeConversationOptions } from "../fake-host.js";

const COMMAND: AnsweringCommand = { name: "x", kind: "built-in", source: null, sourceLabel: null, dialect: null, filePath: null };
const chunk = (text: string): RunEvent => ({ type: "agent_message_chunk", messageId: null, content: { type: "text", text } });
const dialogs: FakeConversationOptions["expand"] = (text) => (text.startsWith("/") ? { type: "dialog", dialog: text.slice(1) as DialogId, command: COMMAND } : { type: "no_command" });

interface Opened {
  readonly exitCode: Promise<number>;
  readonly program: ChatProgram;
  readonly sent: readonly { readonly text: string }[];
  readonly added: readonly string[];
  type(text: string): void;
  end(): void;
  interrupt(): void;
  abort(reason: string): void;
  stdout(): string;
  stderr(): string;
  /** Waits until something stands on stdout. */
  seen(text: string): Promise<void>;
}

interface OpenOptions extends FakeConversationOptions {
  readonly stdinIsTty?: boolean;
  readonly stdoutIsTty?: boolean;
  readonly firstPrompt?: string;
  readonly host?: ReturnType<typeof createFakeHost>;
}

/** A chat over streams of the test. A terminal without a name edits its lines itself. */
function open({ stdinIsTty = true, stdoutIsTty = stdinIsTty, firstPrompt, host = createFakeHost(), ...options }: OpenOptions = {}): Opened {
  const [stdin, stdout, stderr] = [toStream(stdinIsTty), toStream(stdoutIsTty), toStream(false)];
  const written = { stdout: "", stderr: "" };
  stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
  const conversation = createFakeConversation(options);
  const abort = new AbortController();
  const added: string[] = [];
  let interrupt = (): boolean => false;
  const program: ChatProgram = {
    host,
    controller: createChatController({ host, conversation }),
    history: { entries: () => [], add: (text) => void added.push(text) },
    listFiles: () => Promise.resolve([]),
    env: { TERM: "dumb" },
    color: false,
    screenReader: false,
    signal: abort.signal,
    firstPrompt: firstPrompt ?? null,
  };
  const streams = { stdin, stdout, stderr, onInterrupt: (handler: () => boolean) => ((interrupt = handler), () => (interrupt = () => false)) } as unknown as TerminalStreams;
  return {
    exitCode: runLineMode(program, streams),
    program,
    sent: conversation.sent,
    added,
    type: (text) => void stdin.write(text),
    end: () => void stdin.end(),
    interrupt: () => void interrupt(),
    abort: (reason) => abort.abort(reason),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    seen: async (text) => {
      const endsAt = Date.now() + 10_000;
      while (!written.stdout.includes(text)) {
        if (Date.now() > endsAt) throw new Error(`never seen: ${text}\n${written.stdout}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

function toStream(isTTY: boolean): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY });
}

const hangs: FakeConversationOptions["turn"] = ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve({ status: "interrupted", text: "cancelled" })));

describe("lines of a pipe", () => {
  it("are turns in their order; stdout has the answers alone", async () => {
    const chat = open({ stdinIsTty: false, turn: ({ text }) => ({ text: `heard ${text}` }) });
    chat.type("one\ntwo\\\nlines\n\nthree");
    chat.end();
    expect(await chat.exitCode).toBe(0);
    expect(chat.sent.map(({ text }) => text)).toEqual(["one", "two\nlines", "three"]);
    expect(chat.stdout()).toBe("heard one\nheard two\nlines\nheard three\n");
    expect(chat.stderr()).toContain("jlgcli: (success, 1.2 s)");
    expect(chat.added).toEqual([]);
  });

  it("come after the prompt of the command line", async () => {
    const chat = open({ stdinIsTty: false, firstPrompt: "zero" });
    chat.type("one\n");
    chat.end();
    await chat.exitCode;
    expect(chat.sent.map(({ text }) => text)).toEqual(["zero", "one"]);
  });

  it.each<{ name: string; options: OpenOptions; lines: string; exitCode: number }>([
    { name: "the last turn's code", options: { turn: ({ text }) => (text === "b" ? { status: "rate-limited", text: "busy" } : {}) }, lines: "a\nb\n", exitCode: 69 },
    { name: "success where an earlier turn failed", options: { turn: ({ text }) => (text === "a" ? { status: "error", text: "bad" } : {}) }, lines: "a\nb\n", exitCode: 0 },
    { name: "64 for a command that is not there", options: { expand: () => ({ type: "unknown", name: "x", suggestions: [], message: "no /x", hint: "" }) }, lines: "/x\n", exitCode: 64 },
  ])("end with $name", async ({ options, lines, exitCode }) => {
    const chat = open({ stdinIsTty: false, ...options });
    chat.type(lines);
    chat.end();
    expect(await chat.exitCode).toBe(exitCode);
  });

  it("choose in a dialog by its number", async () => {
    const chat = open({ stdinIsTty: false, expand: dialogs });
    chat.type("/model\n2\nhello\n");
    chat.end();
    expect(await chat.exitCode).toBe(0);
    expect(chat.program.controller.state().conversation.settings().model).toBe("opus");
    expect(chat.sent.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("are refused where there is none", async () => {
    const chat = open({ stdinIsTty: false });
    chat.end();
    await expect(chat.exitCode).rejects.toThrow("standard input is empty");
  });

  it("do not repeat what was said before", async () => {
    const chat = open({ stdinIsTty: false, turns: [toTurn()] });
    chat.type("go on\n");
    chat.end();
    await chat.exitCode;
    expect(chat.stdout()).toBe("done\n");
    expect(chat.stderr()).not.toContain("first");
  });
});

describe("a person at a dumb terminal", () => {
  it("sees the answer as it comes, tools as lines, and is asked again", async () => {
    let goOn = (): void => undefined;
    const chat = open({
      turn: async (_request, tell) => {
        await tell(chunk("I look"));
        await new Promise<void>((resolve) => (goOn = resolve));
        await tell({ type: "tool_call", toolCallId: "a", title: "src/x.ts", kind: "read", status: "completed", rawInput: null });
        await tell(chunk("Fine."));
        return { text: "Fine." };
      },
    });
    await chat.seen("> ");
    chat.type("look\n");
    await chat.seen("I look");
    goOn();
    await chat.seen("(success, 1.2 s)\n> ");
    chat.end();
    expect(await chat.exitCode).toBe(0);
    expect(chat.stdout()).toContain("I look\n\nread: src/x.ts (completed)\n\nFine.\n\n(success, 1.2 s)\n> ");
    expect(chat.stdout()).not.toContain("\u001b");
    expect(chat.added).toEqual(["look"]);
  });

  it("pastes lines as one text", async () => {
    const chat = open();
    await chat.seen("> ");
    chat.type("one\ntwo\nthree\n");
    await chat.seen("(success");
    chat.end();
    await chat.exitCode;
    expect(chat.sent.map(({ text }) => text)).toEqual(["one\ntwo\nthree"]);
  });

  it("cancels a turn with Ctrl-C, and leaves with two", async () => {
    const chat = open({ turn: hangs });
    await chat.seen("> ");
    chat.type("hello\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    chat.interrupt();
    await chat.seen("(interrupted");
    expect(chat.stdout()).toContain("Cancelling. Ctrl-C again leaves.");
    await new Promise((resolve) => setTimeout(resolve, 2100));
    chat.interrupt();
    await chat.seen("\nCtrl-C again leaves.\n> ");
    chat.interrupt();
    expect(await chat.exitCode).toBe(0);
  });

  it("chooses by number; a wrong number is told, nothing chooses nothing, a sentence is sent", async () => {
    const chat = open({ expand: dialogs });
    await chat.seen("> ");
    chat.type("/access\n");
    await chat.seen("What the tools of Claude Code may do:\n1. read-only, only look (now)\n2. workspace-write, change files in the working directory\n3. full, do all that you may do\nType a number to choose");
    chat.type("9\n");
    await chat.seen("There is no number 9 in the list: 1 to 3.");
    chat.type("2\n");
    await chat.seen("From the next turn on: claude, access workspace-write.");
    chat.type("/backend\n");
    await chat.seen("2. codex, Codex: missing (npm i -g @openai/codex)");
    chat.type("\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(chat.program.controller.state().dialog).toBeNull();
    chat.type("/model\n");
    await chat.seen("1. Claude Code chooses (now)\n2. opus\n3. sonnet");
    chat.type("hello\n");
    await chat.seen("(success");
    chat.end();
    await chat.exitCode;
    expect(chat.sent.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("goes on with a kept conversation, and sees what was said", async () => {
    const kept = createFakeConversation({ id: "kept", turns: [toTurn({ prompt: "why", answer: "because" })] });
    const chat = open({ expand: dialogs, host: createFakeHost([kept]) });
    await chat.seen("> ");
    chat.type("/sessions\n");
    await chat.seen("1. why (2026-11-30 10:00 UTC, kept)");
    chat.type("1\n");
    await chat.seen("> why\n\nbecause\n\n(success, 1.0 s)\nThis conversation goes on: why (claude).");
    chat.end();
    await chat.exitCode;
  });

  it("reads about usage and help without a choice", async () => {
    const chat = open({ expand: dialogs, commands: () => Promise.resolve([{ name: "model", description: "Choose one", kind: "built-in" }]) });
    await chat.seen("> ");
    chat.type("/usage\n");
    await chat.seen("This conversation has 0 turns; how many tokens they took is not known");
    chat.type("/help\n");
    await chat.seen("/model: Choose one");
    chat.end();
    expect(await chat.exitCode).toBe(0);
  });

  it("is asked for more after a backslash", async () => {
    const chat = open();
    await chat.seen("> ");
    chat.type("one\\\n");
    await chat.seen("... ");
    chat.type("two\n");
    await chat.seen("(success");
    chat.end();
    await chat.exitCode;
    expect(chat.sent.map(({ text }) => text)).toEqual(["one\ntwo"]);
  });
});

describe("a signal of the system", () => {
  it("ends the turn and the chat", async () => {
    const chat = open({ turn: hangs });
    await chat.seen("> ");
    chat.type("hello\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    chat.abort("SIGTERM");
    expect(await chat.exitCode).toBe(143);
  });
});
