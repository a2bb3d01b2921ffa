import { BUILTIN_COMMANDS } from "../builtins/list.js";
import { CommandKind, type CommandLoader, type SlashCommand } from "../types.js";

/** The commands that are part of the program. A model is never told of them. */
export class BuiltinCommandLoader implements CommandLoader {
  readonly label = "built-in commands";

  constructor(private readonly commands: readonly SlashCommand[] = BUILTIN_COMMANDS) {}

  loadCommands(_signal: AbortSignal): Promise<readonly SlashCommand[]> {
    return Promise.resolve(this.commands.map(toBuiltin));
  }
}

function toBuiltin(command: SlashCommand): SlashCommand {
  return {
    ...command,
    kind: CommandKind.BUILT_IN,
    source: "builtin-command",
    sourceLabel: command.sourceLabel ?? "Built-in",
    scope: "builtin",
    modelInvocable: false,
  };
}
