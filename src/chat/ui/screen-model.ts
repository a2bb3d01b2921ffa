import { toSafeText } from "../../render/safe-text.js";
import type { AccessLevel } from "../../events/schema.js";
import { styled } from "../../render/style.js";
import type { ChatItem, ChatProgram, ChatState } from "../types.js";
import { DialogModel } from "./dialog-model.js";
import { toDialog } from "./dialogs.js";
import { toGuard } from "./guard.js";
import { InputModel } from "./input-model.js";
import type { Look } from "./item-lines.js";
import type { Key } from "./keys.js";
import { createStore, type Store } from "./store.js";
import { fitText, wrapText } from "./text-width.js";
import { TranscriptFeed, type Printed } from "./transcript-feed.js";

export interface ScreenState {
  readonly chat: ChatState;
  readonly look: Look;
  readonly rows: number;
  /** Another number: what was printed is gone from the screen, and `printed` begins anew. */
  readonly epoch: number;
  readonly printed: readonly Printed[];
  /** What stands above all that is printed; empty where the transcript goes on from what was scrolled away. */
  readonly greeting: readonly string[];
  readonly live: readonly string[];
  readonly dialog: DialogModel | null;
  /** What the backend's tools may do where no level was chosen; null where it has none, or it is not known yet. */
  readonly defaultAccess: AccessLevel | null;
  /** Grows while something is going on, so that time and spinner move. */
  readonly tick: number;
  /** The screen is being left: nothing stands below the transcript any more. */
  readonly ended: boolean;
}

export interface ScreenModelOptions {
  readonly program: ChatProgram;
  readonly columns: number;
  readonly rows: number;
  /** Empties what can be seen, not what was scrolled away. */
  readonly wipe: () => void;
  /** Stops the program until its shell lets it go on; then `goOn` is called. */
  readonly suspend: () => void;
  /** Told of a fault of ours that came up while nobody was there to catch it. */
  readonly onError: (error: unknown) => void;
}

/** Twice Ctrl-C within this time leaves. */
const LEAVE_WINDOW_MS = 2000;
const TICK_MS = 125;
/** With what is opened, more than a screen is printed again. */
const OPENED_SCREENS = 3;

/** What the keys do and what the screen shows. The view only draws it. */
export class ScreenModel {
  readonly input: InputModel;
  readonly #program: ChatProgram;
  readonly #wipe: () => void;
  readonly #suspend: () => void;
  readonly #guard: ReturnType<typeof toGuard>;
  readonly #feed = new TranscriptFeed();
  readonly #state;
  readonly #unsubscribe: () => void;
  #ticker: ReturnType<typeof setInterval> | null = null;
  #backlog: ReturnType<typeof setTimeout> | null = null;
  #interruptedAtMs = -Infinity;

  constructor({ program, columns, rows, wipe, suspend, onError }: ScreenModelOptions) {
    this.#program = program;
    this.#wipe = wipe;
    this.#suspend = suspend;
    this.#guard = toGuard(onError);
    const { controller, history, listFiles, color } = program;
    this.input = new InputModel({ controller, history, listFiles });
    const look: Look = { columns, color, opened: false };
    this.#state = createStore<ScreenState>({ chat: controller.state(), look, rows, epoch: 0, printed: [], greeting: greet(controller.state(), look), live: [], dialog: null, defaultAccess: null, tick: 0, ended: false });
    this.#unsubscribe = controller.subscribe(this.#guard(() => this.#follow()));
    this.#follow();
  }

  get store(): Store<ScreenState> {
    return this.#state;
  }

  press(key: Key): void {
    const name = key.type === "press" ? key.name : "";
    const act = this.#acts[name];
    if (act !== undefined) return act();
    const { dialog } = this.#state.get();
    if (dialog !== null) return dialog.press(key);
    if (name === "ctrl-d" && this.input.isEmpty()) return this.#program.controller.leave();
    if (!this.input.press(key) && name === "esc") this.#program.controller.cancel();
  }

  resize(columns: number, rows: number): void {
    this.#redraw({ rows, look: { ...this.#state.get().look, columns } });
  }

  /** The program was stopped, and the terminal was somebody else's. */
  goOn(): void {
    this.#change({ ended: false });
    this.#redraw({});
  }

