import type { ExecutorOutputTraits, Path, UsagePart } from "../adapters/traits.js";
import type { Cost, RunUsage } from "../events/schema.js";
import { compileOptional } from "./conditions.js";
import { compilePath, valuesAt, type JsonRecord, type PathCompiler } from "./paths.js";

export interface UsageMeter {
  /** Adds what a record tells; true when it told something. */
  add(record: JsonRecord): boolean;
  /** Marks every figure as void: a line was lost or output was cut, so a term may be missing. */
  voidAll(): void;
  /** The sum of `usagePaths`; undefined when none was told or the sum is void. */
  readonly total: number | undefined;
  readonly usage: RunUsage | null;
  readonly cost: Cost | null;
}

const USAGE_PARTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const satisfies readonly UsagePart[];

/**
 * Sums a vendor's own figures over all records that carry them. Fails closed: one unreadable term voids its whole
 * sum, since a partial bill is a wrong bill. Nothing is estimated, and what is not told is null, never 0.
 */
export function createUsageMeter(output: ExecutorOutputTraits, toPathReader: PathCompiler = compilePath): UsageMeter {
  const carriesUsage = compileOptional(output.usageWhen, toPathReader);
  const total = createSum(output.usagePaths ?? []);
  const parts = USAGE_PARTS.map((part) => ({ part, sum: createSum(pathList(output.usageParts?.[part])) }));
  const declaresUsage = output.usagePaths !== undefined || output.usageParts !== undefined;
  const carriesCost = compileOptional(output.costPath?.when, toPathReader);
  const cost = createSum(pathList(output.costPath?.path));
  const allSums = [total, cost, ...parts.map(({ sum }) => sum)];

  return {
    add(record) {
      if (output.costPath !== undefined && carriesCost(record)) cost.add(record);
      if (!declaresUsage || !carriesUsage(record)) return false;
      for (const sum of [total, ...parts.map((part) => part.sum)]) sum.add(record);
      return true;
    },
    voidAll() {
      for (const sum of allSums) sum.voidAll();
    },
    get total() {
      return total.value;
    },
    get usage() {
      if (allSums.every((sum) => sum === cost || sum.value === undefined)) return null;
      const byPart = Object.fromEntries(parts.map(({ part, sum }) => [part, sum.value ?? null]));
      return { ...EMPTY_USAGE, ...byPart, totalTokens: total.value ?? null };
    },
    get cost() {
      return cost.value === undefined || output.costPath === undefined
        ? null
        : { amount: cost.value, currency: output.costPath.currency };
    },
  };
}

/** The usage of which nothing is told. */
export const EMPTY_USAGE: RunUsage = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  totalTokens: null,
};

function pathList(path: Path | undefined): readonly Path[] {
  return path === undefined ? [] : [path];
}

/** A path that leads nowhere is an unreadable term. */
function valuesOrMissing(record: JsonRecord, path: Path): readonly unknown[] {
  const values = valuesAt(record, path);
  return values.length === 0 ? [undefined] : values;
}

interface Sum {
  add(record: JsonRecord): void;
  voidAll(): void;
  readonly value: number | undefined;
}

function createSum(paths: readonly Path[]): Sum {
  let sum: number | undefined;
  let isVoid = false;
  return {
    add(record) {
      for (const term of paths.flatMap((path) => valuesOrMissing(record, path))) {
        if (typeof term === "number" && Number.isFinite(term) && term >= 0) sum = (sum ?? 0) + term;
        else isVoid = true;
      }
    },
    voidAll() {
      isVoid = true;
    },
    get value() {
      return isVoid ? undefined : sum;
    },
  };
}
