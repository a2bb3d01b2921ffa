import type { Conversation, ConversationHost, ConversationSettings, TurnRequest } from "../conversation/types.js";
import { describeError, JlgcliError } from "../errors.js";
import type { RunEvent } from "../events/schema.js";
import { pickDefined } from "../runner/resolve-run.js";
import type { LazyRedactor } from "../sinks/lazy-redactor.js";
import type { DialogId, SlashCommand, SlashCommandAnswer } from "../slash-commands/types.js";
import { redactEvent } from "./redact-event.js";
import { EMPTY_TRANSCRIPT, reduceItems, type Transcript, type TranscriptEvent } from "./transcript.js";
import type { ChatController, ChatState, NoticeItem } from "./types.js";

export interface ChatControllerOptions {
  readonly host: ConversationHost;
  readonly conversation: Conversation;
  /** Keeps credentials in tool calls and warnings off the screen. Absent: they are shown as they come. */
  readonly redactor?: LazyRedactor;
}

/** How long changes are gathered before the views are told, in milliseconds: no eye sees more than about 60 a second. */
const FRAME_MS = 16;

export interface OpenedChat extends ChatController {
  /** Shows a sentence of the program around the chat, which has no other place as long as a view has the terminal. */
  notify(level: NoticeItem["level"], text: string): void;
}

/** The controller of one chat. The earlier turns of the conversation stand in its transcript from the beginning. */
export function createChatController(options: ChatControllerOptions): OpenedChat {
  return new OpenChat(options);
}

type Activity = ChatState["activity"];

/** What runs at the moment: its end is asked for through the signal. */
interface Work {
  readonly type: "command" | "turn";
  readonly sinceMs: number;
  readonly abort: AbortController;
}

const IDLE: Activity = { type: "idle" };

class OpenChat implements OpenedChat {
  readonly #host: ConversationHost;
  readonly #redactor: LazyRedactor | undefined;
  readonly #listeners = new Set<() => void>();
  #conversation: Conversation;
  #transcript: Transcript;
  /** What has happened since the transcript was brought up to date. */
  #pending: TranscriptEvent[] = [];
  #work: Work | null = null;
  /** Choosing another conversation must not meet a turn, and a turn must not meet it. */
  #isSwitching = false;
  #dialog: DialogId | null = null;
  #left = false;
  #commands: Promise<readonly SlashCommand[]> | null = null;
  #state: ChatState | null = null;
  #isTelling = false;

  constructor({ host, conversation, redactor }: ChatControllerOptions) {
    this.#host = host;
    this.#redactor = redactor;
    this.#conversation = conversation;
    this.#transcript = addTurns(EMPTY_TRANSCRIPT, conversation);
  }

  // --- what views see ---

  state(): ChatState {
    return (this.#state ??= this.#describe());
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #describe(): ChatState {
    this.#transcript = mergeChunks(this.#pending).reduce(reduceItems, this.#transcript);
    this.#pending = [];
    const work = this.#work;
    return {
      conversation: this.#conversation,
      items: this.#transcript.items,
      activity: work === null ? IDLE : { type: work.type, sinceMs: work.sinceMs, cancelled: work.abort.signal.aborted },
      dialog: this.#dialog,
      left: this.#left,
    };
  }

  /** Notes what has happened. The views are told soon, once for all that happens until then. */
  #note(...events: readonly TranscriptEvent[]): void {
    this.#pending.push(...events);
    this.#state = null;
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      for (const listener of [...this.#listeners]) isolate(listener);
    }, FRAME_MS);
  }

  notify(level: NoticeItem["level"], text: string): void {
    this.#note({ type: "notice", level, text });
  }

