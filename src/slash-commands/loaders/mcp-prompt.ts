import type { Prompt } from "@modelcontextprotocol/client";
import { describeError } from "../../errors.js";
import { CommandFailure } from "../command-failure.js";
import type { SlashCommandConfig, SlashCommandSettings } from "../config.js";
import { toOneLine } from "../front-matter-fields.js";
import { connectServer, type McpConnection } from "../mcp/connection.js";
import type { McpServers } from "../mcp/list-servers.js";
import { parsePromptArguments } from "../mcp/parse-prompt-arguments.js";
import { renderMessages } from "../mcp/render-messages.js";
import type { McpServer } from "../mcp/server.js";
import { CommandKind, type CommandArgument, type CommandContext, type CommandLoader, type CommandProblem, type SlashCommand, type SubmitPrompt } from "../types.js";

export interface McpPromptLoaderOptions {
  readonly servers: McpServers;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  /** Which servers to start. Absent: all. */
  readonly isWanted?: (serverName: string) => boolean;
}

/**
 * The prompts of MCP servers. Loading starts the wanted servers at the same time, each with its own deadline; one that
 * fails becomes a problem. They stay up for their prompts until `close`; a prompt that is called later starts its
 * server for that one call.
 */
export class McpPromptLoader implements CommandLoader {
  readonly label = "MCP servers";
  private readonly connections = new Map<string, Promise<McpConnection>>();
  private found: CommandProblem[] = [];
  private isClosed = false;

  constructor(private readonly options: McpPromptLoaderOptions) {}

  async loadCommands(signal: AbortSignal): Promise<readonly SlashCommand[]> {
    const { servers, isWanted = () => true } = this.options;
    this.found = [...servers.problems];
    const wanted = servers.servers.filter((server) => isWanted(server.name));
    const loads = await Promise.all(wanted.map((server) => this.loadServer(server, signal)));
    this.found.push(...loads.flatMap((load) => load.problem ?? []));
    return loads.flatMap((load) => load.commands);
  }

  problems(): readonly CommandProblem[] {
    return this.found;
  }

  /** Ends every server that was started. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled([...this.connections.values()].map(async (connection) => (await connection).close()));
    this.connections.clear();
  }

  private async loadServer(server: McpServer, signal: AbortSignal): Promise<ServerLoad> {
    try {
      const connection = await this.connect(server, signal);
      return { commands: (await connection.listPrompts()).map((prompt) => this.toCommand(server, prompt)), problem: null };
    } catch (error) {
      return { commands: [], problem: { severity: "error", path: server.origin, line: null, reason: describeError(error), commandName: null, mcpServer: toName(server.name) } };
    }
  }

  private connect(server: McpServer, signal: AbortSignal): Promise<McpConnection> {
    const { config, settings } = this.options;
    const connection = this.connections.get(server.name) ?? connectServer({ server, config, settings, signal });
    this.connections.set(server.name, connection);
    return connection;
  }

  private toCommand(server: McpServer, prompt: Prompt): SlashCommand {
    const args = (prompt.arguments ?? []).map(toArgument);
    const [name, serverName] = [toName(prompt.name), toName(server.name)];
    return {
      name,
      description: toOneLine(prompt.description ?? prompt.title ?? prompt.name),
      kind: CommandKind.MCP_PROMPT,
      source: "mcp-prompt",
      sourceLabel: `MCP: ${toOneLine(server.name)}`,
      scope: "mcp",
      commandType: "prompt",
      modelInvocable: true,
      qualifiedNames: [`mcp:${serverName}:${name}`, `mcp__${serverName}__${name}`],
      ...(args.length === 0 ? {} : { argumentHint: args.map(toHint).join(" "), arguments: args }),
      action: (context) => this.getPrompt(server, prompt, args, context),
    };
  }

  private async getPrompt(server: McpServer, prompt: Prompt, declared: readonly CommandArgument[], context: CommandContext): Promise<SubmitPrompt> {
    const label = `/${context.invocation.name}`;
    const values = await parsePromptArguments(context.invocation.args, declared, label);
    const connection = await this.connect(server, context.abortSignal);
    try {
      const { messages } = await connection.getPrompt(prompt.name, values);
      return { type: "submit_prompt", prompt: renderMessages(messages, label), allowedTools: null, disallowedTools: null, model: null, notices: [] };
    } catch (error) {
      throw error instanceof CommandFailure ? error : new CommandFailure("usage", `${label}: MCP server ${server.name} refuses: ${describeError(error)}`);
    } finally {
      if (this.isClosed) await this.close();
    }
  }
}

interface ServerLoad {
  readonly commands: readonly SlashCommand[];
  readonly problem: CommandProblem | null;
}

function toArgument({ name, description, required }: NonNullable<Prompt["arguments"]>[number]): CommandArgument {
  return { name, description: description === undefined ? null : toOneLine(description), required: required === true };
}

function toHint({ name, required }: CommandArgument): string {
  return required ? `--${name}=…` : `[--${name}=…]`;
}

function toName(text: string): string {
  return toOneLine(text).normalize("NFC").replace(/\s+/gu, "-").replace(/[/:]/gu, "_");
}
