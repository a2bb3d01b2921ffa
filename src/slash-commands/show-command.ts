import { CommandFailure } from "./command-failure.js";
import type { SlashCommandConfig, SlashCommandSettings } from "./config.js";
import { getEffectiveCommandType, getEffectiveSupportedModes } from "./modes.js";
import { openCommands } from "./open-commands.js";
import { resolveSubCommand } from "./parse-invocation.js";
import { suggestNames } from "./suggest-names.js";
import { EXECUTION_MODES, type ExecutionMode, type SlashCommand } from "./types.js";

/** A command with the text it would send, for a person who wants to know before it runs. */
export interface ShownCommand {
  readonly command: SlashCommand;
  /** As the file has it; null where there is no file. */
  readonly rawText: string | null;
  /** The prompt; null for a command that gives none. Shell blocks stay as they are written. */
  readonly expandedText: string | null;
  /** Why there is no expanded text, for instance missing arguments. */
  readonly expansionProblem: string | null;
  readonly notices: readonly string[];
}

/** Looks a command up in any mode and expands it without running anything of it. Throws `CommandFailure` for an unknown name. */
export async function showCommand(name: string, args: string, config: SlashCommandConfig, settings: SlashCommandSettings, signal: AbortSignal): Promise<ShownCommand> {
  const commands = openCommands(config, settings, signal);
  try {
    const service = await commands.findService(name, "non_interactive");
    const found = EXECUTION_MODES.toReversed().map((mode) => ({ mode, lookup: service.find(name, mode) })).find(({ lookup }) => lookup.type === "found");
    if (found?.lookup.type !== "found") throw await describeUnknown(name, service.getCommands(), service.getProblems());
    const { command, args: rest } = resolveSubCommand(found.lookup.command, args, found.mode);
    const shown = { command, rawText: command.template?.text ?? null };
    return { ...shown, ...(await expand(command, { name, rest, mode: found.mode }, { config, settings: { ...settings, shellBlocks: "show" }, signal })) };
  } finally {
    await commands.settle();
  }
}

interface Surroundings {
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly signal: AbortSignal;
}

type Shown = Pick<ShownCommand, "expandedText" | "expansionProblem" | "notices">;

async function expand(command: SlashCommand, call: { name: string; rest: string; mode: ExecutionMode }, { config, settings, signal }: Surroundings): Promise<Shown> {
  // a command that acts is described, never run
  if (getEffectiveCommandType(command) !== "prompt" || command.action === undefined) return { expandedText: null, expansionProblem: null, notices: [] };
  const invocation = { raw: `/${call.name} ${call.rest}`.trim(), name: call.name, args: call.rest };
  try {
    const result = await command.action({ executionMode: call.mode, invocation, config, settings, abortSignal: signal, listCommands: () => Promise.resolve([]) }, call.rest);
    return result?.type === "submit_prompt" ? { expandedText: result.prompt, expansionProblem: null, notices: result.notices } : { expandedText: null, expansionProblem: null, notices: [] };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { expandedText: null, expansionProblem: error.message, notices: [] };
  }
}

type Problems = readonly { readonly commandName: string | null; readonly path: string; readonly reason: string }[];

async function describeUnknown(name: string, commands: readonly SlashCommand[], problems: Problems): Promise<CommandFailure> {
  const problem = problems.find((candidate) => candidate.commandName === name);
  if (problem !== undefined) return new CommandFailure("usage", `/${name} cannot be loaded: ${problem.path}: ${problem.reason}`);
  const usable = commands.filter((command) => getEffectiveSupportedModes(command).length > 0);
  const [suggestion] = await suggestNames(name, usable.map((command) => command.name));
  return new CommandFailure("usage", `there is no command /${name}`, suggestion === undefined ? "see `jlgcli commands`" : `did you mean /${suggestion}?`);
}
