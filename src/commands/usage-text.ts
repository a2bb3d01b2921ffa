import { printable } from "../printable.js";
import { toLocalDay, type KnownQuota, type UsageGroup, type UsageSummary, type UsageTotals } from "../sinks/summarise-usage.js";
import { toTable } from "./table.js";
import { tildePath } from "./tilde-path.js";

export interface UsageView {
  readonly since: Date | null;
  readonly by: UsageGroup;
  readonly home: string;
  /** A terminal gets a chart. */
  readonly isTty: boolean;
}

const UNKNOWN = "-";

/** The usage as people read it: a sentence, a table, what is missing from it, and the vendors' limits. */
export function toUsageText(summary: UsageSummary, view: UsageView): string {
  const lines = [
    describeTotal(summary.total, view),
    ...(summary.groups.length === 0 ? [] : ["", ...toGroupLines(summary, view)]),
    ...describeUnknown(summary.total),
    ...summary.quota.map(describeQuota),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function describeTotal(total: UsageTotals, { since }: UsageView): string {
  const when = since === null ? "" : ` since ${toLocalTime(since)}`;
  if (total.runs === 0) return `no runs${when}`;
  const cost = describeCost(total);
  const figures = [`${toCount(total.tokens.totalTokens)} tokens`, ...(cost === UNKNOWN ? [] : [cost])];
  return `${total.runs} run(s)${when}, ${total.succeeded} succeeded: ${figures.join(", ")}`;
}

function toGroupLines({ groups }: UsageSummary, { by, home, isTty }: UsageView): readonly string[] {
  const head = [by.toUpperCase(), "RUNS", "OK", "INPUT", "OUTPUT", "TOKENS", "COST", ...(isTty ? [""] : [])];
  const most = Math.max(0, ...groups.map(({ tokens }) => tokens.totalTokens ?? 0));
  const rows = groups.map((group) => [
    group.key === null ? "(unknown)" : tildePath(printable(group.key), home),
    String(group.runs),
    String(group.succeeded),
    toCount(group.tokens.inputTokens),
    toCount(group.tokens.outputTokens),
    toCount(group.tokens.totalTokens),
    describeCost(group),
    ...(isTty ? [toBar(group.tokens.totalTokens ?? 0, most)] : []),
  ]);
  return toTable(head, rows, null);
}

const BAR_CELLS = 20;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar whose full length is the largest figure. Something is never drawn as nothing. */
export function toBar(value: number, most: number): string {
  if (value <= 0 || most <= 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * BAR_CELLS * EIGHTHS.length));
  return "█".repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? "");
}

function describeUnknown({ runs, runsWithoutTokens, runsWithoutCost }: UsageTotals): readonly string[] {
  const tokens = runsWithoutTokens === 0 ? [] : [`${runsWithoutTokens} run(s) did not tell their tokens`];
  // Where no run tells its cost, the column says so.
  const cost = runsWithoutCost === 0 || runsWithoutCost === runs ? [] : [`${runsWithoutCost} run(s) did not tell their cost`];
  return [...tokens, ...cost];
}

function describeQuota({ backend, observedAt, windows }: KnownQuota): string {
  const limits = windows.map(({ name, utilization, resetsAt }) => {
    const reset = resetsAt === null || Number.isNaN(Date.parse(resetsAt)) ? "" : ` (resets ${toLocalTime(new Date(resetsAt))})`;
    return `${printable(name)} ${Math.round(utilization * 100)} %${reset}`;
  });
  return `limits of ${printable(backend)}, told ${toLocalTime(new Date(observedAt))}: ${limits.join(", ")}`;
}

function describeCost({ cost }: UsageTotals): string {
  const sums = Object.entries(cost).map(([currency, amount]) => `${amount.toFixed(4)} ${printable(currency)}`);
  return sums.length === 0 ? UNKNOWN : sums.join(" + ");
}

function toCount(count: number | null): string {
  return count === null ? UNKNOWN : count.toLocaleString("en-US");
}

function toLocalTime(time: Date): string {
  const clock = [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  return `${toLocalDay(time)} ${clock}`;
}
