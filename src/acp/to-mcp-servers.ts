import type { EnvVariable, HttpHeader, McpServer } from "@agentclientprotocol/sdk";
import type { McpServerConfig } from "../adapters/types.js";

/** The MCP servers that a client names for a session. Of two variables of one name the last one counts. */
export function toMcpServers(servers: readonly McpServer[]): readonly McpServerConfig[] {
  return servers.map((server) =>
    "type" in server
      ? { type: server.type, name: server.name, url: server.url, headers: toValues(server.headers) }
      : { type: "stdio", name: server.name, command: server.command, args: server.args, env: toValues(server.env) },
  );
}

function toValues(pairs: readonly (EnvVariable | HttpHeader)[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
