import type { DeniedTool, RunEvent, ToolKind } from "../events/schema.js";

/** Notes what the tools of one run did. */
export interface ToolWatch {
  note(event: RunEvent): void;
  /** True where a tool may have changed something: one that was refused has not. */
  acted(denied: readonly DeniedTool[] | null): boolean;
}

/** Tools that only look. A tool of any other kind, also one that we do not know, may change something. */
const LOOKING_KINDS: readonly ToolKind[] = ["read", "search", "think", "fetch", "switch_mode"];

export function createToolWatch(): ToolWatch {
  const acting = new Set<string>();
  return {
    note(event) {
      if (event.type === "tool_call" && !LOOKING_KINDS.includes(event.kind)) acting.add(event.toolCallId);
    },
    acted(denied) {
      const refused = new Set((denied ?? []).map((tool) => tool.toolCallId));
      return [...acting].some((id) => !refused.has(id));
    },
  };
}
