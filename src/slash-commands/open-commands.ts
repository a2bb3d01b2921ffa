import { CommandService } from "./command-service.js";
import type { SlashCommandConfig, SlashCommandSettings } from "./config.js";
import { BuiltinCommandLoader } from "./loaders/builtin.js";
import { BundledSkillLoader } from "./loaders/bundled-skill.js";
import { FileCommandLoader } from "./loaders/file.js";
import type { McpPromptLoader } from "./loaders/mcp-prompt.js";
import type { McpServers } from "./mcp/list-servers.js";
import type { CommandLoader, ExecutionMode, SlashCommand } from "./types.js";

/** The commands of one call. What costs something (MCP) is read only when it could matter. */
export interface OpenCommands {
  /** The commands among which a name is to be found. MCP servers are started only when nothing else has the name. */
  findService(name: string, mode: ExecutionMode): Promise<CommandService>;
  /** Every command; starts all MCP servers. */
  allService(): Promise<CommandService>;
  /** Keeps the MCP servers beyond `settle`, until the given function is called. */
  hold(): () => Promise<void>;
  /** Ends the MCP servers, unless they are held. */
  settle(): Promise<void>;
}

export function openCommands(config: SlashCommandConfig, settings: SlashCommandSettings, signal: AbortSignal): OpenCommands {
  const local = localLoaders(config).map(loadOnce);
  const disabled = settings.disabledCommands ?? [];
  const mcpLoaders: McpPromptLoader[] = [];
  let holders = 1;
  let servers: Promise<McpServers> | undefined;

  const serviceOf = (loaders: readonly CommandLoader[]): Promise<CommandService> => CommandService.create(loaders, signal, { disabled });
  const readServers = (): Promise<McpServers> => (servers ??= import("./mcp/list-servers.js").then(({ listMcpServers }) => listMcpServers(config, settings)));
  const withMcp = async (isWanted: (serverName: string) => boolean): Promise<CommandService> => {
    const { McpPromptLoader } = await import("./loaders/mcp-prompt.js");
    const loader = new McpPromptLoader({ servers: await readServers(), config, settings, isWanted });
    mcpLoaders.push(loader);
    return serviceOf([...local, loader]);
  };
  const release = async (): Promise<void> => {
    holders -= 1;
    if (holders === 0) await Promise.all(mcpLoaders.map((loader) => loader.close()));
  };

  return {
    async findService(name, mode) {
      const service = await serviceOf(local);
      const isKnown = service.find(name, mode).type !== "not-found" || service.getProblems().some((problem) => problem.commandName === name);
      if (isKnown) return service;
      const { servers: configured, problems } = await readServers();
      if (configured.length === 0 && problems.length === 0) return service;
      return withMcp((serverName) => couldBeOf(serverName, name, configured.map((server) => server.name)));
    },
    allService: async () => ((await readServers()).servers.length === 0 && (await readServers()).problems.length === 0 ? serviceOf(local) : withMcp(() => true)),
    hold() {
      holders += 1;
      return release;
    },
    settle: release,
  };
}

function localLoaders(config: SlashCommandConfig): CommandLoader[] {
  const { cwd, env, isTrusted, bundledSkillsDir } = config;
  return [new BuiltinCommandLoader(), new FileCommandLoader({ cwd, env, isTrusted }), new BundledSkillLoader(bundledSkillsDir)];
}

/** A plain name could be any server's; one with a server's prefix is that server's alone. */
function couldBeOf(serverName: string, name: string, serverNames: readonly string[]): boolean {
  const isPrefixed = (server: string): boolean => name.startsWith(`mcp:${server}:`) || name.startsWith(`mcp__${server}__`);
  return isPrefixed(serverName) || !serverNames.some(isPrefixed);
}

/** Two services of one call read the disk once. */
function loadOnce(loader: CommandLoader): CommandLoader {
  let loading: Promise<readonly SlashCommand[]> | undefined;
  return {
    ...(loader.label === undefined ? {} : { label: loader.label }),
    loadCommands: (signal) => (loading ??= loader.loadCommands(signal)),
    problems: () => loader.problems?.() ?? [],
  };
}
