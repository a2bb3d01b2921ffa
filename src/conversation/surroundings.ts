import type { McpServerConfig } from "../adapters/types.js";
import type { UserBackendPlaces } from "../adapters/user-backends.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import type { CommandServices, SlashCommandConfig, SlashCommandSettings } from "../slash-commands/config.js";
import type { ConversationSettings } from "./types.js";

/** What conversations in one directory need from the program around them. */
export interface ConversationSurroundings {
  readonly cwd: string;
  /** What the caller wants each backend to use; empty: nothing. */
  readonly mcpServers: readonly McpServerConfig[];
  /** Where conversations are kept. */
  readonly folder: string;
  /** Where backends of the user's own are looked for. */
  readonly places: UserBackendPlaces;
  /** What the command line and the configuration say; a new conversation begins with it. */
  readonly settings: ConversationSettings;
  /** The model that is configured for a backend; null: the backend chooses. */
  readonly configuredModel: (backend: string) => string | null;
  /**
   * Runs one prompt, and leaves behind what every run does (ledger, budget). The options that all turns share are added
   * there. Every end is a value.
   * @param text what was typed.
   */
  readonly runTurn: (options: RunOptions, text: string) => Promise<RunResult>;
  readonly toSlash: (services: CommandServices) => { readonly config: SlashCommandConfig; readonly settings: SlashCommandSettings };
  readonly backends: NonNullable<CommandServices["backends"]>;
  readonly redactText: (text: string) => Promise<string>;
  /** The first line of a prompt, without secrets. */
  readonly toTitle: (prompt: string) => Promise<string>;
}