  #fail(error: unknown): void {
    const hint = error instanceof JlgcliError ? error.hint : undefined;
    this.notify("error", withHint(describeError(error), hint));
  }

  // --- what is typed ---

  async submit(text: string): Promise<void> {
    if (text.trim() === "" || this.#left) return;
    if (this.#work !== null || this.#isSwitching) return this.notify("warning", "An answer is on its way: wait for its end, or cancel it. Nothing was sent.");
    this.#note({ type: "user", text });
    try {
      const prompt = text.trimStart().startsWith("/") ? await this.#runCommand(text) : { text };
      if (prompt !== null) await this.#runTurn(prompt);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Null: the text was answered here. */
  async #runCommand(text: string): Promise<TurnRequest | null> {
    const signal = this.#begin("command");
    try {
      const answer = await this.#conversation.expand(text, "interactive", signal);
      return await this.#take(text, answer);
    } finally {
      this.#end();
    }
  }

  async #take(text: string, answer: SlashCommandAnswer): Promise<TurnRequest | null> {
    switch (answer.type) {
      case "no_command":
        return { text };
      case "submit_prompt":
        for (const notice of answer.notices) this.notify("info", notice);
        return { text, prompt: answer.prompt, ...pickDefined({ model: answer.model ?? undefined, disallowedTools: answer.disallowedTools ?? undefined }) };
      case "message":
        this.notify(answer.messageType, answer.content);
        break;
      case "stream_messages":
        await this.#follow(answer.messages);
        break;
      case "unknown":
        this.notify("error", withHint(answer.message, toChatHint(answer.suggestions)));
        break;
      case "unsupported":
      case "disabled":
        this.notify("error", answer.message);
        break;
      case "error":
        this.notify(answer.status === "interrupted" ? "info" : "error", withHint(answer.message, answer.hint));
        break;
      case "dialog":
        this.openDialog(answer.dialog);
        break;
      case "clear":
        await this.#startAnew();
        break;
      case "quit":
        this.leave();
        break;
      default:
        return answer satisfies never;
    }
    return null;
  }

  async #follow(messages: Extract<SlashCommandAnswer, { type: "stream_messages" }>["messages"]): Promise<void> {
    const signal = this.#work?.abort.signal;
    for await (const { messageType, content } of messages) {
      this.notify(messageType, content);
      if (signal?.aborted === true) break;
    }
  }

  async #runTurn(request: TurnRequest): Promise<void> {
    const signal = this.#begin("turn");
    let isTold = false;
    try {
      const result = await this.#conversation.send({
        ...request,
        signal,
        onEvent: async (event) => {
          isTold ||= event.type === "result";
          this.#note(await redactEvent(event, this.#redactor));
        },
      });
      if (!isTold) this.#note({ type: "result", ...result });
    } finally {
      this.#end();
    }
  }

  #begin(type: Work["type"]): AbortSignal {
    const abort = new AbortController();
    this.#work = { type, sinceMs: performance.now(), abort };
    this.#note();
    return abort.signal;
  }

  #end(): void {
    this.#work = null;
    this.#note();
  }

  cancel(): boolean {
    if (this.#work === null) return false;
    this.#work.abort.abort("cancelled by the user");
    this.#note();
    return true;
  }

  // --- dialogs and settings ---

  openDialog(dialog: DialogId): void {
    this.#dialog = dialog;
    this.#note();
  }

  closeDialog(): void {
    this.#dialog = null;
    this.#note();
  }

  async change(settings: Partial<ConversationSettings>): Promise<void> {
    try {
      await this.#conversation.change(settings);
      this.#commands = null;
      this.notify("info", `From the next turn on: ${describeSettings(this.#conversation.settings())}.`);
    } catch (error) {
      this.#fail(error);
    }
  }

  // --- other conversations ---

  async resume(id: string): Promise<void> {
    await this.#switch(async () => {
      if (id === this.#conversation.id) return this.notify("info", "This is the conversation that goes on here.");
      const conversation = await this.#host.load(id);
      this.#replace(conversation);
      this.notify("info", `This conversation goes on: ${conversation.title() ?? conversation.id} (${describeSettings(conversation.settings())}).`);
    });
  }

  async clear(): Promise<void> {
    await this.#switch(() => this.#startAnew());
  }

  async #startAnew(): Promise<void> {
    const isKept = this.#conversation.turns().length > 0;
    const { cwd } = this.#conversation;
    this.#replace(await this.#host.create({ cwd, settings: this.#conversation.settings() }));
    this.notify("info", isKept ? "A new conversation begins. The earlier one is kept: /sessions lists it." : "A new conversation begins.");
  }

  async #switch(change: () => Promise<void>): Promise<void> {
    if (this.#work !== null || this.#isSwitching) return this.notify("warning", "An answer is on its way: wait for its end, or cancel it.");
    this.#isSwitching = true;
    try {
      await change();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isSwitching = false;
    }
  }

  #replace(conversation: Conversation): void {
    this.#conversation = conversation;
    this.#commands = null;
    this.#note({ type: "cleared" }, ...conversation.turns().map((turn): TranscriptEvent => ({ type: "stored_turn", turn })));
  }

  leave(): void {
    this.cancel();
    this.#left = true;
    this.#note();
  }

  /** A list that could not be made is told, and tried again the next time. */
  commands(): Promise<readonly SlashCommand[]> {
    const loading = (this.#commands ??= this.#conversation.commands("interactive"));
    return loading.catch((error: unknown) => {
      if (this.#commands === loading) this.#commands = null;
      this.#fail(error);
      return [];
    });
  }
}

function addTurns(transcript: Transcript, conversation: Conversation): Transcript {
  return conversation.turns().map((turn): TranscriptEvent => ({ type: "stored_turn", turn })).reduce(reduceItems, transcript);
}

/** Pieces of one message that follow each other are one piece: ten thousand of them cost one change. */
function mergeChunks(events: readonly TranscriptEvent[]): readonly TranscriptEvent[] {
  const merged: TranscriptEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (isChunk(event) && last !== undefined && isChunk(last) && last.type === event.type && last.messageId === event.messageId) {
      merged[merged.length - 1] = { ...last, content: { type: "text", text: last.content.text + event.content.text } };
    } else merged.push(event);
  }
  return merged;
}

type ChunkEvent = Extract<RunEvent, { type: "agent_message_chunk" | "agent_thought_chunk" }>;

function isChunk(event: TranscriptEvent): event is ChunkEvent {
  return event.type === "agent_message_chunk" || event.type === "agent_thought_chunk";
}

/** `codex, model gpt-5.4, access read-only`. */
export function describeSettings({ backend, model, access }: ConversationSettings): string {
  return [backend, model === null ? null : `model ${model}`, access === null ? null : `access ${access}`].filter((part) => part !== null).join(", ");
}

function toChatHint([best]: readonly string[]): string {
  return best === undefined ? "/help lists those that are there" : `did you mean /${best}?`;
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}\n${hint}`;
}

/** A view's fault must not stop the chat, nor be lost: it is told where nothing of ours catches it. */
function isolate(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
