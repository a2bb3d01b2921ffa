import type { ModelService } from "../config.js";
import { CommandKind, type CommandActionResult, type SlashCommand } from "../types.js";

/**
 * `/model` shows the model in force, `/model NAME` sets it, `/model default` leaves the choice to the backend again.
 * Plain text for callers without a screen; the interactive mode brings a dialog of the same name.
 */
export const modelCommand: SlashCommand = {
  name: "model",
  description: "Show or set the model",
  argumentHint: "[name | default]",
  kind: CommandKind.BUILT_IN,
  commandType: "local",
  supportedModes: ["non_interactive", "acp"],
  examples: ["/model", "/model gpt-5-codex", "/model default"],
  action: async ({ config }, args) => {
    const service = config.services?.model;
    if (service === undefined) return answer("error", "This caller does not know the model; `jlgcli config get model` does.");
    const wanted = args.trim();
    return wanted === "" ? answer("info", await describeModel(service)) : setModel(service, wanted);
  },
};

async function describeModel(service: ModelService): Promise<string> {
  const { backend, model, source } = await service.show();
  return model === null ? `${backend} chooses the model itself.` : `${model} on ${backend} (${source}).`;
}

async function setModel(service: ModelService, wanted: string): Promise<CommandActionResult> {
  if (/\s/u.test(wanted)) return answer("error", `${JSON.stringify(wanted)} is no model: a name has no blanks.`);
  if (service.set === undefined) return answer("error", "A model cannot be kept here; give it to the run with --model.");
  return answer("info", await service.set(wanted === "default" ? null : wanted));
}

function answer(messageType: "info" | "error", content: string): CommandActionResult {
  return { type: "message", messageType, content };
}
