import { findCompletions } from "../completion.js";
import { applyEdit, createEditorState, toSubmittedText } from "../editor.js";
import type { ChatController, Completion, EditorAction, EditorMove, EditorState, InputHistory } from "../types.js";
import type { Key } from "./keys.js";
import { createStore, type Store } from "./store.js";

export interface InputState {
  readonly editor: EditorState;
  readonly menu: CompletionMenu | null;
  /** One sentence below the input; goes with the next key. */
  readonly hint: string | null;
}

export interface CompletionMenu {
  readonly completions: readonly Completion[];
  readonly index: number;
}

export interface InputModelOptions {
  readonly controller: Pick<ChatController, "state" | "subscribe" | "submit" | "commands">;
  readonly history: InputHistory;
  readonly listFiles: () => Promise<readonly string[]>;
}

export const BUSY_HINT = "An answer is on its way: your text stays here. Esc cancels the answer.";

/** What the input line does with keys. Every key finds the state that the one before has left. */
export class InputModel {
  readonly #options: InputModelOptions;
  readonly #state = createStore<InputState>({ editor: createEditorState(), menu: null, hint: null });
  /** Null: what is shown is no entry of the history. Otherwise the place in it, and what was typed before. */
  #recalled: { readonly index: number; readonly draft: EditorState } | null = null;
  /** Something was sent that is passed on as soon as the turn before has put its things away. */
  #waits = false;
  /** Tells an answer that came too late. */
  #asked = 0;
  /** What the menu was made for: keys that come in one piece are faster than it. */
  #menuOf: EditorState | null = null;

  constructor(options: InputModelOptions) {
    this.#options = options;
  }

  get store(): Store<InputState> {
    return this.#state;
  }

  /** Whether the key meant something here. */
  press(key: Key): boolean {
    const { hint } = this.#state.get();
    if (hint !== null) this.#change({ hint: null });
    if (key.type === "text") return this.#edit({ type: "insert", text: key.text });
    if (key.type === "paste") return this.#edit({ type: "paste", text: key.text });
    const act = (this.#state.get().menu === null ? undefined : this.#menuActs[key.name]) ?? this.#acts[key.name];
    if (act !== undefined) return act();
    const move = EDITOR_KEYS[key.name];
    return move !== undefined && this.#edit({ type: move });
  }

  isEmpty(): boolean {
    return this.#state.get().editor.text === "";
  }

  /** Empties the line; what stood there is kept in the history. */
  discard(): void {
    const { editor } = this.#state.get();
    const text = toSubmittedText(editor);
    if (text.trim() !== "") this.#options.history.add(text);
    this.#reset();
  }

  setHint(hint: string): void {
    this.#change({ hint });
  }

  /** Nothing is on its way any more. */
  dropBusyHint(): void {
    if (this.#state.get().hint === BUSY_HINT) this.#change({ hint: null });
  }

  readonly #acts: Readonly<Record<string, () => boolean>> = {
    enter: () => this.#enter(),
    "shift-enter": () => this.#edit({ type: "insert", text: "\n" }),
    "alt-enter": () => this.#edit({ type: "insert", text: "\n" }),
    "ctrl-enter": () => this.#edit({ type: "insert", text: "\n" }),
    "ctrl-j": () => this.#edit({ type: "insert", text: "\n" }),
    tab: () => this.#complete(true),
    up: () => this.#moveLine("up"),
    down: () => this.#moveLine("down"),
    "ctrl-p": () => this.#recall(-1),
    "ctrl-n": () => this.#recall(1),
  };

  readonly #menuActs: Readonly<Record<string, () => boolean>> = {
    enter: () => this.#accept() || this.#enter(),
    tab: () => this.#accept() || (this.#menuOf === this.#state.get().editor ? this.#closeMenu() : this.#complete(true)),
    esc: () => this.#closeMenu(),
    up: () => this.#moveMenu(-1),
    down: () => this.#moveMenu(1),
    "ctrl-p": () => this.#moveMenu(-1),
    "ctrl-n": () => this.#moveMenu(1),
    "shift-tab": () => this.#moveMenu(-1),
  };

