import { explainConfig } from "../config/loader.js";
import { DEFAULT_BACKEND, type Config } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import type { BackendLine, CommandServices, ModelService, UsageReading } from "../slash-commands/config.js";
import type { CommandIo } from "../command-io.js";

export interface SlashServiceRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  /** Nothing is changed. */
  readonly dryRun?: boolean;
}

/** What built-in slash commands ask the rest of the program; each loads its part when it is asked. */
export function createSlashServices(surroundings: SlashServiceRequest, backend: string, io: CommandIo): CommandServices {
  return {
    backends: () => listBackendLines(surroundings, backend),
    model: createModelService(surroundings, backend, io),
    usage: () => readUsage(surroundings.env),
  };
}

/** Every backend with its state. @param selected the one that would be asked. */
export async function listBackendLines(surroundings: SlashServiceRequest, selected: string): Promise<readonly BackendLine[]> {
  const { inspectBackends } = await import("./inspect-backends.js");
  const { backends } = await inspectBackends(surroundings);
  return backends.map(({ id, displayName, kind, status, nextStep }) => ({
    id,
    displayName: displayName ?? id,
    status,
    ...(nextStep === null ? {} : { nextStep }),
    isSelected: id === selected,
    ...(kind === "simulated" ? { simulated: true } : {}),
  }));
}

/** The ledger that `jlgcli usage` shows. */
async function readUsage(env: SlashServiceRequest["env"]): Promise<UsageReading> {
  const { summariseUsage } = await import("../sinks/summarise-usage.js");
  const { usageLedgerFile } = await import("../sinks/usage-ledger.js");
  const { total, groups } = await summariseUsage(usageLedgerFile(env), { since: null, by: "backend" });
  return {
    period: "all runs",
    runs: total.runs,
    usage: total.tokens,
    byBackend: groups.map(({ key, runs, tokens }) => ({ backend: key ?? "unknown", runs, usage: tokens })),
  };
}

/** A configured model belongs to the configured backend: another one never sees it. */
function createModelService({ cwd, env, config, dryRun }: SlashServiceRequest, backend: string, io: CommandIo): ModelService {
  const configuredBackend = config.backend ?? DEFAULT_BACKEND;
  return {
    show: async () => {
      if (backend !== configuredBackend) return { backend, model: null, source: "default" };
      const { entries } = await explainConfig({ cwd, env });
      const entry = entries.find(({ key }) => key === "model");
      return { backend, model: config.model ?? null, source: entry?.source ?? "default" };
    },
    set: async (model) => {
      if (backend !== configuredBackend) throw refuseForeignModel(backend, configuredBackend);
      if (dryRun === true) return `${describeModel(backend, model)} Nothing was written: this is a dry run.`;
      const { runConfigCommand } = await import("./config.js");
      // stdout is the answer's, and under --json one object
      const quietIo: CommandIo = { ...io, stdout: () => undefined };
      await runConfigCommand(model === null ? { action: "unset", key: "model" } : { action: "set", key: "model", value: model }, quietIo);
      return describeModel(backend, model);
    },
  };
}

function describeModel(backend: string, model: string | null): string {
  return model === null ? `${backend} chooses the model again.` : `The model of ${backend} is ${model} from now on.`;
}

function refuseForeignModel(backend: string, configuredBackend: string): JlgcliError {
  return new JlgcliError("USAGE_INVALID", `/model keeps the model of the configured backend, which is ${configuredBackend}, not ${backend}`, {
    hint: `give --model to the run, or make it the configured one with \`jlgcli config set backend ${backend}\``,
  });
}
