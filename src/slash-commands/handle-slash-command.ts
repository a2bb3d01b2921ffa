import { JlgcliError, describeError } from "../errors.js";
import { CommandFailure } from "./command-failure.js";
import type { CommandService } from "./command-service.js";
import { callOf } from "./describe-command.js";
import type { SlashCommandConfig, SlashCommandSettings } from "./config.js";
import { openCommands, type OpenCommands } from "./open-commands.js";
import { parseInvocation, resolveSubCommand, type ParsedInvocation, type ResolvedCommand } from "./parse-invocation.js";
import { suggestNames } from "./suggest-names.js";
import type { AnsweringCommand, CommandActionResult, CommandContext, ExecutionMode, SlashCommand, SlashCommandAnswer } from "./types.js";

/**
 * What becomes of a text that a person typed. A command is expanded or run here; nothing of it is left for a backend to
 * expand again. Never rejects and prints nothing: every end is one of the answers. The mode is the caller's own; what it
 * does not support is told, and never reaches a model as text. MCP servers that were started are ended before the answer
 * is given, except for a stream of messages: then at its end.
 */
export async function handleSlashCommand(
  rawQuery: string,
  abortController: AbortController,
  config: SlashCommandConfig,
  settings: SlashCommandSettings,
  mode: ExecutionMode,
): Promise<SlashCommandAnswer> {
  const parsed = parseInvocation(rawQuery);
  if (parsed === null) return { type: "no_command" };
  const call: Call = { rawQuery, parsed, config, settings, mode, signal: abortController.signal };
  const commands = openCommands(config, settings, abortController.signal);
  try {
    const answer = await answerCall(call, commands);
    return answer.type === "stream_messages" ? { ...answer, messages: closeAfter(answer.messages, commands) } : answer;
  } catch (error) {
    return toErrorAnswer(parsed.name, error, abortController.signal);
  } finally {
    await commands.settle();
  }
}

interface Call {
  readonly rawQuery: string;
  readonly parsed: ParsedInvocation;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly mode: ExecutionMode;
  readonly signal: AbortSignal;
}

async function answerCall(call: Call, commands: OpenCommands): Promise<SlashCommandAnswer> {
  const { parsed, mode } = call;
  const service = await commands.findService(parsed.name, mode);
  // what was interrupted while it loaded is not all there
  if (call.signal.aborted) throw new CommandFailure("interrupted", `/${parsed.name} was interrupted`);
  const lookup = service.find(parsed.name, mode);
  switch (lookup.type) {
    case "found":
      return runCommand(resolveSubCommand(lookup.command, parsed.args, mode), call, commands, service);
    case "disabled":
      return { type: "disabled", name: parsed.name, message: `/${parsed.name} is switched off by the configuration` };
    case "wrong-mode":
      return describeWrongMode(call, lookup.supportedModes);
    case "not-found":
      return describeUnknown(call, service);
    default:
      return lookup satisfies never;
  }
}

const MODE_WORDS: Readonly<Record<ExecutionMode, string>> = {
  interactive: "the interactive mode",
  non_interactive: "one-shot runs",
  acp: "editors (ACP)",
};

function describeWrongMode({ parsed, mode }: Call, supportedModes: readonly ExecutionMode[]): SlashCommandAnswer {
  const where = supportedModes.length === 0 ? "nowhere" : `only in ${supportedModes.map((supported) => MODE_WORDS[supported]).join(" and ")}`;
  return { type: "unsupported", name: parsed.name, mode, supportedModes, message: `/${parsed.name} works ${where}, not in ${MODE_WORDS[mode]}` };
}

async function describeUnknown({ parsed, mode }: Call, service: CommandService): Promise<SlashCommandAnswer> {
  const { name } = parsed;
  const problem = service.getProblems().find((candidate) => candidate.commandName === name && candidate.severity === "error");
  if (problem !== undefined) {
    const line = problem.line === null ? "" : `:${String(problem.line)}`;
    return { type: "error", name, status: "usage", message: `/${name} cannot be loaded: ${problem.path}${line}: ${problem.reason}`, hint: "correct the file; `jlgcli commands --problems` lists all of them" };
  }
  const failedServers = service.getProblems().filter((candidate) => candidate.mcpServer !== undefined);
  const [ofServer] = failedServers.filter(({ mcpServer = "" }) => name.startsWith(`mcp:${mcpServer}:`) || name.startsWith(`mcp__${mcpServer}__`));
  if (ofServer !== undefined) return { type: "error", name, status: "unavailable", message: `/${name}: ${ofServer.reason}` };
  const names = service.getCommandsForMode(mode).flatMap((command) => [command.name, ...(command.altNames ?? [])]);
  const suggestions = await suggestNames(name, names);
  const [best] = suggestions;
  const hint = best === undefined ? "see `jlgcli commands`; --literal sends the text as it is" : `did you mean /${best}? --literal sends the text as it is`;
  const unasked = failedServers.map(({ mcpServer = "" }) => mcpServer).join(", ");
  const doubt = unasked === "" ? "" : ` (the MCP servers that failed could have it: ${unasked})`;
  return { type: "unknown", name, suggestions, message: `there is no command /${shorten(name)}${doubt}`, hint };
}

