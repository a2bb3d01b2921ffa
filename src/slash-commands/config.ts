/** What the slash-command system needs from outside. Everything that acts on the world is handed in. */
import type { ChildProcessSpawner } from "../adapters/traits.js";
import type { RunUsage } from "../events/schema.js";

export interface SlashCommandConfig {
  readonly cwd: string;
  /** The complete environment: folders of the user, variables for shell blocks and MCP servers. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the user has trusted a project's folder. Absent: no folder is. */
  readonly isTrusted?: (folder: string) => boolean | Promise<boolean>;
  /** Gives what runs shell blocks and MCP servers, when one is needed. Absent: both are refused with a reason. */
  readonly loadSpawner?: () => Promise<ChildProcessSpawner>;
  /** What built-ins ask the rest of the program. An absent one makes its command say so. */
  readonly services?: CommandServices;
  /** The folder of the skills that the package brings. Absent: found beside the program. */
  readonly bundledSkillsDir?: string;
  /** The system, for the choice of a shell. Absent: this one. */
  readonly platform?: NodeJS.Platform;
}

export interface CommandServices {
  readonly backends?: () => Promise<readonly BackendLine[]>;
  readonly model?: ModelService;
  readonly usage?: () => Promise<UsageReading>;
  /** The backend and the access level of a conversation; absent where there is none. */
  readonly backend?: SettingService;
  readonly access?: SettingService;
}

/** One setting of a conversation. Both resolve with the sentence that is shown. */
export interface SettingService {
  readonly show: () => Promise<string>;
  readonly set: (value: string) => Promise<string>;
}

export interface BackendLine {
  readonly id: string;
  readonly displayName: string;
  readonly status: string;
  /** What to do next: an install or a login command. */
  readonly nextStep?: string;
  readonly isSelected: boolean;
  /** It plays recordings and asks no model. Absent: false. */
  readonly simulated?: boolean;
}

export interface ModelService {
  /** The model in force and where it was chosen; `model` is null where the backend chooses. */
  readonly show: () => Promise<{ readonly backend: string; readonly model: string | null; readonly source: string }>;
  /** Absent where a model cannot be kept beyond one run. Resolves with the sentence that says what was done. */
  readonly set?: (model: string | null) => Promise<string>;
}

export interface UsageReading {
  /** What the figures cover, for instance "this session". */
  readonly period: string;
  readonly runs: number;
  readonly usage: RunUsage | null;
  readonly byBackend?: readonly { readonly backend: string; readonly runs: number; readonly usage: RunUsage | null }[];
}

export interface SlashCommandSettings {
  /** Names that answer "disabled", compared without regard to case. */
  readonly disabledCommands?: readonly string[];
  /** `run`: shell blocks run. `show`: they stay as text, for a dry run. `off` (default): a command that has one fails. */
  readonly shellBlocks?: "off" | "run" | "show";
  /** Milliseconds for one shell block. Default 30 s. */
  readonly shellTimeoutMs?: number;
  /** Bytes that one shell block may print. Default 1 MiB. */
  readonly shellOutputLimitBytes?: number;
  /** Bytes of one inserted file. Default 256 KiB. */
  readonly fileLimitBytes?: number;
  /** MCP servers of our own configuration, as in `.mcp.json`. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** False: the servers in other tools' files are left alone. Default true. */
  readonly foreignMcpServers?: boolean;
  /** Milliseconds until an MCP server must have answered. Default 10 s. */
  readonly mcpTimeoutMs?: number;
}

export const DEFAULT_SETTINGS = {
  shellBlocks: "off",
  shellTimeoutMs: 30_000,
  shellOutputLimitBytes: 1024 * 1024,
  fileLimitBytes: 256 * 1024,
  mcpTimeoutMs: 10_000,
} as const satisfies SlashCommandSettings;
