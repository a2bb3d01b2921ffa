import type { Cost, RunUsage } from "../events/schema.js";

/** Tokens of several runs by part; a part that one of them does not tell is null. */
export function sumUsage(usages: readonly (RunUsage | null)[]): RunUsage | null {
  const known = usages.filter((usage) => usage !== null);
  if (known.length === 0 || known.length < usages.length) return null;
  return {
    inputTokens: sumPart(known, "inputTokens"),
    outputTokens: sumPart(known, "outputTokens"),
    cacheReadTokens: sumPart(known, "cacheReadTokens"),
    cacheWriteTokens: sumPart(known, "cacheWriteTokens"),
    reasoningTokens: sumPart(known, "reasoningTokens"),
    totalTokens: sumPart(known, "totalTokens"),
  };
}

/** Null where one tells none, or in another currency. */
export function sumCost(costs: readonly (Cost | null)[]): Cost | null {
  const known = costs.filter((cost) => cost !== null);
  const [first] = known;
  if (first === undefined || known.length < costs.length || known.some((cost) => cost.currency !== first.currency)) return null;
  return { amount: known.reduce((sum, cost) => sum + cost.amount, 0), currency: first.currency };
}

function sumPart(usages: readonly RunUsage[], part: keyof RunUsage): number | null {
  return usages.reduce<number | null>((sum, usage) => (sum === null || usage[part] === null ? null : sum + usage[part]), 0);
}