/** What was typed may be a whole file that happens to begin with a slash. */
function shorten(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

async function runCommand(resolved: ResolvedCommand, call: Call, commands: OpenCommands, service: CommandService): Promise<SlashCommandAnswer> {
  const { command, path, args } = resolved;
  if (command.userInvocable === false) {
    throw new CommandFailure("usage", `/${path} is for the model alone (user-invocable is off in ${command.template?.filePath ?? "its source"})`);
  }
  if (command.action === undefined) throw await describeMissingSubCommand(resolved);
  const name = path === command.name ? call.parsed.name : path;
  const context: CommandContext = {
    executionMode: call.mode,
    invocation: { raw: call.rawQuery, name, args },
    config: call.config,
    settings: call.settings,
    abortSignal: call.signal,
    listCommands: async () => (await commands.allService()).getCommandsForMode(call.mode),
  };
  const result = await command.action(context, args);
  if (call.signal.aborted) throw new CommandFailure("interrupted", `/${path} was interrupted`);
  return toAnswer(result, { resolved, call, notices: describeShadowed(call.parsed.name, service) });
}

async function describeMissingSubCommand({ command, path, args }: ResolvedCommand): Promise<CommandFailure> {
  const names = command.subCommands?.map((subCommand) => subCommand.name) ?? [];
  const typed = args.split(/\s/u)[0] ?? "";
  const what = typed === "" ? `/${path} needs a sub-command` : `/${path} has no sub-command ${JSON.stringify(typed)}`;
  const [suggestion] = await suggestNames(typed, names);
  return new CommandFailure("usage", what, suggestion === undefined ? `one of: ${names.join(", ")}` : `did you mean /${path} ${suggestion}?`);
}

interface Answering {
  readonly resolved: ResolvedCommand;
  readonly call: Call;
  readonly notices: readonly string[];
}

function toAnswer(result: CommandActionResult | undefined, { resolved, call, notices }: Answering): SlashCommandAnswer {
  const command = toAnsweringCommand(resolved.command);
  switch (result?.type) {
    case undefined:
      return { type: "message", command, messageType: "info", content: `/${resolved.path} is done.` };
    case "submit_prompt":
      if (result.prompt.trim() === "") throw new CommandFailure("invalid-data", `/${resolved.path} expands to an empty prompt`, `call it as ${callOf(resolved.command)}`);
      return { ...result, command, notices: [...notices, ...result.notices] };
    case "message":
    case "stream_messages":
      return { ...result, command };
    case "dialog":
    case "clear":
    case "quit":
      if (call.mode === "interactive") return { ...result, command };
      return describeWrongMode({ ...call, parsed: { ...call.parsed, name: resolved.path } }, ["interactive"]);
    default:
      return result satisfies never;
  }
}

function toAnsweringCommand(command: SlashCommand): AnsweringCommand {
  return {
    name: command.name,
    kind: command.kind,
    source: command.source ?? null,
    sourceLabel: command.sourceLabel ?? null,
    dialect: command.template?.dialect ?? null,
    filePath: command.template?.filePath ?? null,
  };
}

/** A name that several commands want, and a file that would have had the name but is broken. */
function describeShadowed(name: string, service: CommandService): string[] {
  const shadowed = service.getShadowings().filter((shadowing) => shadowing.name === name && shadowing.loser.scope !== "bundled");
  const broken = service.getProblems().filter((problem) => problem.commandName === name && problem.severity === "error");
  return [
    ...shadowed.map(({ winner, loser, reachableAs }) => `/${name} is ${describePlace(winner)}; ${describePlace(loser)} is /${reachableAs}`),
    ...broken.map((problem) => `another /${name} cannot be loaded: ${problem.path}: ${problem.reason}`),
  ];
}

function describePlace(command: SlashCommand): string {
  return command.template?.filePath ?? `that of ${command.sourceLabel ?? command.kind}`;
}

function toErrorAnswer(name: string, error: unknown, signal: AbortSignal): SlashCommandAnswer {
  if (signal.aborted) return { type: "error", name, status: "interrupted", message: `/${name} was interrupted` };
  if (error instanceof CommandFailure || error instanceof JlgcliError) {
    return { type: "error", name, status: error.status, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
  return { type: "error", name, status: "internal", message: `/${name} failed: ${describeError(error)}` };
}

/** The servers stay as long as the messages come. */
function closeAfter<T>(messages: AsyncIterable<T>, commands: OpenCommands): AsyncIterable<T> {
  const release = commands.hold();
  return (async function* () {
    try {
      yield* messages;
    } finally {
      await release();
    }
  })();
}
