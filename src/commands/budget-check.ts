import { tryGetAdapterById } from "../adapters/registry.js";
import { describeWindowProblem } from "../config/budget-window.js";
import { CONFIG_KEYS, DEFAULT_BACKEND, type Config } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import { pickDefined, toEnd } from "../runner/resolve-run.js";
import { toEndedResult } from "../runner/run.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { findBudgetOverrun, type Budget } from "../sinks/budget.js";
import { usageLedgerFile } from "../sinks/usage-ledger.js";

/** The flags of a budget, as commander gives them. */
export interface BudgetFlags {
  readonly maxCost?: string;
  readonly maxTokens?: string;
  readonly budgetWindow?: string;
}

/**
 * The result of a run that its budget refuses before anything is spawned; null where it may begin.
 * @throws JlgcliError `USAGE_INVALID` for a limit that is none, `BACKEND_OPTION_UNSUPPORTED` for a cost limit on a
 * backend that does not tell its cost, `OUTPUT_FAILED` for a ledger that cannot be read.
 */
export async function findBudgetEnd(flags: BudgetFlags, config: Config, options: RunOptions): Promise<RunResult | null> {
  const budget = toBudget(flags, config);
  if (config.ledger === false) {
    throw new JlgcliError("USAGE_INVALID", "a budget needs the usage ledger, which is switched off", { hint: "set ledger to true, or take the limit away" });
  }
  const backend = options.backend ?? config.backend ?? DEFAULT_BACKEND;
  const simulated = await checkBackends(backend.split(","), budget, config, options);
  if (simulated) return null;
  const env = options.env ?? {};
  const overrun = await findBudgetOverrun(usageLedgerFile(env), budget, new Date());
  if (overrun === null) return null;
  return toEndedResult(toEnd("rate-limited", overrun, "`jlgcli usage` shows what has used it"), { backend, ...pickDefined({ cwd: options.cwd }) });
}

function toBudget(flags: BudgetFlags, config: Config): Budget {
  const window = flags.budgetWindow ?? config.budgetWindow ?? CONFIG_KEYS.budgetWindow.default ?? "day";
  const problem = describeWindowProblem(window);
  if (problem !== null) throw new JlgcliError("USAGE_INVALID", `--budget-window: ${JSON.stringify(window)} ${problem}`);
  const limits = { maxCost: parseLimit("--max-cost", flags.maxCost) ?? config.maxCost, maxTokens: parseLimit("--max-tokens", flags.maxTokens) ?? config.maxTokens };
  return { window, ...pickDefined(limits) };
}

function parseLimit(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (limit > 0) return limit;
  throw new JlgcliError("USAGE_INVALID", `${flag}: expected a number above 0, got ${JSON.stringify(text)}`);
}

/** True where all are simulated: a recording uses nothing. An unknown one is told when the run begins. */
async function checkBackends(ids: readonly string[], { maxCost }: Budget, config: Config, options: RunOptions): Promise<boolean> {
  const adapters = ids.flatMap((id) => tryGetAdapterById(id.trim(), { ...pickDefined({ records: config.backends, env: options.env }) }) ?? []);
  const real = adapters.filter((adapter) => adapter.simulated !== true);
  for (const adapter of maxCost === undefined ? [] : real) {
    if ((await adapter.tellsCost?.()) !== false) continue;
    throw new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `the backend '${adapter.id}' does not tell what a run costs, so a cost limit cannot be honoured`, {
      hint: "limit the tokens instead: --max-tokens",
    });
  }
  return adapters.length > 0 && real.length === 0;
}
