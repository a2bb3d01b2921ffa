import type { SlashCommandConfig, SlashCommandSettings } from "./config.js";
import { openCommands } from "./open-commands.js";
import type { ExecutionMode, SlashCommand } from "./types.js";

/** What an editor or a menu may offer in a mode, MCP prompts included. Loaders that fail leave their commands out. */
export async function getAvailableCommands(
  config: SlashCommandConfig,
  signal: AbortSignal,
  mode: ExecutionMode = "acp",
  settings: SlashCommandSettings = {},
): Promise<readonly SlashCommand[]> {
  const commands = openCommands(config, settings, signal);
  try {
    return (await commands.allService()).getCommandsForMode(mode);
  } finally {
    await commands.settle();
  }
}
