import { loadConfigWithSources } from "../config/loader.js";
import { JlgcliError } from "../errors.js";
import { exitCodeOf, SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { printable } from "../printable.js";
import { CommandFailure } from "../slash-commands/command-failure.js";
import type { CommandService } from "../slash-commands/command-service.js";
import { scopeOf } from "../slash-commands/command-service.js";
import type { SlashCommandConfig, SlashCommandSettings } from "../slash-commands/config.js";
import { describeCommand, describeCommandList } from "../slash-commands/describe-command.js";
import { describeForModel } from "../slash-commands/describe-for-model.js";
import { getEffectiveCommandType, getEffectiveSupportedModes } from "../slash-commands/modes.js";
import { openCommands } from "../slash-commands/open-commands.js";
import { showCommand, type ShownCommand } from "../slash-commands/show-command.js";
import { EXECUTION_MODES, type CommandProblem, type CommandShadowing, type ExecutionMode, type SlashCommand } from "../slash-commands/types.js";
import type { CommandIo } from "../command-io.js";
import { toSlashSurroundings } from "./slash-surroundings.js";

/** What `jlgcli commands …` is asked to do. */
export type CommandsArgs = ListArgs | ShowArgs;

export interface ListArgs {
  readonly action: "list";
  /** Absent: every command that can be typed in some mode. */
  readonly mode?: string;
  readonly json?: boolean;
  /** Files and servers that could not be loaded, and names that clash. */
  readonly problems?: boolean;
  readonly forModel?: boolean;
}

export interface ShowArgs {
  readonly action: "show";
  readonly name: string;
  /** What would be typed after the name; for the expanded text. */
  readonly args?: string;
  readonly json?: boolean;
}

/**
 * `jlgcli commands`: lists the slash commands, or shows one. Gives the exit code. Runs nothing of a command.
 * @throws JlgcliError `USAGE_INVALID` for an unknown mode or name, `CONFIG_INVALID` for a configuration that cannot be loaded.
 */
export async function runCommandsCommand(args: CommandsArgs, io: CommandIo): Promise<number> {
  const { config: loaded, warnings } = await loadConfigWithSources({ cwd: io.cwd, env: io.env });
  for (const warning of warnings) io.stderr(`jlgcli: ${warning.message}\n`);
  const { config, settings } = toSlashSurroundings({ cwd: io.cwd, env: io.env, config: loaded });
  const signal = io.signal ?? new AbortController().signal;
  if (args.action === "show") return show(args, { config, settings, signal }, io);
  return list(args, { config, settings, signal }, io);
}

interface Surroundings {
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly signal: AbortSignal;
}

async function list(args: ListArgs, { config, settings, signal }: Surroundings, io: CommandIo): Promise<number> {
  const mode = parseMode(args.mode);
  const commands = openCommands(config, settings, signal);
  try {
    const service = await commands.allService();
    if (signal.aborted) return exitCodeOf("interrupted", toSignalName(signal));
    io.stdout(`${toListing(args, mode, service)}\n`);
    const count = service.getProblems().length;
    if (count > 0 && args.problems !== true && args.json !== true) io.stderr(`jlgcli: ${String(count)} ${count === 1 ? "problem" : "problems"}, see \`jlgcli commands --problems\`\n`);
    return SUCCESS_EXIT_CODE;
  } finally {
    await commands.settle();
  }
}

function toListing(args: ListArgs, mode: ExecutionMode | null, service: CommandService): string {
  const commands = mode === null ? listTypeable(service) : service.getCommandsForMode(mode);
  if (args.forModel === true) return toModelListing(args, service.getModelInvocableCommands());
  if (args.json === true) return toJson({ commands: commands.map(toRecord), shadowings: service.getShadowings().map(toShadowingRecord), problems: service.getProblems() });
  if (args.problems === true) return describeProblems(service.getProblems(), service.getShadowings());
  return describeCommandList(withoutTwins(commands), { withSource: true });
}

/** A built-in that opens a dialog has a twin of the same name that answers with text: one line for a reader. */
function withoutTwins(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  return commands.filter((command, index) => commands.findIndex((other) => other.name === command.name && other.description === command.description) === index);
}

function toModelListing({ json }: ListArgs, commands: readonly SlashCommand[]): string {
  return json === true ? toJson({ commands: commands.map(toRecord) }) : describeForModel(commands);
}

function listTypeable(service: CommandService): readonly SlashCommand[] {
  const typeable = new Set(EXECUTION_MODES.flatMap((mode) => service.getCommandsForMode(mode)));
  return service.getCommands().filter((command) => typeable.has(command));
}

async function show({ name, args = "", json }: ShowArgs, { config, settings, signal }: Surroundings, io: CommandIo): Promise<number> {
  const shown = await showCommand(name.replace(/^\//u, ""), args, config, settings, signal).catch((error: unknown) => {
    throw error instanceof CommandFailure ? new JlgcliError("USAGE_INVALID", error.message, error.hint === undefined ? {} : { hint: error.hint }) : error;
  });
  const { rawText, expandedText, expansionProblem, notices } = shown;
  if (json === true) io.stdout(`${toJson({ command: toRecord(shown.command), rawText, expandedText, expansionProblem, notices })}\n`);
  else io.stdout(`${forReader(describeShown(shown), io)}\n`);
  return SUCCESS_EXIT_CODE;
}

function describeShown({ command, rawText, expandedText, expansionProblem, notices }: ShownCommand): string {
  const sections: readonly (readonly [string, string | null])[] = [
    ["Text", rawText],
    ["Expanded", expandedText ?? (expansionProblem === null ? null : `(not possible: ${expansionProblem})`)],
    ["Notices", notices.length === 0 ? null : notices.join("\n")],
  ];
  return [describeCommand(command), ...sections.flatMap(([title, text]) => (text === null ? [] : [`--- ${title} ---\n${text}`]))].join("\n\n");
}

/** A file of a stranger must not steer the reader's terminal. */
function forReader(text: string, io: CommandIo): string {
  return io.stdoutIsTty ? text.split("\n").map(printable).join("\n") : text;
}

function describeProblems(problems: readonly CommandProblem[], shadowings: readonly CommandShadowing[]): string {
  const lines = [
    ...problems.map(({ severity, path, line, reason }) => `${severity}: ${printable(path)}${line === null ? "" : `:${String(line)}`}: ${printable(reason)}`),
    ...shadowings.map(({ name, winner, loser, reachableAs }) => `shadowed: /${name} is ${describePlace(winner)}; ${describePlace(loser)} is /${reachableAs}`),
  ];
  return lines.length === 0 ? "No problems." : lines.join("\n");
}

function describePlace(command: SlashCommand): string {
  return printable(command.template?.filePath ?? command.sourceLabel ?? command.kind);
}

function parseMode(mode: string | undefined): ExecutionMode | null {
  if (mode === undefined) return null;
  const known = EXECUTION_MODES.find((candidate) => candidate === mode.replaceAll("-", "_"));
  if (known === undefined) throw new JlgcliError("USAGE_INVALID", `--mode: expected one of ${EXECUTION_MODES.join(", ")}, got ${JSON.stringify(mode)}`);
  return known;
}

/** One command in `--json`: what is not known is null. */
function toRecord(command: SlashCommand): Readonly<Record<string, unknown>> {
  const { template } = command;
  return {
    name: command.name,
    altNames: command.altNames ?? [],
    qualifiedNames: command.qualifiedNames ?? [],
    description: command.description,
    kind: command.kind,
    type: getEffectiveCommandType(command),
    source: command.source ?? null,
    sourceLabel: command.sourceLabel ?? null,
    scope: scopeOf(command),
    modes: getEffectiveSupportedModes(command),
    userInvocable: command.userInvocable !== false,
    modelInvocable: command.modelInvocable === true,
    argumentHint: command.argumentHint ?? null,
    arguments: command.arguments ?? null,
    whenToUse: command.whenToUse ?? null,
    file: template?.filePath ?? null,
    dialect: template?.dialect ?? null,
    trusted: template?.trusted ?? true,
    allowedTools: template?.allowedTools ?? null,
    disallowedTools: template?.disallowedTools ?? null,
    model: template?.model ?? null,
  };
}

function toShadowingRecord({ name, winner, loser, reachableAs }: CommandShadowing): Readonly<Record<string, unknown>> {
  return { name, winner: describePlace(winner), loser: describePlace(loser), reachableAs };
}

function toJson(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ schemaVersion: 1, ...value }, null, 2);
}

function toSignalName(signal: AbortSignal): string | undefined {
  return typeof signal.reason === "string" ? signal.reason : undefined;
}
