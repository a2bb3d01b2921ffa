/**
 * The interactive mode. One controller holds what is going on; the screen (Ink) and the plain line mode only show it and
 * pass on what is typed.
 */
import type { Conversation, ConversationHost } from "../conversation/types.js";
import type { PlanEntry, ToolKind, ToolStatus } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import type { DialogId, SlashCommand } from "../slash-commands/types.js";

/** One thing in the transcript, in the order in which they came. An item that is `done` never changes again. */
export type ChatItem = UserItem | AnswerItem | ThoughtItem | ToolItem | PlanItem | NoticeItem | EndItem;

interface ItemBase {
  /** Unique in the chat, growing. */
  readonly id: number;
  readonly done: boolean;
}

export interface UserItem extends ItemBase {
  readonly type: "user";
  readonly text: string;
}

/** Markdown. */
export interface AnswerItem extends ItemBase {
  readonly type: "answer";
  readonly text: string;
}

export interface ThoughtItem extends ItemBase {
  readonly type: "thought";
  readonly text: string;
}

export interface ToolItem extends ItemBase {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolStatus;
  readonly rawInput: unknown;
  /** What it gave back, as text. */
  readonly output: string;
}

export interface PlanItem extends ItemBase {
  readonly type: "plan";
  readonly entries: readonly PlanEntry[];
}

/** A sentence of ours: an answer of a command, a warning, a mistake. */
export interface NoticeItem extends ItemBase {
  readonly type: "notice";
  readonly level: "info" | "warning" | "error";
  readonly text: string;
}

/** The end of a turn. */
export interface EndItem extends ItemBase {
  readonly type: "end";
  readonly status: RunStatus;
  /** The sentence about a bad end with its hint; null for a success. */
  readonly problem: string | null;
  readonly durationMs: number;
  readonly totalTokens: number | null;
  readonly cost: { readonly amount: number; readonly currency: string } | null;
}

export interface ChatState {
  /** Replaced by `/clear` and by the choice of another conversation. */
  readonly conversation: Conversation;
  readonly items: readonly ChatItem[];
  /** What is going on: nothing, a slash command at work, or a turn, with the time it began at (`performance.now()`). */
  readonly activity: { readonly type: "idle" } | { readonly type: "command" | "turn"; readonly sinceMs: number; readonly cancelled: boolean };
  readonly dialog: DialogId | null;
  /** The person wants to leave. */
  readonly left: boolean;
}

/** Holds the state of a chat. Its methods never throw or reject: what goes wrong becomes a notice. */
export interface ChatController {
  state(): ChatState;
  /** Called after each change; gives the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Sends what was typed: a slash command or a prompt. Resolves when it is over. Ignored with a notice while another one is on its way. */
  submit(text: string): Promise<void>;
  /** Ends the command or the turn that is on its way. False where there is none. */
  cancel(): boolean;
  openDialog(dialog: DialogId): void;
  closeDialog(): void;
  /** Changes the backend, the model or the access level; a refusal becomes a notice. */
  change(settings: Parameters<Conversation["change"]>[0]): Promise<void>;
  /** Goes on with a kept conversation; its earlier turns come into the transcript. */
  resume(id: string): Promise<void>;
  /** Begins a new conversation with the same settings in the same directory. */
  clear(): Promise<void>;
  leave(): void;
  /** Commands for a menu; loaded once per conversation, and again after a change of its settings. */
  commands(): Promise<readonly SlashCommand[]>;
}

/** All that a view is given. */
export interface ChatProgram {
  readonly host: ConversationHost;
  readonly controller: ChatController;
  readonly history: InputHistory;
  /** Files of the conversation's directory, for completion: relative paths with `/` between their parts. Never rejects. */
  readonly listFiles: () => Promise<readonly string[]>;
  readonly env: Readonly<Record<string, string>>;
  readonly color: boolean;
  /** Plain sentences instead of boxes and spinners; nothing is drawn twice. */
  readonly screenReader: boolean;
  /** Aborted when the system ends us. */
  readonly signal: AbortSignal;
  /** Sent as soon as the view is there. */
  readonly firstPrompt: string | null;
}

/** What was typed before, oldest first; shared by all chats of the user. */
export interface InputHistory {
  entries(): readonly string[];
  add(text: string): void;
}

// --- the input line ---

/** A text with a cursor. Long pastes stand in it as one placeholder each, and come back when it is sent. */
export interface EditorState {
  readonly text: string;
  /** An offset in `text` (UTF-16), never within a grapheme or a placeholder. */
  readonly cursor: number;
  /** Placeholder to what was pasted. */
  readonly pastes: ReadonlyMap<string, string>;
}

export type EditorAction =
  | { readonly type: "insert" | "paste"; readonly text: string }
  | { readonly type: "replace"; readonly from: number; readonly to: number; readonly text: string }
  | { readonly type: "set"; readonly text: string }
  | { readonly type: EditorMove };

export type EditorMove =
  | "left" | "right" | "up" | "down" | "word-left" | "word-right" | "line-start" | "line-end"
  | "backspace" | "delete" | "delete-word" | "delete-to-line-start" | "delete-to-line-end" | "clear";

// --- completion ---

export interface Completion {
  /** What a menu shows. */
  readonly label: string;
  readonly hint: string;
  /** Heading of its group in a menu: the source of a command, or `Files`. */
  readonly group: string;
  /** Replaces the text of the editor from `from` to `to`. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
