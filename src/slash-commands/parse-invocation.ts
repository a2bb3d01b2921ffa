import { isSlashCommand } from "./is-slash-command.js";
import { getEffectiveSupportedModes } from "./modes.js";
import type { ExecutionMode, SlashCommand } from "./types.js";

export interface ParsedInvocation {
  /** The word after the slash, in Unicode NFC. */
  readonly name: string;
  /** All that follows, verbatim: new lines and double blanks are kept, only blanks at both ends are not. */
  readonly args: string;
}

/** Splits `/name rest`. The rest keeps its new lines and double blanks. Null where the text is no command. */
export function parseInvocation(text: string): ParsedInvocation | null {
  if (!isSlashCommand(text)) return null;
  return splitFirstWord(text.trim().slice(1));
}

export interface ResolvedCommand {
  readonly command: SlashCommand;
  /** The names that were walked, joined with a blank: `memory add`. */
  readonly path: string;
  readonly args: string;
}

/**
 * Walks down the sub-commands as far as words name them in this mode: a name before an alias, case-sensitive.
 * What names no sub-command is an argument.
 */
export function resolveSubCommand(command: SlashCommand, args: string, mode: ExecutionMode, path = command.name): ResolvedCommand {
  const next = splitFirstWord(args);
  const subCommand = findSubCommand(command.subCommands ?? [], next.name, mode);
  if (subCommand === undefined) return { command, path, args };
  return resolveSubCommand(subCommand, next.args, mode, `${path} ${subCommand.name}`);
}

function findSubCommand(subCommands: readonly SlashCommand[], name: string, mode: ExecutionMode): SlashCommand | undefined {
  const here = subCommands.filter((subCommand) => getEffectiveSupportedModes(subCommand).includes(mode));
  return here.find((subCommand) => subCommand.name === name) ?? here.find((subCommand) => subCommand.altNames?.includes(name));
}

function splitFirstWord(text: string): ParsedInvocation {
  const name = /^\S*/u.exec(text)?.[0] ?? "";
  // lines between the name and the text are no part of it, the indentation of its first line is
  const args = text.slice(name.length).replace(/^(?:[^\S\n]*\n)+|^[^\S\n]+/u, "");
  return { name: name.normalize("NFC"), args: args.trimEnd() };
}
