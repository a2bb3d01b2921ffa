import { describeError } from "../../errors.js";
import { toSafeText } from "../../render/safe-text.js";
import type { Dialog, ListOption } from "./dialogs.js";
import type { Key } from "./keys.js";
import { createStore, type Store } from "./store.js";

export interface DialogState {
  readonly title: string;
  /** `null` while it is loaded. */
  readonly content: { readonly type: "list"; readonly options: readonly ListOption[] } | { readonly type: "text"; readonly text: string } | null;
  /** What was typed to narrow the list down. */
  readonly filter: string;
  /** The chosen option, or the first line that is shown of a text. */
  readonly index: number;
  /** What is shown where nothing can be chosen. */
  readonly empty: string;
}

/** An open dialog: a list to choose from, narrowed down by typing, or a text to read. */
export class DialogModel {
  readonly #dialog: Dialog;
  readonly #close: () => void;
  readonly #state;
  #options: readonly ListOption[] = [];

  constructor(dialog: Dialog, close: () => void) {
    this.#dialog = dialog;
    this.#close = close;
    this.#state = createStore<DialogState>({ title: dialog.title, content: null, filter: "", index: 0, empty: dialog.type === "list" ? dialog.empty : "" });
    void this.#load();
  }

  get store(): Store<DialogState> {
    return this.#state;
  }

  press(key: Key): void {
    if (key.type !== "press") return this.#setFilter(this.#state.get().filter + key.text.replace(/\s+/g, " "));
    this.#acts[key.name]?.();
  }

  readonly #acts: Readonly<Record<string, () => void>> = {
    esc: () => (this.#state.get().filter === "" ? this.#close() : this.#setFilter("")),
    enter: () => this.#choose(),
    up: () => this.#move(-1),
    down: () => this.#move(1),
    "ctrl-p": () => this.#move(-1),
    "ctrl-n": () => this.#move(1),
    "shift-tab": () => this.#move(-1),
    tab: () => this.#move(1),
    "page-up": () => this.#move(-10),
    "page-down": () => this.#move(10),
    home: () => this.#move(-Infinity),
    end: () => this.#move(Infinity),
    backspace: () => this.#setFilter([...this.#state.get().filter].slice(0, -1).join("")),
    "ctrl-u": () => this.#setFilter(""),
  };

  async #load(): Promise<void> {
    try {
      if (this.#dialog.type === "text") return this.#change({ content: { type: "text", text: await this.#dialog.load() } });
      this.#options = await this.#dialog.load();
      this.#change({ content: { type: "list", options: this.#narrow() }, index: Math.max(0, this.#options.findIndex(({ isCurrent }) => isCurrent)) });
    } catch (error) {
      this.#change({ content: { type: "text", text: toSafeText(describeError(error)) } });
    }
  }

  #change(change: Partial<DialogState>): void {
    this.#state.set({ ...this.#state.get(), ...change });
  }

  /** What was typed matches label or hint, each word anywhere. Typed text may be a choice of its own. */
  #narrow(): readonly ListOption[] {
    const filter = this.#state.get().filter.trim();
    const words = filter.toLowerCase().split(" ").filter((word) => word !== "");
    const found = this.#options.filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)));
    const toOption = this.#dialog.type === "list" ? this.#dialog.toOption : undefined;
    if (toOption === undefined || filter === "" || this.#options.length === 0 || found.some(({ label }) => label === filter)) return found;
    return [...found, { ...toOption(filter), hint: "as typed" }];
  }

  #setFilter(filter: string): void {
    if (this.#dialog.type !== "list") return;
    this.#change({ filter: toSafeText(filter) });
    if (this.#state.get().content !== null) this.#change({ content: { type: "list", options: this.#narrow() }, index: 0 });
  }

  #move(by: number): void {
    const { content, index } = this.#state.get();
    const last = content === null ? 0 : (content.type === "list" ? content.options.length : content.text.split("\n").length) - 1;
    this.#change({ index: Math.max(0, Math.min(last, index + by)) });
  }

  #choose(): void {
    const { content, index } = this.#state.get();
    if (content === null) return;
    this.#close();
    const option = content.type === "list" ? content.options[index] : undefined;
    if (option?.isCurrent === false) option.choose();
  }
}
