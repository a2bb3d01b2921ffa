import type { CommandServices, SettingService } from "../config.js";
import { CommandKind, type SlashCommand } from "../types.js";

/** `/backend` shows which backend answers; `/backend ID` goes on with another one. */
export const backendCommand = createSettingCommand({
  name: "backend",
  description: "Show or change the backend of this conversation",
  argumentHint: "[id]",
  examples: ["/backend", "/backend codex"],
  serviceOf: (services) => services.backend,
});

/** `/access` shows what the backend's tools may do; `/access LEVEL` changes it. */
export const accessCommand = createSettingCommand({
  name: "access",
  description: "Show or change what the backend's tools may do",
  argumentHint: "[read-only | workspace-write | full]",
  examples: ["/access", "/access workspace-write"],
  serviceOf: (services) => services.access,
});

interface SettingCommand extends Pick<SlashCommand, "name" | "description" | "argumentHint" | "examples"> {
  readonly serviceOf: (services: CommandServices) => SettingService | undefined;
}

/** A setting belongs to a conversation, so that one-shot runs have no such command. */
function createSettingCommand({ serviceOf, ...fields }: SettingCommand): SlashCommand {
  return {
    ...fields,
    kind: CommandKind.BUILT_IN,
    commandType: "local",
    supportedModes: ["acp"],
    action: async ({ config }, args) => {
      const service = config.services === undefined ? undefined : serviceOf(config.services);
      if (service === undefined) return { type: "message", messageType: "error", content: `This caller has no conversation, so /${fields.name} has nothing to change.` };
      const value = args.trim();
      return { type: "message", messageType: "info", content: value === "" ? await service.show() : await service.set(value) };
    },
  };
}
