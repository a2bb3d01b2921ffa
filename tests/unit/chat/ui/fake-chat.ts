import type { Conversation, ConversationHost, ConversationSettings, ConversationSummary } from "../../../../src/conversation/types.js";
import type { BackendCapabilities } from "../../../../src/adapters/capabilities.js";
import type { SlashCommand } from "../../../../src/slash-commands/types.js";
import type { ChatController, ChatItem, ChatProgram, ChatState } from "../../../../src/chat/types.js";
import type { BackendLine } from "../../../../src/slash-commands/config.js";

const CAPABILITIES: BackendCapabilities = {
  id: "codex",
  displayName: "Codex CLI",
  resumes: true,
  accessLevels: ["read-only", "workspace-write", "full"],
  defaultAccess: "read-only",
  takesModel: true,
  takesMcpServers: true,
  deniesTools: true,
  modelNames: ["gpt-5", "gpt-5-mini"],
  attachments: [],
};

export const COMMANDS: readonly SlashCommand[] = [
  { name: "help", description: "Show keys and commands", kind: "built-in", sourceLabel: "Built-in" },
  { name: "model", description: "Choose the model", kind: "built-in", sourceLabel: "Built-in" },
  { name: "review", description: "Review a change with care", argumentHint: "[file]", kind: "skill", sourceLabel: "Skill" },
];

export interface FakeChat {
  readonly program: ChatProgram;
  /** What the view has asked of the controller, in order. */
  readonly calls: readonly string[];
  readonly historyEntries: string[];
  set(change: Partial<ChatState>): void;
}

export interface FakeChatOptions {
  readonly items?: readonly ChatItem[];
  readonly history?: readonly string[];
  readonly sessions?: readonly ConversationSummary[];
  readonly backends?: readonly BackendLine[];
  readonly capabilities?: Partial<BackendCapabilities>;
  readonly program?: Partial<ChatProgram>;
}

/** A chat without a backend: it notes what it is asked, and shows what it is told. */
export function createFakeChat({ items = [], history = [], sessions = [], backends = [], capabilities = {}, program = {} }: FakeChatOptions = {}): FakeChat {
  const calls: string[] = [];
  const listeners = new Set<() => void>();
  let settings: ConversationSettings = { backend: "codex", model: "gpt-5", access: "read-only" };
  const refuse = (name: string) => (): never => {
    throw new Error(`${name} is not a view's business`);
  };
  const conversation: Conversation = {
    id: "conversation-1",
    cwd: "/home/me/project",
    title: () => null,
    settings: () => settings,
    change: refuse("change"),
    capabilities: async () => ({ ...CAPABILITIES, ...capabilities }),
    turns: () => [],
    usage: () => ({
      turns: 2,
      usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 1234 },
      cost: { amount: 0.0123, currency: "USD" },
    }),
    send: refuse("send"),
    expand: refuse("expand"),
    commands: refuse("commands"),
  };
  const host: ConversationHost = { create: refuse("create"), load: refuse("load"), list: () => sessions, forget: refuse("forget"), backends: async () => backends };
  let state: ChatState = { conversation, items, activity: { type: "idle" }, dialog: null, left: false };
  const set = (change: Partial<ChatState>): void => {
    state = { ...state, ...change };
    for (const listener of [...listeners]) listener();
  };
  const controller: ChatController = {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    submit: async (text) => void calls.push(`submit ${text}`),
    cancel() {
      calls.push("cancel");
      return state.activity.type !== "idle";
    },
    openDialog: (dialog) => set({ dialog }),
    closeDialog: () => set({ dialog: null }),
    async change(changed) {
      calls.push(`change ${JSON.stringify(changed)}`);
      settings = { ...settings, ...changed };
    },
    resume: async (id) => void calls.push(`resume ${id}`),
    clear: async () => void calls.push("clear"),
    leave() {
      calls.push("leave");
      set({ left: true });
    },
    commands: async () => COMMANDS,
  };
  const historyEntries = [...history];
  return {
    calls,
    historyEntries,
    set,
    program: {
      host,
      controller,
      history: { entries: () => historyEntries, add: (text) => void historyEntries.push(text) },
      listFiles: async () => ["src/cli.ts", "src/errors.ts", "README.md"],
      env: {},
      color: false,
      screenReader: false,
      signal: new AbortController().signal,
      firstPrompt: null,
      ...program,
    },
  };
}

/** Lets what was begun go on until `isDone`. */
export async function waitFor(isDone: () => boolean, what: string): Promise<void> {
  const limitMs = performance.now() + 10_000;
  while (!isDone()) {
    if (performance.now() > limitMs) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
