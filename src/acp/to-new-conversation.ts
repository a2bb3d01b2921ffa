import type { McpServer } from "@agentclientprotocol/sdk";
import type { NewConversation } from "../conversation/types.js";
import { toMcpServers } from "./to-mcp-servers.js";

/** What a request that opens a session says of it. */
export interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

/** What a conversation is asked for, from the request of a client. The one place where MCP servers of a client pass. */
export function toNewConversation({ cwd, mcpServers = [] }: SessionRequest): NewConversation {
  return { cwd, mcpServers: toMcpServers(mcpServers) };
}
