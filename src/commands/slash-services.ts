import { explainConfig } from "../config/loader.js";
import type { Config } from "../config/schema.js";
import type { CommandServices } from "../slash-commands/config.js";
import type { CommandIo } from "./io.js";

/** What built-in slash commands ask the rest of the program; each loads its part when it is asked. */
export function createSlashServices(
  surroundings: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly config: Config },
  backend: string,
  io: CommandIo,
): CommandServices {
  return {
    backends: async () => {
      const { inspectBackends } = await import("./inspect-backends.js");
      const { backends } = await inspectBackends(surroundings);
      return backends.map(({ id, displayName, status, nextStep }) => ({
        id,
        displayName: displayName ?? id,
        status,
        ...(nextStep === null ? {} : { nextStep }),
        isSelected: id === backend,
      }));
    },
    model: {
      show: async () => {
        const { entries } = await explainConfig(surroundings);
        const entry = entries.find(({ key }) => key === "model");
        return { backend, model: surroundings.config.model ?? null, source: entry?.source ?? "default" };
      },
      set: async (model) => {
        const { runConfigCommand } = await import("./config.js");
        await runConfigCommand(model === null ? { action: "unset", key: "model" } : { action: "set", key: "model", value: model }, io);
        return model === null ? `${backend} chooses the model again.` : `The model is ${model} from now on.`;
      },
    },
  };
}
