import { describeCommandList } from "../describe-command.js";
import { CommandKind, EXECUTION_MODES, type SlashCommand } from "../types.js";

/** `/commands` lists the commands with their sources; `/commands WORD` only those that speak of the word. */
export const commandsCommand: SlashCommand = {
  name: "commands",
  description: "List the commands with the places they come from",
  argumentHint: "[word]",
  kind: CommandKind.BUILT_IN,
  commandType: "local",
  supportedModes: EXECUTION_MODES,
  examples: ["/commands", "/commands test"],
  action: async ({ listCommands }, args) => {
    const word = args.trim().toLowerCase();
    const commands = (await listCommands()).filter((command) => speaksOf(command, word));
    const content = commands.length === 0 ? `No command speaks of ${JSON.stringify(args.trim())}.` : describeCommandList(commands, { withSource: true });
    return { type: "message", messageType: "info", content };
  },
};

function speaksOf(command: SlashCommand, word: string): boolean {
  return [command.name, command.description, command.whenToUse ?? "", ...(command.altNames ?? [])].some((text) => text.toLowerCase().includes(word));
}
