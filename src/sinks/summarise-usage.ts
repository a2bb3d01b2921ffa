import type { QuotaWindow } from "../events/schema.js";
import { readUsageLedger } from "./read-usage-ledger.js";
import type { LedgerEntry } from "./usage-ledger.js";

export const USAGE_GROUPS = ["backend", "model", "day", "project"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const TOKEN_PARTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "totalTokens"] as const;
export type TokenPart = (typeof TOKEN_PARTS)[number];

/** What several runs have used. Sums are of what is known; null where nothing is. */
export interface UsageTotals {
  readonly runs: number;
  readonly succeeded: number;
  readonly tokens: Readonly<Record<TokenPart, number | null>>;
  /** One sum for each currency; empty where no run tells its cost. */
  readonly cost: Readonly<Record<string, number>>;
  /** Runs that do not tell their tokens or their cost, so that the sums lack them. */
  readonly runsWithoutTokens: number;
  readonly runsWithoutCost: number;
}

export interface UsageSummary {
  readonly total: UsageTotals;
  /** Sorted by the key for days, else by tokens, most first. Null is the key of runs whose model or project is not known. */
  readonly groups: readonly (UsageTotals & { readonly key: string | null })[];
  /** The last that each backend told, also before `since`. */
  readonly quota: readonly KnownQuota[];
  readonly brokenLines: number;
}

export interface KnownQuota {
  readonly backend: string;
  readonly observedAt: string;
  readonly windows: readonly QuotaWindow[];
}

export interface UsageQuestion {
  readonly since: Date | null;
  readonly by: UsageGroup;
}

/**
 * Adds up the runs of a ledger.
 * @throws JlgcliError `OUTPUT_FAILED` for a ledger that cannot be read.
 */
export async function summariseUsage(file: string, { since, by }: UsageQuestion): Promise<UsageSummary> {
  const total = createTotals();
  const groups = new Map<string | null, ReturnType<typeof createTotals>>();
  const quota = new Map<string, KnownQuota>();
  const { brokenLines } = await readUsageLedger(file, (entry) => {
    noteQuota(quota, entry);
    if (since !== null && Date.parse(entry.time) < since.getTime()) return;
    total.add(entry);
    const key = KEYS[by](entry);
    const group = groups.get(key) ?? createTotals();
    groups.set(key, group);
    group.add(entry);
  });
  const found = [...groups].map(([key, group]) => ({ key, ...group.read() }));
  return { total: total.read(), groups: found.sort(by === "day" ? byKey : byTokens), quota: [...quota.values()], brokenLines };
}

const KEYS: Readonly<Record<UsageGroup, (entry: LedgerEntry) => string | null>> = {
  backend: ({ backend }) => backend,
  model: ({ model }) => model,
  project: ({ project }) => project,
  day: ({ time }) => toLocalDay(new Date(time)),
};

/** `2026-11-30`, as the clock on the wall has it. */
export function toLocalDay(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${time.getFullYear()}-${month}-${day}`;
}

function noteQuota(known: Map<string, KnownQuota>, { backend, time, quota }: LedgerEntry): void {
  if (quota === null || quota.length === 0) return;
  const before = known.get(backend);
  if (before === undefined || Date.parse(before.observedAt) <= Date.parse(time)) known.set(backend, { backend, observedAt: time, windows: quota });
}

function byKey(a: { readonly key: string | null }, b: { readonly key: string | null }): number {
  return (a.key ?? "").localeCompare(b.key ?? "");
}

function byTokens(a: UsageTotals & { readonly key: string | null }, b: UsageTotals & { readonly key: string | null }): number {
  return (b.tokens.totalTokens ?? -1) - (a.tokens.totalTokens ?? -1) || b.runs - a.runs || byKey(a, b);
}

/** Adds entries up, one at a time. */
export function createTotals(): { readonly add: (entry: LedgerEntry) => void; readonly read: () => UsageTotals } {
  const counts = { runs: 0, succeeded: 0, runsWithoutTokens: 0, runsWithoutCost: 0 };
  const tokens = new Map<TokenPart, number>();
  const cost = new Map<string, number>();
  return {
    add({ status, usage, cost: spent }) {
      counts.runs += 1;
      if (status === "success") counts.succeeded += 1;
      if ((usage?.totalTokens ?? null) === null) counts.runsWithoutTokens += 1;
      for (const part of TOKEN_PARTS) {
        const count = usage?.[part] ?? null;
        if (count !== null) tokens.set(part, (tokens.get(part) ?? 0) + count);
      }
      if (spent === null) counts.runsWithoutCost += 1;
      else cost.set(spent.currency, (cost.get(spent.currency) ?? 0) + spent.amount);
    },
    read: () => ({
      ...counts,
      tokens: {
        inputTokens: tokens.get("inputTokens") ?? null,
        outputTokens: tokens.get("outputTokens") ?? null,
        cacheReadTokens: tokens.get("cacheReadTokens") ?? null,
        cacheWriteTokens: tokens.get("cacheWriteTokens") ?? null,
        reasoningTokens: tokens.get("reasoningTokens") ?? null,
        totalTokens: tokens.get("totalTokens") ?? null,
      },
      cost: Object.fromEntries(cost),
    }),
  };
}
