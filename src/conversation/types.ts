/**
 * A conversation: several turns on one backend, or on one after the other. It is the same thing in an editor and at the
 * keyboard; both only show it.
 */
import type { BackendCapabilities } from "../adapters/capabilities.js";
import type { McpServerConfig } from "../adapters/types.js";
import type { AccessLevel, Cost, RunEvent, RunResult, RunUsage, ToolKind, ToolStatus } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import type { BackendLine } from "../slash-commands/config.js";
import type { ExecutionMode, SlashCommand, SlashCommandAnswer } from "../slash-commands/types.js";

/** What a conversation asks its backend for. It may change between two turns. */
export interface ConversationSettings {
  readonly backend: string;
  /** Null: the backend chooses. */
  readonly model: string | null;
  /** Null: the backend's default, which is read-only where it has levels. */
  readonly access: AccessLevel | null;
}

/** One turn as it is kept: what was typed, and what became of it. Without secrets. */
export interface StoredTurn {
  readonly prompt: string;
  /** What the backend was asked, where a command or an editor has made it from the prompt: another backend is told this. */
  readonly asked?: string;
  /** The answer, or what there was of one; empty where there was none. */
  readonly answer: string;
  readonly status: RunStatus;
  /** The sentence about a bad end; null for a success. */
  readonly problem: string | null;
  readonly tools: readonly StoredTool[];
  readonly settings: ConversationSettings;
  /** The backend's own session, where it told one. */
  readonly sessionId: string | null;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
}

export interface StoredTool {
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolStatus;
}

/** A conversation as a list shows it. */
export interface ConversationSummary {
  readonly id: string;
  /** An absolute path. */
  readonly cwd: string;
  /** The first line of its first prompt, without secrets. */
  readonly title: string;
  /** When a turn was last added: ISO 8601, UTC. */
  readonly usedAt: string;
}

/** What one turn is asked to do. */
export interface TurnRequest {
  /** What the person typed: the text of the history. */
  readonly text: string;
  /** What the backend is asked, where a command has made it from the text. Absent: the text. */
  readonly prompt?: string;
  /** The model of this turn alone. */
  readonly model?: string;
  /** Tools that the backend must not use in this turn, in its own words. */
  readonly disallowedTools?: readonly string[];
  /** Absolute paths of files that go with it. */
  readonly attachments?: readonly string[];
  /** Its abort ends the turn, and the backend's processes with it. */
  readonly signal?: AbortSignal;
  /** Each event in order, the result last. An awaited promise holds the backend's output back. */
  readonly onEvent?: (event: RunEvent) => void | Promise<void>;
}

/** What all turns together have used. A sum is null as soon as a turn whose backend was asked does not tell. */
export interface ConversationUsage {
  readonly turns: number;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
}

export interface Conversation {
  readonly id: string;
  readonly cwd: string;
  /** The first line of the first prompt; null before. */
  title(): string | null;
  settings(): ConversationSettings;
  /**
   * Changes what the next turns ask for. Another backend takes the model along only where it is named too.
   * @throws JlgcliError `BACKEND_UNKNOWN`, `BACKEND_OPTION_UNSUPPORTED` for a level that the backend cannot enforce or a
   * model where it takes none; then nothing has changed.
   */
  change(settings: Partial<ConversationSettings>): Promise<void>;
  /** Of the backend of the next turn. @throws JlgcliError as `change` does */
  capabilities(): Promise<BackendCapabilities>;
  turns(): readonly StoredTurn[];
  usage(): ConversationUsage;
  /**
   * Runs one turn. Every end is a value, as with a run; the turn is kept whatever its end.
   * As with a run, what the result says beside an answer shows no credential.
   * The answer is the result's text: what came in chunks is a hint (`findUnstreamedText` tells what is missing).
   * @throws JlgcliError `USAGE_INVALID` while another turn is running.
   */
  send(request: TurnRequest): Promise<RunResult>;
  /** Runs or expands what may be a slash command. */
  expand(text: string, mode: ExecutionMode, signal?: AbortSignal): Promise<SlashCommandAnswer>;
  /** What a menu may offer in a mode; asks MCP servers. */
  commands(mode: ExecutionMode, signal?: AbortSignal): Promise<readonly SlashCommand[]>;
}

export interface NewConversation {
  /** An absolute path. */
  readonly cwd: string;
  /** On top of what the command line and the configuration say. */
  readonly settings?: Partial<ConversationSettings>;
  /** Handed to the backend with each turn, as far as it takes them. They are not kept. */
  readonly mcpServers?: readonly McpServerConfig[];
}

/** Where conversations come from. One for the whole program. */
export interface ConversationHost {
  /** Nothing is kept before the first turn. @throws JlgcliError `CONFIG_INVALID`, and as `Conversation.change` does */
  create(request: NewConversation): Promise<Conversation>;
  /** @throws JlgcliError `INPUT_NOT_FOUND` for an id that is not kept */
  load(id: string, options?: Pick<NewConversation, "mcpServers">): Promise<Conversation>;
  /** Those that are kept, the one that was used last first; of one directory where it is named. */
  list(cwd?: string): readonly ConversationSummary[];
  /** False where it was not kept. */
  forget(id: string): boolean;
  /** Every backend with its state, as seen from a directory. */
  backends(cwd: string): Promise<readonly BackendLine[]>;
}
