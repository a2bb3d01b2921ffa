import { describeError } from "../errors.js";
import { filterCommandsForMode, getEffectiveSupportedModes } from "./modes.js";
import {
  COMMAND_SCOPES,
  CommandKind,
  type CommandLoader,
  type CommandProblem,
  type CommandScope,
  type CommandShadowing,
  type ExecutionMode,
  type SlashCommand,
} from "./types.js";

export interface CommandServiceOptions {
  /** Names or aliases that are switched off, compared without regard to case. */
  readonly disabled?: Iterable<string>;
}

export type CommandLookup =
  | { readonly type: "found"; readonly command: SlashCommand }
  | { readonly type: "wrong-mode"; readonly command: SlashCommand; readonly supportedModes: readonly ExecutionMode[] }
  | { readonly type: "disabled"; readonly command: SlashCommand }
  | { readonly type: "not-found" };

/**
 * All commands of all loaders under names that are clear. A name belongs to the first of: built-in, project, user,
 * extension, bundled, MCP; the loser of a clash stays reachable under a prefix. Two commands whose modes have
 * nothing in common may share a name. clarifications/012-command-names.md has the rules and their reasons.
 */
export class CommandService {
  private constructor(
    private readonly commands: readonly SlashCommand[],
    private readonly disabledCommands: readonly SlashCommand[],
    private readonly shadowings: readonly CommandShadowing[],
    private readonly problems: readonly CommandProblem[],
  ) {}

  /** Runs the loaders at the same time. One that fails becomes a problem and hides nothing of the others. */
  static async create(loaders: readonly CommandLoader[], signal: AbortSignal, options: CommandServiceOptions = {}): Promise<CommandService> {
    const loads = await Promise.allSettled(loaders.map(async (loader) => loader.loadCommands(signal)));
    const loaded = loads.flatMap((load) => (load.status === "fulfilled" ? load.value : []));
    const problems = loads.flatMap((load, index) => problemsOf(loaders[index], load));
    const { commands, shadowings } = giveNames(loaded);
    const isDisabled = disabledTest(options.disabled ?? []);
    return new CommandService(
      Object.freeze(commands.filter((command) => !isDisabled(command))),
      commands.filter(isDisabled),
      shadowings,
      problems,
    );
  }

  /** Every command, hidden ones too, whatever its modes. */
  getCommands(): readonly SlashCommand[] {
    return this.commands;
  }

  /** What a person may be offered in a mode: visible, typeable, and working there. */
  getCommandsForMode(mode: ExecutionMode): readonly SlashCommand[] {
    return filterCommandsForMode(this.commands, mode).filter((command) => command.hidden !== true && command.userInvocable !== false);
  }

  /** What a model may be told of: visible and open to it. */
  getModelInvocableCommands(): readonly SlashCommand[] {
    return this.commands.filter((command) => command.hidden !== true && command.modelInvocable === true);
  }

  getShadowings(): readonly CommandShadowing[] {
    return this.shadowings;
  }

  getProblems(): readonly CommandProblem[] {
    return this.problems;
  }

  /** The command that a name stands for in a mode: its own name, an alias, or a prefixed name. Case-sensitive. */
  find(name: string, mode: ExecutionMode): CommandLookup {
    const wanted = name.normalize("NFC");
    const candidates = findByName(this.commands, wanted);
    const command = candidates.find((candidate) => getEffectiveSupportedModes(candidate).includes(mode));
    if (command !== undefined) return { type: "found", command };
    const [disabled] = findByName(this.disabledCommands, wanted);
    if (disabled !== undefined) return { type: "disabled", command: disabled };
    const [elsewhere] = candidates;
    if (elsewhere === undefined) return { type: "not-found" };
    const supportedModes = [...new Set(candidates.flatMap((candidate) => getEffectiveSupportedModes(candidate)))];
    return { type: "wrong-mode", command: elsewhere, supportedModes };
  }
}

/** Whose a command is: what it says, else told from its kind and source. */
export function scopeOf(command: SlashCommand): CommandScope {
  if (command.scope !== undefined) return command.scope;
  if (command.kind === CommandKind.BUILT_IN) return "builtin";
  if (command.kind === CommandKind.MCP_PROMPT) return "mcp";
  if (command.source === "bundled-skill") return "bundled";
  return command.source === "plugin-command" || command.extensionName !== undefined ? "extension" : "user";
}

const NAME_LOOKUPS: readonly ((command: SlashCommand, name: string) => boolean)[] = [
  (command, name) => command.name === name,
  (command, name) => command.altNames?.includes(name) ?? false,
  (command, name) => command.qualifiedNames?.includes(name) ?? false,
];

/** A name beats an alias, an alias beats a prefixed name. */
function findByName(commands: readonly SlashCommand[], name: string): readonly SlashCommand[] {
  for (const matches of NAME_LOOKUPS) {
    const found = commands.filter((command) => matches(command, name));
    if (found.length > 0) return found;
  }
  return [];
}

