import type { BackendLine } from "../config.js";
import { CommandKind, EXECUTION_MODES, type SlashCommand } from "../types.js";

/** `/backends` tells which backends are there, and what to do about those that are not. */
export const backendsCommand: SlashCommand = {
  name: "backends",
  description: "List the backends and whether they can be used",
  kind: CommandKind.BUILT_IN,
  commandType: "local",
  supportedModes: EXECUTION_MODES,
  action: async ({ config }) => {
    const list = config.services?.backends;
    if (list === undefined) return { type: "message", messageType: "error", content: "This caller cannot look at the backends; `jlgcli backends` can." };
    return { type: "message", messageType: "info", content: describeBackends(await list()) };
  },
};

function describeBackends(backends: readonly BackendLine[]): string {
  const width = Math.max(0, ...backends.map(({ id }) => id.length));
  const lines = backends.map(({ id, displayName, status, nextStep, isSelected }) => {
    const step = nextStep === undefined ? "" : `; ${nextStep}`;
    return `${isSelected ? "*" : " "} ${id.padEnd(width)}  ${displayName}: ${status}${step}`;
  });
  return lines.length === 0 ? "No backend is known." : lines.join("\n");
}
