import { printable } from "../printable.js";
import { scopeOf } from "./command-service.js";
import { getEffectiveSupportedModes } from "./modes.js";
import { COMMAND_SCOPES, type CommandScope, type SlashCommand } from "./types.js";

const SCOPE_TITLES: Readonly<Record<CommandScope, string>> = {
  builtin: "Built-in",
  project: "This project",
  user: "Yours",
  extension: "Extensions and plugins",
  bundled: "Skills that come with jlgcli",
  mcp: "MCP servers",
};

/** A list for people, in groups, a line each. */
export function describeCommandList(commands: readonly SlashCommand[], { withSource = false } = {}): string {
  if (commands.length === 0) return "There are no commands.";
  const width = Math.min(32, Math.max(...commands.map((command) => callOf(command).length)));
  const groups = COMMAND_SCOPES.map((scope) => ({ title: SCOPE_TITLES[scope], commands: inOrder(commands.filter((command) => scopeOf(command) === scope)) }));
  return groups
    .filter((group) => group.commands.length > 0)
    .map((group) => [group.title, ...group.commands.map((command) => `  ${callOf(command).padEnd(width)}  ${command.description}${withSource ? describeSource(command) : ""}`)].join("\n"))
    .join("\n\n");
}

/** All that a person may want to know of one command. */
export function describeCommand(command: SlashCommand): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Also called", listNames([...(command.altNames ?? []), ...(command.qualifiedNames ?? [])].filter((name) => name !== command.name))],
    ["Arguments", describeArguments(command)],
    ["When to use", command.whenToUse],
    ["Source", command.sourceLabel],
    ["File", command.template === undefined ? undefined : printable(command.template.filePath)],
    ["Written for", command.template?.dialect],
    ["Works in", getEffectiveSupportedModes(command).join(", ") || "no mode"],
    ["Tools it asks for", listWords(command.template?.allowedTools)],
    ["Tools it forbids", listWords(command.template?.disallowedTools)],
    ["Model it asks for", command.template?.model ?? undefined],
    ["Sub-commands", listNames(command.subCommands?.map((subCommand) => subCommand.name) ?? [], "")],
    ["Examples", command.examples?.join("; ")],
  ];
  const known = facts.flatMap(([title, value]) => (value === undefined || value === "" ? [] : [`${title}: ${value}`]));
  return [`${callOf(command)}: ${command.description}`, ...known].join("\n");
}

/** How a command is called: `/review [file]`. */
export function callOf({ name, argumentHint }: SlashCommand): string {
  return argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
}

function describeArguments(command: SlashCommand): string | undefined {
  const lines = command.arguments?.map(({ name, required, description }) => {
    return `--${name}${required ? " (required)" : ""}${description === null ? "" : `: ${description}`}`;
  });
  return lines === undefined || lines.length === 0 ? command.argumentHint : lines.join("; ");
}

function describeSource(command: SlashCommand): string {
  const place = printable(command.template?.filePath ?? "");
  return ` [${command.sourceLabel ?? "unknown"}${place === "" ? "" : `, ${place}`}]`;
}

function inOrder(commands: readonly SlashCommand[]): SlashCommand[] {
  return [...commands].sort((a, b) => (b.completionPriority ?? 0) - (a.completionPriority ?? 0) || (a.name < b.name ? -1 : 1));
}

function listNames(names: readonly string[], prefix = "/"): string {
  return names.map((name) => `${prefix}${name}`).join(", ");
}

function listWords(words: readonly string[] | null | undefined): string | undefined {
  return words === null || words === undefined ? undefined : printable(words.join(", "));
}
