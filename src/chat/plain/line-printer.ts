import { createTerminalAnswer, withLineEnd, type Answer } from "../../render/answer.js";
import { toSafeText } from "../../render/safe-text.js";
import { styled } from "../../render/style.js";
import type { AnswerItem, ChatItem, ChatState, EndItem, PlanItem, ToolItem } from "../types.js";

export interface LinePrinterOptions {
  /** The text of the conversation. */
  readonly write: (text: string) => void;
  readonly env: Readonly<Record<string, string>>;
  readonly color: boolean;
  /** Stands before each sentence of ours, where the text goes between others' messages. */
  readonly prefix: string;
  /** False: answers go somewhere else. */
  readonly showsAnswers: boolean;
}

export interface LinePrinter {
  /** Prints what is new in a state. Resolves when it is printed. */
  print(state: ChatState): Promise<void>;
  /** Leaves out what stands in a state by now. */
  skip(state: ChatState): void;
  /** What was typed stands on the screen already: it is not printed when it comes into the transcript. */
  expectTyped(): void;
}

/** A call that takes longer is told before its end, in milliseconds. */
const SLOW_TOOL_MS = 2000;
const MAX_TITLE_CHARS = 200;

/** Prints a growing transcript as plain lines. Nothing is ever printed again or taken back. */
export function createLinePrinter(options: LinePrinterOptions): LinePrinter {
  const printer = new Printer(options);
  let printing: Promise<void> = Promise.resolve();
  return {
    print: (state) => (printing = printing.then(() => printer.print(state))),
    skip: (state) => printer.skip(state),
    expectTyped: () => printer.expectTyped(),
  };
}

class Printer {
  readonly #options: LinePrinterOptions;
  readonly #printed = new Set<number>();
  /** The answer that is being shown. */
  #answer: { readonly id: number; readonly view: Answer; shown: number } | null = null;
  /** When calls that go on were first seen, by their items; Infinity once they are told. */
  readonly #slowTools = new Map<number, number>();
  readonly #plans = new Map<number, ReadonlyMap<string, string>>();
  #expected = 0;
  /** A blank line sets an answer apart from the lines before and after it. */
  #last: "nothing" | "line" | "answer" = "nothing";

  constructor(options: LinePrinterOptions) {
    this.#options = options;
  }

  skip({ items }: ChatState): void {
    for (const { id } of items) this.#printed.add(id);
  }

  expectTyped(): void {
    this.#expected += 1;
    this.#last = "line";
  }

  async print({ items }: ChatState): Promise<void> {
    for (const item of items) {
      if (this.#printed.has(item.id)) continue;
      if (item.type === "answer") await this.#printAnswer(item);
      else this.#printOther(item);
      if (item.done) this.#printed.add(item.id);
      // What comes beside an answer waits for its end: it would cut it in two.
      else if (item.type === "answer") return;
    }
  }

  async #printAnswer(item: AnswerItem): Promise<void> {
    if (!this.#options.showsAnswers) return;
    if (this.#answer?.id !== item.id) {
      this.#answer = { id: item.id, shown: 0, view: this.#openAnswer() };
      if (this.#last !== "nothing") this.#options.write("\n");
      this.#last = "answer";
    }
    const { view, shown } = this.#answer;
    this.#answer.shown = item.text.length;
    if (item.text.length > shown) await view.onEvent({ type: "agent_message_chunk", messageId: null, content: { type: "text", text: item.text.slice(shown) } });
    if (item.done) await view.finish(item.text.trimEnd());
  }

  #openAnswer(): Answer {
    const { env, color, write } = this.#options;
    const io = { env: color ? env : { ...env, NO_COLOR: "1" }, cwd: "", stdout: write, stderr: () => undefined, stdoutIsTty: true, stderrIsTty: false };
    return createTerminalAnswer(io, { onEvent: () => undefined, interrupt: (print) => print(), stop: () => undefined });
  }

  #printOther(item: Exclude<ChatItem, AnswerItem>): void {
    switch (item.type) {
      case "user":
        if (this.#expected === 0) this.#line(`> ${item.text}`);
        else this.#expected -= 1;
        return;
      case "tool":
        this.#printTool(item);
        return;
      case "plan":
        this.#printPlan(item);
        return;
      case "notice":
        this.#line(item.level === "info" ? item.text : `${item.level}: ${item.text}`, NOTICE_STYLES[item.level]);
        return;
      case "end":
        this.#line(describeEnd(item), item.problem === null ? "dim" : "red");
        return;
      case "thought":
        // Not told: the plain mode is read as a whole, or aloud.
        return;
      default:
        item satisfies never;
    }
  }

  #printTool(item: ToolItem): void {
    if (item.done) {
      this.#line(describeTool(item), item.status === "failed" ? "red" : "dim");
      return;
    }
    const seenAtMs = this.#slowTools.get(item.id) ?? performance.now();
    const isSlow = performance.now() - seenAtMs >= SLOW_TOOL_MS;
    if (isSlow) this.#line(describeTool(item), "dim");
    this.#slowTools.set(item.id, isSlow ? Infinity : seenAtMs);
  }

  /** The entries that are new or have another status. */
  #printPlan({ id, entries }: PlanItem): void {
    const told = this.#plans.get(id);
    for (const { content, status } of entries) if (told?.get(content) !== status) this.#line(`plan: ${content} (${status.replace("_", " ")})`, "dim");
    this.#plans.set(id, new Map(entries.map(({ content, status }) => [content, status])));
  }

  #line(text: string, style: Parameters<typeof styled>[0] | null = null): void {
    const { write, prefix, color } = this.#options;
    if (this.#last === "answer") write("\n");
    this.#last = "line";
    write(withLineEnd(text.split("\n").map((line) => (style === null ? `${prefix}${line}` : styled(style, `${prefix}${line}`, color))).join("\n")));
  }
}

const NOTICE_STYLES = { info: null, warning: "yellow", error: "red" } as const;

/** `read: src/x.ts (completed)` */
function describeTool({ kind, title, status, done }: ToolItem): string {
  const line = toSafeText(title).replaceAll(/\s+/g, " ").trim();
  const shown = line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS)}…`;
  const isOpen = status === "pending" || status === "in_progress";
  return `${kind}: ${shown} (${isOpen ? (done ? "not finished" : "in progress") : status})`;
}

/** `success, 2.3 s, 1,234 tokens, 0.0123 USD`. What is not known is left out. */
export function describeEnd({ status, problem, durationMs, totalTokens, cost }: EndItem): string {
  const facts = [
    status,
    `${(durationMs / 1000).toFixed(1)} s`,
    ...(totalTokens === null ? [] : [`${new Intl.NumberFormat("en-US").format(totalTokens)} tokens`]),
    ...(cost === null ? [] : [`${cost.amount.toFixed(4)} ${cost.currency}`]),
  ];
  return [...(problem === null ? [] : [problem]), `(${facts.join(", ")})`].join("\n");
}
