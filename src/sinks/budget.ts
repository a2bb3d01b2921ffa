import { toWindowStart } from "../config/budget-window.js";
import { readUsageLedger } from "./read-usage-ledger.js";
import { createTotals } from "./summarise-usage.js";

/** What the runs of a window may use together before the next one is refused. */
export interface Budget {
  /** In the currency that the vendor tells; costs in different currencies are not added up. */
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly window: string;
}

/**
 * The sentence that refuses the next run; null where the budget is not used up. What is not known cannot count:
 * the sentence says how many runs that are.
 * @throws JlgcliError `OUTPUT_FAILED` for a ledger that cannot be read: then nobody knows whether there is something left.
 */
export async function findBudgetOverrun(file: string, budget: Budget, now: Date): Promise<string | null> {
  const since = toWindowStart(budget.window, now);
  const totals = createTotals();
  await readUsageLedger(file, (entry) => {
    if (Date.parse(entry.time) >= since.getTime()) totals.add(entry);
  });
  const { cost, tokens, runsWithoutCost, runsWithoutTokens } = totals.read();
  const { maxCost = Infinity, maxTokens = Infinity } = budget;
  const overspent = Object.entries(cost).find(([, amount]) => amount >= maxCost);
  if (overspent !== undefined) {
    const [currency, amount] = overspent;
    return describe(`${toMoney(amount)} of ${toMoney(maxCost)} ${currency}`, since, runsWithoutCost, "cost");
  }
  const spent = tokens.totalTokens ?? 0;
  return spent >= maxTokens ? describe(`${spent} of ${maxTokens} tokens`, since, runsWithoutTokens, "tokens") : null;
}

function describe(used: string, since: Date, unknownRuns: number, what: string): string {
  const unknown = unknownRuns === 0 ? "" : `, and ${unknownRuns} run(s) that do not tell their ${what}`;
  return `the budget is used up: ${used} since ${since.toISOString()}${unknown}`;
}

function toMoney(amount: number): string {
  return String(Number(amount.toFixed(4)));
}
