import type { SlashCommand } from "../types.js";
import { backendsCommand } from "./backends.js";
import { commandsCommand } from "./commands.js";
import { helpCommand } from "./help.js";
import { initCommand } from "./init.js";
import { INTERACTIVE_COMMANDS } from "./interactive.js";
import { modelCommand } from "./model.js";
import { accessCommand, backendCommand } from "./setting.js";
import { summaryCommand } from "./summary.js";
import { usageCommand } from "./usage.js";

/** Every built-in. Each says itself where it works: an interactive twin of one is an entry of its own. */
export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  helpCommand,
  commandsCommand,
  backendsCommand,
  modelCommand,
  backendCommand,
  accessCommand,
  usageCommand,
  initCommand,
  summaryCommand,
  ...INTERACTIVE_COMMANDS,
];
