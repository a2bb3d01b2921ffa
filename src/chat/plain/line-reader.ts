import readline, { type Interface, type Key } from "node:readline";
import type { Completion } from "../types.js";

export interface LineReaderOptions {
  readonly input: NodeJS.ReadableStream;
  /** Where prompts and, in a terminal that can do more, the typed text are shown; null: nowhere. */
  readonly output: NodeJS.WritableStream | null;
  /** `raw`: keys move within the line and reach back to earlier ones. `cooked`: the terminal itself edits. `pipe`: no terminal. */
  readonly kind: "raw" | "cooked" | "pipe";
  /** What was typed before, oldest first. */
  readonly history: readonly string[];
  /** What may be meant at the end of a text. */
  readonly complete: (text: string) => Promise<readonly Completion[]>;
  /** Ctrl-C in a raw terminal. */
  readonly onInterrupt: () => void;
}

export interface LineReader {
  /** The next text that was entered; null after the last one. `prompt` is shown while it is waited for. */
  next(prompt: string): Promise<string | null>;
  /** Throws away what was begun, and asks again. */
  restart(prompt: string): void;
  /** Ends the input: `next` gives null. */
  close(): void;
}

/** Lines that come closer together were pasted, not typed, in milliseconds. */
const PASTE_GAP_MS = 30;
const BRACKETED_PASTE = { on: "\u001B[?2004h", off: "\u001B[?2004l" } as const;
const CONTINUED_PROMPT = "... ";

/**
 * Reads what a person enters, or what a pipe holds. A line that ends with a backslash goes on in the next one; lines
 * that are pasted into a terminal are one text. What comes while nobody asks is kept for later.
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { input, output, kind } = options;
  const entered: string[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const push = (text: string): void => {
    entered.push(text);
    wake();
  };
  const gatherer = GATHERERS[kind](push);
  const reader = openReadline(options);
  const begun: string[] = [];
  const onKey = (_text: unknown, key: Key | undefined): void => gatherer.onKey?.(key);
  reader.on("line", (line) => gatherer.onLine(line));
  reader.on("close", () => {
    gatherer.onEnd();
    isOver = true;
    wake();
  });
  if (kind === "raw") {
    reader.on("SIGINT", options.onInterrupt);
    // After Ctrl-Z and the shell's `fg`: the reader has paused itself, and shells switch the brackets off.
    reader.on("SIGCONT", () => {
      output?.write(BRACKETED_PASTE.on);
      reader.resume();
    });
    output?.write(BRACKETED_PASTE.on);
    input.on("keypress", onKey);
  }
  const show = (prompt: string): void => {
    if (kind === "pipe") return;
    if (kind === "raw") {
      reader.setPrompt(prompt);
      reader.prompt(true);
    } else output?.write(prompt);
  };
  return {
    next: async (prompt) => {
      for (;;) {
        if (entered.length === 0 && !isOver) {
          show(begun.length === 0 ? prompt : CONTINUED_PROMPT);
          await new Promise<void>((resolve) => (wake = resolve));
        }
        const line = entered.shift();
        if (line === undefined) return begun.length === 0 ? null : begun.splice(0).join("\n");
        if (line.endsWith("\\")) begun.push(line.slice(0, -1));
        else return [...begun.splice(0), line].join("\n");
      }
    },
    restart: (prompt) => {
      begun.length = 0;
      // A key of the line editor itself: it deletes all that stands before the cursor.
      if (kind === "raw") reader.write(null, { ctrl: true, name: "e" });
      if (kind === "raw") reader.write(null, { ctrl: true, name: "u" });
      show(prompt);
    },
    close: () => {
      input.off("keypress", onKey);
      if (kind === "raw") output?.write(BRACKETED_PASTE.off);
      reader.close();
    },
  };
}

function openReadline({ input, output, kind, history, complete }: LineReaderOptions): Interface {
  if (kind !== "raw" || output === null) return readline.createInterface({ input, terminal: false, crlfDelay: Infinity });
  return readline.createInterface({
    input,
    output,
    terminal: true,
    // It shows an entry in one line.
    history: history.filter((entry) => !entry.includes("\n")).reverse(),
    historySize: Math.max(history.length, 1000),
    removeHistoryDuplicates: true,
    completer: (text: string, done: (error: Error | null, found: [string[], string]) => void) => {
      void complete(text).then(
        (found) => done(null, [found.map((each) => text.slice(0, each.from) + each.text), text]),
        () => done(null, [[], text]),
      );
    },
  });
}

/** Makes texts of lines. */
interface Gatherer {
  onLine(line: string): void;
  onKey?(key: Key | undefined): void;
  onEnd(): void;
}

const GATHERERS: Readonly<Record<LineReaderOptions["kind"], (push: (text: string) => void) => Gatherer>> = {
  pipe: (push) => ({ onLine: push, onEnd: () => undefined }),
  raw: gatherBracketed,
  cooked: gatherByTime,
};

/** The terminal tells where a paste begins and ends. The Enter after it sends all of it. */
function gatherBracketed(push: (text: string) => void): Gatherer {
  const pasted: string[] = [];
  let isPasting = false;
  return {
    onLine: (line) => {
      pasted.push(line);
      if (!isPasting) push(pasted.splice(0).join("\n"));
    },
    onKey: (key) => {
      if (key?.name === "paste-start") isPasting = true;
      if (key?.name === "paste-end") isPasting = false;
    },
    onEnd: () => {
      if (pasted.length > 0) push(pasted.splice(0).join("\n"));
    },
  };
}

function gatherByTime(push: (text: string) => void): Gatherer {
  const lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    if (lines.length > 0) push(lines.splice(0).join("\n"));
  };
  return {
    onLine: (line) => {
      lines.push(line);
      clearTimeout(timer);
      timer = setTimeout(flush, PASTE_GAP_MS);
    },
    onEnd: flush,
  };
}
