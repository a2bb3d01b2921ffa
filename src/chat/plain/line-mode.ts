import type { TerminalStreams } from "../../command-io.js";
import { JlgcliError } from "../../errors.js";
import { exitCodeOf, SUCCESS_EXIT_CODE } from "../../exit-codes.js";
import { withLineEnd } from "../../render/answer.js";
import { isDumbTerminal } from "../choose-view.js";
import { findCompletions } from "../completion.js";
import { describeSettings } from "../controller.js";
import { createEditorState } from "../editor.js";
import { describeDialog, loadLineDialog, type LineDialog } from "./line-dialogs.js";
import { createLinePrinter, type LinePrinter } from "./line-printer.js";
import { createLineReader, type LineReader, type LineReaderOptions } from "./line-reader.js";
import type { ChatProgram } from "../types.js";

/** How soon a second Ctrl-C leaves, in milliseconds. */
const TWICE_MS = 2000;
/** After so long without a word a turn says that it goes on, in milliseconds. */
const SILENCE_MS = 5000;
const TICK_MS = 500;
const PROMPT = "> ";

/**
 * The plain mode: lines in, lines out, for terminals that cannot do more, for screen readers and for pipes. On a
 * terminal stdout carries the conversation; elsewhere only the answers, and stderr all else. Lines of a pipe are turns
 * in their order. Gives the exit code: that of the last turn for a pipe, 0 for a person who leaves.
 */
export async function runLineMode(program: ChatProgram, streams: TerminalStreams): Promise<number> {
  const chat = new LineChat(program, streams);
  try {
    return await chat.run();
  } finally {
    chat.close();
  }
}

class LineChat {
  readonly #program: ChatProgram;
  readonly #streams: TerminalStreams;
  readonly #reader: LineReader;
  readonly #printer: LinePrinter;
  readonly #isTyped: boolean;
  readonly #isSeen: boolean;
  readonly #cleanUps: (() => void)[] = [];
  #dialog: LineDialog | null = null;
  #interruptedAtMs = -Infinity;
  #exitCode: number = SUCCESS_EXIT_CODE;
  #hasAsked = false;

