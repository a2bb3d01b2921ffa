import type { NewConversation } from "../conversation/types.js";
import type { SessionRequest } from "./sessions.js";

/** What a conversation is asked for, from the request of a client. The one place where MCP servers of a client pass. */
export function toNewConversation({ cwd }: SessionRequest): NewConversation {
  return { cwd };
}
