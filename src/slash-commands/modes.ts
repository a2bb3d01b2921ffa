import { CommandKind, EXECUTION_MODES, type CommandType, type ExecutionMode, type SlashCommand } from "./types.js";

type ModeFields = Pick<SlashCommand, "kind" | "commandType" | "supportedModes">;

const MODES_OF_TYPE: Readonly<Record<CommandType, readonly ExecutionMode[]>> = {
  prompt: EXECUTION_MODES,
  // clarifications/010-command-modes.md tells why `local` is not for every mode
  local: ["interactive"],
  "local-jsx": ["interactive"],
};

const TYPE_OF_KIND: Readonly<Record<CommandKind, CommandType>> = {
  [CommandKind.BUILT_IN]: "local",
  [CommandKind.FILE]: "prompt",
  [CommandKind.SKILL]: "prompt",
  [CommandKind.MCP_PROMPT]: "prompt",
};

/**
 * The modes in which a command works: what it says itself, even nothing at all; else what its type, else what its kind
 * is made for. A kind that is not known here works only where a person sits in front of it.
 */
export function getEffectiveSupportedModes(command: ModeFields): readonly ExecutionMode[] {
  return command.supportedModes ?? MODES_OF_TYPE[getEffectiveCommandType(command)];
}

/** The type a command states; else `prompt` for files, skills and MCP prompts, and `local` for built-ins and unknown kinds. */
export function getEffectiveCommandType(command: ModeFields): CommandType {
  return command.commandType ?? TYPE_OF_KIND[command.kind] ?? "local";
}

/** The commands that work in a mode. Whether they are hidden is another question, and not asked here. */
export function filterCommandsForMode<T extends ModeFields>(commands: readonly T[], mode: ExecutionMode): T[] {
  return commands.filter((command) => getEffectiveSupportedModes(command).includes(mode));
}
