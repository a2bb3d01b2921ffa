import { JlgcliError } from "../errors.js";
import type { BackendRecord, DisallowToolsArgs } from "./record.js";

/** How the tools that a run forbids reach a backend. */
export interface DisallowDelivery {
  readonly args: readonly string[];
  /** Sentences about names that perhaps forbid nothing. */
  readonly doubts: readonly string[];
}

/**
 * Maps the tools that a run forbids through a backend's record. Pure. It can only narrow what the access level allows:
 * a name that would be read as an option of the backend's is refused.
 * @throws JlgcliError `BACKEND_OPTION_UNSUPPORTED` for a name that cannot be handed on, and where the backend has no way.
 */
export function toDisallowArgs(record: BackendRecord, tools: readonly string[]): DisallowDelivery {
  if (tools.length === 0) return { args: [], doubts: [] };
  const traits = record.options?.disallowTools;
  if (traits === undefined) throw refuse(record, `the forbidden tools ${tools.join(", ")}`, "it has no way to forbid single tools: forbid none, or choose another backend");
  for (const tool of tools) refuseBadName(record, tool);
  return {
    args: tools.flatMap((tool) => traits.args.map((arg) => arg.replaceAll("{value}", () => tool))),
    doubts: describeUnknown(record, traits, tools),
  };
}

function refuseBadName(record: BackendRecord, tool: string): void {
  if (tool.trim() !== "" && !tool.trimStart().startsWith("-") && !tool.includes("\0")) return;
  throw refuse(record, `the forbidden tool ${JSON.stringify(tool)}`, "give the name of a tool, which is not empty, does not begin with '-' and has no NUL character");
}

/** Backends take any name in silence: one with a slip of the pen would forbid nothing. */
function describeUnknown({ displayName }: BackendRecord, { known }: DisallowToolsArgs, tools: readonly string[]): readonly string[] {
  if (known === undefined) return [];
  const isKnown = new RegExp(known, "u");
  const unknown = tools.filter((tool) => !isKnown.test(tool));
  if (unknown.length === 0) return [];
  return [`${displayName} was told to forbid ${unknown.join(", ")}, but ${unknown.length === 1 ? "that is no name" : "those are no names"} of its tools that is known to have an effect: perhaps nothing is forbidden by it`];
}

function refuse({ displayName }: BackendRecord, what: string, hint: string): JlgcliError {
  return new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `${displayName} cannot honour ${what}`, { hint });
}
