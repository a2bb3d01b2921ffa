import { CommandKind, type DialogId, type InteractiveResult, type SlashCommand } from "../types.js";
import { helpCommand } from "./help.js";
import { modelCommand } from "./model.js";
import { accessCommand, backendCommand } from "./setting.js";
import { usageCommand } from "./usage.js";

/**
 * What only a screen can do. A command that also works as text opens its dialog when it stands alone; with an argument
 * it does what its twin of the same name does elsewhere.
 */
export const INTERACTIVE_COMMANDS: readonly SlashCommand[] = [
  createDialogCommand("help", helpCommand),
  createDialogCommand("model", modelCommand),
  createDialogCommand("backend", backendCommand),
  createDialogCommand("access", accessCommand),
  createDialogCommand("usage", usageCommand),
  createScreenCommand({ name: "sessions", description: "List the conversations and go on with one" }, { type: "dialog", dialog: "sessions" }),
  createScreenCommand({ name: "clear", altNames: ["new"], description: "Begin a new conversation; this one is kept" }, { type: "clear" }),
  createScreenCommand({ name: "quit", altNames: ["exit"], description: "Leave" }, { type: "quit" }),
];

function createDialogCommand(dialog: DialogId, twin: SlashCommand): SlashCommand {
  return {
    ...twin,
    commandType: "local-jsx",
    supportedModes: ["interactive"],
    action: (context, args) => (args.trim() === "" ? { type: "dialog", dialog } : twin.action?.(context, args)),
  };
}

function createScreenCommand(fields: Pick<SlashCommand, "name" | "altNames" | "description">, result: InteractiveResult): SlashCommand {
  return { ...fields, kind: CommandKind.BUILT_IN, commandType: "local-jsx", supportedModes: ["interactive"], action: () => result };
}