  /** Takes all that stands below the transcript away. */
  end(): void {
    this.#unsubscribe();
    if (this.#ticker !== null) clearInterval(this.#ticker);
    if (this.#backlog !== null) clearTimeout(this.#backlog);
    this.#ticker = null;
    this.#backlog = null;
    // What has come of an answer stays, though nobody waits for the rest.
    const items = this.#items().map((item) => ({ ...item, done: true }));
    const { printed, live } = this.#feed.update(items, this.#state.get().look);
    this.#change({ ended: true, dialog: null, chat: this.#program.controller.state(), printed, live });
  }

  readonly #acts: Readonly<Record<string, () => void>> = {
    "ctrl-c": () => this.#interrupt(),
    "ctrl-l": () => this.#redraw({}),
    "ctrl-z": () => this.#pause(),
    "ctrl-o": () => this.#redraw({ look: { ...this.#state.get().look, opened: !this.#state.get().look.opened } }),
  };

  #pause(): void {
    if (process.platform === "win32") return;
    this.#change({ ended: true });
    this.#suspend();
  }

  /** First it ends what is going on, or empties the line; the second time it leaves. */
  #interrupt(): void {
    const { controller } = this.#program;
    const now = performance.now();
    if (now - this.#interruptedAtMs < LEAVE_WINDOW_MS) return controller.leave();
    this.#interruptedAtMs = now;
    const { dialog } = this.#state.get();
    if (dialog !== null) controller.closeDialog();
    const isCancelled = controller.cancel();
    if (!isCancelled) this.input.discard();
    this.input.setHint(isCancelled ? "Cancelling. Press Ctrl-C again to leave." : "Press Ctrl-C again to leave.");
  }

  #change(change: Partial<ScreenState>): void {
    this.#state.set({ ...this.#state.get(), ...change });
  }

  #follow(): void {
    const chat = this.#program.controller.state();
    const { dialog, look } = this.#state.get();
    this.#change({ chat, dialog: this.#followDialog(chat, dialog), ...this.#feedItems(look) });
    this.#tickWhile(chat.activity.type !== "idle");
    if (chat.activity.type === "idle") this.input.dropBusyHint();
    void this.#learnAccess(chat);
  }

  #accessOf: string | null = null;

  async #learnAccess({ conversation }: ChatState): Promise<void> {
    const { backend } = conversation.settings();
    if (this.#accessOf === backend) return;
    this.#accessOf = backend;
    // Its record may be one of the user's own that is not sound: the next turn says so.
    const capabilities = await conversation.capabilities().catch(() => null);
    if (this.#accessOf === backend) this.#change({ defaultAccess: capabilities?.defaultAccess ?? null });
  }

  #dialogId: ChatState["dialog"] = null;

  #followDialog(chat: ChatState, current: DialogModel | null): DialogModel | null {
    if (chat.dialog === this.#dialogId) return current;
    this.#dialogId = chat.dialog;
    return chat.dialog === null ? null : new DialogModel(toDialog(chat.dialog, this.#program), () => this.#program.controller.closeDialog());
  }

  #tickWhile(isBusy: boolean): void {
    if (!isBusy) {
      if (this.#ticker !== null) clearInterval(this.#ticker);
      this.#ticker = null;
      return;
    }
    this.#ticker ??= setInterval(this.#guard(() => this.#change({ tick: this.#state.get().tick + 1 })), TICK_MS);
  }

  #feedItems(look: Look): Pick<ScreenState, "printed" | "live"> {
    const { printed, live, hasMore } = this.#feed.update(this.#items(), look);
    if (hasMore) this.#backlog ??= setTimeout(this.#guard(() => this.#printMore()), 0);
    return { printed, live };
  }

  #printMore(): void {
    this.#backlog = null;
    this.#change(this.#feedItems(this.#state.get().look));
  }

  #items(): readonly ChatItem[] {
    return this.#program.controller.state().items;
  }

  /** What was printed is the terminal's: for another width, or another degree of detail, the end of it is printed again. */
  #redraw({ look = this.#state.get().look, rows = this.#state.get().rows }: { readonly look?: Look; readonly rows?: number }): void {
    this.#wipe();
    this.#feed.reprint(this.#items(), look.opened ? rows * OPENED_SCREENS : rows, look);
    const fed = this.#feedItems(look);
    // Something must be printed, or Ink would not see that its screen is gone.
    const greeting = fed.printed.length === 0 ? greet(this.#program.controller.state(), look) : [];
    this.#change({ look, rows, epoch: this.#state.get().epoch + 1, greeting, ...fed });
  }
}

function greet({ conversation }: ChatState, { columns, color }: Look): readonly string[] {
  const { backend, model, access } = conversation.settings();
  const settings = [backend, model, access].filter((part) => part !== null).map(toSafeText).join(", ");
  return [styled("bold", fitText(`jlgcli chat: ${settings}`, columns), color), ...wrapText("/help tells commands and keys.", columns).map((line) => styled("dim", line, color)), ""];
}