function problemsOf(loader: CommandLoader | undefined, load: PromiseSettledResult<unknown>): readonly CommandProblem[] {
  const own = loader?.problems?.() ?? [];
  if (load.status === "fulfilled") return own;
  const reason = `could not be loaded: ${describeError(load.reason)}`;
  return [...own, { severity: "error", path: loader?.label ?? "a loader", line: null, reason, commandName: null }];
}

function disabledTest(names: Iterable<string>): (command: SlashCommand) => boolean {
  const disabled = new Set([...names].map(toComparable));
  return (command) =>
    [command.name, ...(command.altNames ?? []), ...(command.qualifiedNames ?? [])].some((name) => disabled.has(toComparable(name)));
}

function toComparable(name: string): string {
  return name.replace(/^\//u, "").normalize("NFC").toLowerCase();
}

function giveNames(loaded: readonly SlashCommand[]): { commands: SlashCommand[]; shadowings: CommandShadowing[] } {
  const commands: SlashCommand[] = [];
  const shadowings: CommandShadowing[] = [];
  const holders = new Map<string, SlashCommand[]>();
  for (const command of sortByRank(loaded)) {
    const winner = findRival(holders, command, command.name);
    const named = winner === undefined ? command : { ...command, name: findFreeName(holders, command) };
    if (winner !== undefined) shadowings.push({ name: command.name, winner, loser: named, reachableAs: named.name });
    hold(holders, named.name, named);
    commands.push(named);
    holdReservedAliases(holders, named);
  }
  return { commands: commands.map((command) => dropTakenAliases(command, commands, shadowings)), shadowings };
}

function sortByRank(commands: readonly SlashCommand[]): SlashCommand[] {
  const rank = (command: SlashCommand): number => COMMAND_SCOPES.indexOf(scopeOf(command));
  return commands.map((command) => ({ ...command, name: command.name.normalize("NFC") })).sort((a, b) => rank(a) - rank(b));
}

function findRival(holders: ReadonlyMap<string, readonly SlashCommand[]>, command: SlashCommand, name: string): SlashCommand | undefined {
  return holders.get(name)?.find((holder) => sharesMode(holder, command));
}

function sharesMode(one: SlashCommand, other: SlashCommand): boolean {
  const modes = getEffectiveSupportedModes(other);
  return getEffectiveSupportedModes(one).some((mode) => modes.includes(mode));
}

function hold(holders: Map<string, SlashCommand[]>, name: string, command: SlashCommand): void {
  const held = holders.get(name);
  if (held === undefined) holders.set(name, [command]);
  else held.push(command);
}

/** The aliases of built-ins are reserved like their names; those of others give way to a name. */
function holdReservedAliases(holders: Map<string, SlashCommand[]>, command: SlashCommand): void {
  if (scopeOf(command) !== "builtin") return;
  for (const alias of command.altNames ?? []) hold(holders, alias, command);
}

function findFreeName(holders: ReadonlyMap<string, readonly SlashCommand[]>, command: SlashCommand): string {
  const prefixed = command.qualifiedNames?.length ? command.qualifiedNames : [`${prefixOf(command)}:${command.name}`];
  // a prefixed name of the winner goes on leading to the winner
  const ofWinners = new Set(holders.get(command.name)?.flatMap((holder) => holder.qualifiedNames ?? []));
  const isFree = (name: string): boolean => !ofWinners.has(name) && findRival(holders, command, name) === undefined;
  const free = prefixed.find(isFree);
  if (free !== undefined) return free;
  const base = prefixed.at(-1) ?? command.name;
  for (let number = 2; ; number += 1) {
    if (isFree(`${base}${String(number)}`)) return `${base}${String(number)}`;
  }
}

function prefixOf(command: SlashCommand): string {
  return command.extensionName ?? scopeOf(command);
}

function dropTakenAliases(command: SlashCommand, commands: readonly SlashCommand[], shadowings: CommandShadowing[]): SlashCommand {
  if (command.altNames === undefined) return command;
  const isTakenBy = (alias: string): SlashCommand | undefined =>
    commands.find((other) => other !== command && isHeldBy(alias, other, command, commands) && sharesMode(other, command));
  const kept = command.altNames.filter((alias) => {
    const winner = isTakenBy(alias);
    if (winner !== undefined) shadowings.push({ name: alias, winner, loser: command, reachableAs: command.name });
    return winner === undefined;
  });
  return { ...command, altNames: kept };
}

/** A name holds an alias always, an earlier command's alias holds it too. */
function isHeldBy(alias: string, other: SlashCommand, command: SlashCommand, commands: readonly SlashCommand[]): boolean {
  if (other.name === alias) return true;
  return other.altNames?.includes(alias) === true && commands.indexOf(other) < commands.indexOf(command);
}
