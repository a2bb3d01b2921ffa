import { describeCommand, describeCommandList } from "../describe-command.js";
import { suggestNames } from "../suggest-names.js";
import { CommandKind, type CommandContext, type CommandActionResult, type SlashCommand } from "../types.js";

/** `/help` lists what can be typed here; `/help NAME` tells about one command. */
export const helpCommand: SlashCommand = {
  name: "help",
  altNames: ["?"],
  description: "List the commands that work here, or tell about one",
  argumentHint: "[command]",
  kind: CommandKind.BUILT_IN,
  commandType: "local",
  supportedModes: ["non_interactive", "acp"],
  examples: ["/help", "/help review"],
  action: showHelp,
};

async function showHelp({ listCommands }: CommandContext, args: string): Promise<CommandActionResult> {
  const commands = await listCommands();
  const name = args.trim().replace(/^\//u, "").normalize("NFC");
  if (name === "") return { type: "message", messageType: "info", content: describeCommandList(commands) };
  const command = commands.find((candidate) => isCalled(candidate, name));
  if (command !== undefined) return { type: "message", messageType: "info", content: describeCommand(command) };
  const [suggestion] = await suggestNames(name, commands.map((candidate) => candidate.name));
  const guess = suggestion === undefined ? "" : ` Did you mean /${suggestion}?`;
  return { type: "message", messageType: "error", content: `There is no command /${name} here.${guess}` };
}

function isCalled(command: SlashCommand, name: string): boolean {
  return [command.name, ...(command.altNames ?? []), ...(command.qualifiedNames ?? [])].includes(name);
}
