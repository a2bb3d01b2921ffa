import type { RunEvent } from "../events/schema.js";
import type { StoredTool } from "./types.js";

/** So many tool calls of one turn are kept. */
const MAX_TOOLS = 1000;

/** The tool calls of a turn with how each ended, in the order in which they began. */
export interface ToolTally {
  note(event: RunEvent): void;
  list(): readonly StoredTool[];
}

export function createToolTally(): ToolTally {
  const tools = new Map<string, StoredTool>();
  return {
    note(event) {
      if (event.type === "tool_call" && tools.size < MAX_TOOLS) {
        const { toolCallId, title, kind, status } = event;
        tools.set(toolCallId, { toolCallId, title, kind, status });
      }
      const known = event.type === "tool_call_update" ? tools.get(event.toolCallId) : undefined;
      if (event.type === "tool_call_update" && known !== undefined) tools.set(event.toolCallId, { ...known, status: event.status });
    },
    list: () => [...tools.values()],
  };
}