  #change(change: Partial<InputState>): void {
    this.#state.set({ ...this.#state.get(), ...change });
  }

  #edit(action: EditorAction): boolean {
    const before = this.#state.get().editor;
    const editor = applyEdit(before, action);
    if (editor === before) return true;
    this.#change({ editor });
    if (editor.text !== before.text) this.#recalled = null;
    void this.#complete(false);
    return true;
  }

  // --- sending ---

  #enter(): boolean {
    const { editor } = this.#state.get();
    if (editor.text.slice(0, editor.cursor).endsWith("\\")) return this.#edit({ type: "replace", from: editor.cursor - 1, to: editor.cursor, text: "\n" });
    const text = toSubmittedText(editor);
    if (text.trim() === "") return true;
    const { controller, history } = this.#options;
    if (this.#waits || isBusy(controller)) {
      this.#change({ hint: BUSY_HINT, menu: null });
      return true;
    }
    history.add(text);
    this.#reset();
    void this.#submit(text);
    return true;
  }

  async #submit(text: string): Promise<void> {
    const { controller } = this.#options;
    if (controller.state().activity.type !== "idle") {
      this.#waits = true;
      await untilIdle(controller);
      this.#waits = false;
    }
    await controller.submit(text);
  }

  #reset(): void {
    this.#recalled = null;
    this.#asked += 1;
    this.#state.set({ editor: createEditorState(), menu: null, hint: null });
  }

  // --- history ---

  #moveLine(move: "up" | "down"): boolean {
    const { editor } = this.#state.get();
    const isAtEdge = move === "up" ? !editor.text.slice(0, editor.cursor).includes("\n") : !editor.text.includes("\n", editor.cursor);
    return isAtEdge ? this.#recall(move === "up" ? -1 : 1) : this.#edit({ type: move });
  }

  #recall(by: -1 | 1): boolean {
    const entries = this.#options.history.entries();
    const draft = this.#recalled?.draft ?? this.#state.get().editor;
    const index = (this.#recalled?.index ?? entries.length) + by;
    if (index < 0 || index > entries.length) return true;
    const entry = entries[index];
    this.#recalled = entry === undefined ? null : { index, draft };
    this.#asked += 1;
    this.#change({ editor: entry === undefined ? draft : recallEntry(entry), menu: null });
    return true;
  }

  // --- completion ---

  /** Asked for with a key, a single completion is taken at once. */
  #complete(asked: boolean): boolean {
    this.#asked += 1;
    void this.#find(this.#asked, asked);
    return true;
  }

  async #find(turn: number, asked: boolean): Promise<void> {
    const { editor } = this.#state.get();
    const completions = COMPLETABLE.test(editor.text.slice(0, editor.cursor)) ? await this.#load(editor) : [];
    if (turn !== this.#asked) return;
    const [first] = completions;
    this.#menuOf = editor;
    this.#change({ menu: first === undefined ? null : { completions, index: 0 } });
    if (asked && completions.length === 1) this.#accept();
  }

  async #load(editor: EditorState): Promise<readonly Completion[]> {
    const { controller, listFiles } = this.#options;
    try {
      const commands = editor.text.trimStart().startsWith("/") ? await controller.commands() : [];
      return await findCompletions(editor, { commands, listFiles });
    } catch {
      // A folder that cannot be read has nothing to offer; what was typed can be sent all the same.
      return [];
    }
  }

  #moveMenu(by: -1 | 1): boolean {
    const { menu } = this.#state.get();
    if (menu === null) return false;
    const count = menu.completions.length;
    this.#change({ menu: { ...menu, index: (menu.index + by + count) % count } });
    return true;
  }

  #closeMenu(): boolean {
    this.#asked += 1;
    this.#change({ menu: null });
    return true;
  }

  /** False where the text is what would be put in already, and where more was typed than the menu knows of. */
  #accept(): boolean {
    const { editor, menu } = this.#state.get();
    const chosen = menu?.completions[menu.index];
    if (chosen === undefined || this.#menuOf !== editor) return false;
    if (editor.text.slice(chosen.from, chosen.to).trim() === chosen.text.trim()) return false;
    this.#edit({ type: "replace", from: chosen.from, to: chosen.to, text: chosen.text });
    return this.#closeMenu();
  }
}

type Activity = Pick<ChatController, "state" | "subscribe">;

/** An answer whose end is shown is over for the person, though its backend may still be putting its things away. */
function isBusy(controller: Activity): boolean {
  const { activity, items } = controller.state();
  return activity.type !== "idle" && !(activity.type === "turn" && items.at(-1)?.type === "end");
}

function untilIdle(controller: Activity): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = controller.subscribe(() => {
      if (controller.state().activity.type !== "idle") return;
      unsubscribe();
      resolve();
    });
  });
}

/** Looking for completions is not worth it elsewhere: after a `/` at the beginning, after a `@`. */
const COMPLETABLE = /^\s*\/[^\n]*$|(?:^|\s)@[^\n]*$/u;

/** What was pasted once comes back as a paste. */
function recallEntry(entry: string): EditorState {
  return entry.length > 1000 || entry.split("\n", 12).length > 11 ? applyEdit(createEditorState(), { type: "paste", text: entry }) : createEditorState(entry);
}

const EDITOR_KEYS: Readonly<Record<string, EditorMove>> = {
  left: "left",
  right: "right",
  "ctrl-b": "left",
  "ctrl-f": "right",
  "ctrl-left": "word-left",
  "ctrl-right": "word-right",
  "alt-left": "word-left",
  "alt-right": "word-right",
  "alt-b": "word-left",
  "alt-f": "word-right",
  home: "line-start",
  end: "line-end",
  "ctrl-a": "line-start",
  "ctrl-e": "line-end",
  backspace: "backspace",
  "shift-backspace": "backspace",
  delete: "delete",
  "ctrl-d": "delete",
  "alt-backspace": "delete-word",
  "ctrl-backspace": "delete-word",
  "ctrl-w": "delete-word",
  "ctrl-u": "delete-to-line-start",
  "ctrl-k": "delete-to-line-end",
};
