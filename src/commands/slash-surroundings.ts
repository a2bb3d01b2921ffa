import type { Config } from "../config/schema.js";
import { isTrusted } from "../config/trust.js";
import type { CommandServices, SlashCommandConfig, SlashCommandSettings } from "../slash-commands/config.js";

export interface SlashRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  /** `--allow-shell`. */
  readonly allowShell?: boolean;
  /** `--dry-run`: shell blocks stay as text. */
  readonly dryRun?: boolean;
  readonly services?: CommandServices;
}

/** What the slash-command system is given by the commands of the program. */
export function toSlashSurroundings(request: SlashRequest): { config: SlashCommandConfig; settings: SlashCommandSettings } {
  const { cwd, env, config, services } = request;
  return {
    config: {
      cwd,
      env,
      isTrusted: (folder) => isTrusted(folder, env),
      // execa is dear; most commands start nothing
      loadSpawner: async () => (await import("../process/spawner.js")).createProcessSpawner({ env }),
      ...(services === undefined ? {} : { services }),
    },
    settings: {
      shellBlocks: toShellBlocks(request),
      ...(config.disabledCommands === undefined ? {} : { disabledCommands: config.disabledCommands }),
      ...(config.mcpServers === undefined ? {} : { mcpServers: config.mcpServers }),
    },
  };
}

function toShellBlocks({ config, allowShell, dryRun }: SlashRequest): NonNullable<SlashCommandSettings["shellBlocks"]> {
  if (dryRun === true) return "show";
  return (allowShell ?? config.allowShell) === true ? "run" : "off";
}
