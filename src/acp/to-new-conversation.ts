import type { NewConversation } from "../conversation/types.js";
import type { SessionRequest } from "./sessions.js";
import { toMcpServers } from "./to-mcp-servers.js";

/** What a conversation is asked for, from the request of a client. The one place where MCP servers of a client pass. */
export function toNewConversation({ cwd, mcpServers = [] }: SessionRequest): NewConversation {
  return { cwd, mcpServers: toMcpServers(mcpServers) };
}
