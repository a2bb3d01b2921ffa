import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { SlashCommand } from "../slash-commands/types.js";

/** The commands of a menu: those that a person may type, the more important before the others. */
export function toAvailableCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands
    .filter(({ hidden, userInvocable }) => hidden !== true && userInvocable !== false)
    .toSorted((a, b) => (b.completionPriority ?? 0) - (a.completionPriority ?? 0))
    .map(toAvailableCommand);
}

function toAvailableCommand({ name, description, argumentHint, sourceLabel }: SlashCommand): AvailableCommand {
  const source = sourceLabel === undefined ? {} : { _meta: { jlgcli: { source: sourceLabel } } };
  return { name, description, input: argumentHint === undefined ? null : { hint: argumentHint }, ...source };
}