  constructor(program: ChatProgram, streams: TerminalStreams) {
    this.#program = program;
    this.#streams = streams;
    this.#isTyped = streams.stdin.isTTY === true;
    this.#isSeen = streams.stdout.isTTY === true;
    const { controller, env, color, history } = program;
    this.#printer = createLinePrinter({
      write: (text) => this.#write(text),
      env,
      color: color && this.#isSeen,
      prefix: this.#isSeen ? "" : "jlgcli: ",
      showsAnswers: this.#isSeen,
    });
    this.#reader = createLineReader({
      input: streams.stdin,
      output: this.#isSeen ? streams.stdout : null,
      kind: this.#kind(),
      history: history.entries(),
      complete: async (text) => findCompletions(createEditorState(text), { commands: await controller.commands(), listFiles: program.listFiles }),
      onInterrupt: () => this.#interrupt(),
    });
    this.#cleanUps.push(controller.subscribe(() => void this.#show()));
    if (this.#isTyped) this.#cleanUps.push(streams.onInterrupt(() => this.#interrupt()));
    const end = (): void => this.#leave();
    program.signal.addEventListener("abort", end, { once: true });
    this.#cleanUps.push(() => program.signal.removeEventListener("abort", end));
  }

  /** A screen reader reads what a terminal writes: the terminal's own line editing draws nothing twice. */
  #kind(): LineReaderOptions["kind"] {
    const { env, screenReader } = this.#program;
    if (!this.#isTyped) return "pipe";
    return !this.#isSeen || screenReader || isDumbTerminal(env) ? "cooked" : "raw";
  }

  /** Where all goes that is no answer. */
  #write(text: string): void {
    (this.#isSeen ? this.#streams.stdout : this.#streams.stderr).write(text);
  }

  close(): void {
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    this.#reader.close();
  }

  async run(): Promise<number> {
    const { controller, firstPrompt, signal } = this.#program;
    if (signal.aborted) this.#leave();
    this.#greet();
    // Who gave the pipe knows what was said before.
    if (!this.#isSeen) this.#printer.skip(controller.state());
    await this.#show();
    if (firstPrompt !== null) await this.#take(firstPrompt, true);
    while (!controller.state().left) {
      const text = await this.#reader.next(PROMPT);
      if (text === null) break;
      await this.#take(text, false);
    }
    controller.leave();
    await this.#show();
    if (!this.#hasAsked && !this.#isTyped && !signal.aborted) {
      throw new JlgcliError("USAGE_INVALID", "there is no prompt: standard input is empty", { hint: 'jlgcli chat at a terminal, or for instance: echo "what does this project do?" | jlgcli chat' });
    }
    if (signal.aborted) return exitCodeOf("interrupted", typeof signal.reason === "string" ? signal.reason : undefined);
    return this.#isTyped ? SUCCESS_EXIT_CODE : this.#exitCode;
  }

  #greet(): void {
    if (!this.#isTyped || !this.#isSeen) return;
    const settings = describeSettings(this.#program.controller.state().conversation.settings());
    this.#streams.stdout.write(`jlgcli chat with ${settings}. /help lists the commands; Ctrl-D leaves.\n`);
  }

  #show(): Promise<void> {
    return this.#printer.print(this.#program.controller.state());
  }

  async #take(text: string, isFirst: boolean): Promise<void> {
    if (await this.#answerDialog(text.trim())) return;
    if (text.trim() === "") return;
    this.#hasAsked = true;
    // What stands on the command line, or in a pipe, is not on the screen.
    if (!this.#isSeen || (this.#isTyped && !isFirst)) this.#printer.expectTyped();
    // What a pipe holds was not typed.
    if (this.#isTyped || isFirst) this.#program.history.add(text);
    const known = this.#program.controller.state().items.at(-1)?.id ?? 0;
    await this.#submit(text);
    await this.#show();
    this.#noteEnd(known);
    await this.#openDialog();
  }

  /** A turn that is silent for long says once that it goes on. */
  async #submit(text: string): Promise<void> {
    const { controller } = this.#program;
    const startedAtMs = performance.now();
    const before = controller.state().items.length;
    let isTold = !this.#isSeen;
    const timer = setInterval(() => {
      const { items, activity, conversation } = controller.state();
      if (!isTold && activity.type === "turn" && performance.now() - startedAtMs > SILENCE_MS) {
        isTold = true;
        if (items.length <= before + 1) this.#streams.stdout.write(`${conversation.settings().backend} is at work. Ctrl-C cancels.\n`);
      }
      void this.#show();
    }, TICK_MS);
    await controller.submit(text);
    clearInterval(timer);
  }

  /** The exit code of what was submitted, and where stdout is read by a program, its answer. */
  #noteEnd(known: number): void {
    const { items, conversation } = this.#program.controller.state();
    const added = items.filter(({ id }) => id > known);
    const end = added.findLast((item) => item.type === "end");
    const hasFailed = added.some((item) => item.type === "notice" && item.level === "error");
    this.#exitCode = exitCodeOf(end?.status ?? (hasFailed ? "usage" : "success"));
    if (end?.status !== "success" || this.#isSeen) return;
    const answer = conversation.turns().at(-1)?.answer ?? "";
    this.#streams.stdout.write(withLineEnd(answer));
  }

  // --- dialogs ---

  async #openDialog(): Promise<void> {
    const { controller } = this.#program;
    const { dialog } = controller.state();
    if (dialog === null) return;
    const loaded = await loadLineDialog(dialog, this.#program);
    this.#write(`${describeDialog(loaded)}\n`);
    if (loaded.choices.length === 0) controller.closeDialog();
    else this.#dialog = loaded;
  }

  /** A number chooses; nothing chooses nothing; all else is as good as without the dialog. */
  async #answerDialog(typed: string): Promise<boolean> {
    const dialog = this.#dialog;
    if (dialog === null) return false;
    const choice = /^\d{1,4}$/.test(typed) ? dialog.choices[Number(typed) - 1] : undefined;
    if (choice === undefined && /^\d{1,4}$/.test(typed)) {
      this.#write(`There is no number ${typed} in the list: 1 to ${String(dialog.choices.length)}.\n`);
      return true;
    }
    this.#dialog = null;
    this.#program.controller.closeDialog();
    if (choice === undefined) return typed === "";
    await choice.choose();
    await this.#show();
    return true;
  }

  // --- the ends ---

  /** The first one cancels what is going on, or says how to leave; a second one soon after leaves. */
  #interrupt(): boolean {
    const nowMs = performance.now();
    const isSecond = nowMs - this.#interruptedAtMs < TWICE_MS;
    this.#interruptedAtMs = nowMs;
    if (isSecond) {
      this.#leave();
      return true;
    }
    const isCancelled = this.#program.controller.cancel();
    this.#write(isCancelled ? "\nCancelling. Ctrl-C again leaves.\n" : "\nCtrl-C again leaves.\n");
    if (!isCancelled) this.#reader.restart(PROMPT);
    return true;
  }

  #leave(): void {
    this.#program.controller.leave();
    this.#reader.close();
  }
}
