import type { QuotaWindow } from "../events/schema.js";
import type { RunResult } from "./types.js";

/** The first pause, in milliseconds; each further one is twice as long. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_BACKOFF_MS = 60_000;
/** Longer than this nobody waits, whatever the service says, in milliseconds. */
export const LONGEST_PAUSE_MS = 300_000;
/** A service that names a moment may let us in a little after it. */
const MARGIN_MS = 250;

/**
 * How long to wait before a backend is asked again, in milliseconds: until the moment that it named, else twice as
 * long as the time before, with a part left to chance so that many callers do not come at once.
 * Null where it named a moment that is too far away: asking before it is in vain.
 * @param retry how often it was asked again already, from 0.
 */
export function findPauseMs(result: Pick<RunResult, "text" | "details"> & Partial<Pick<RunResult, "quota">>, retry: number, chance: () => number = Math.random, now: number = Date.now()): number | null {
  const told = findToldPauseMs([result.text, result.details ?? ""].join("\n"), now) ?? findQuotaPauseMs(result.quota ?? [], now);
  if (told !== null) return told > LONGEST_PAUSE_MS ? null : told + MARGIN_MS;
  return Math.min(FIRST_PAUSE_MS * 2 ** retry, LONGEST_BACKOFF_MS) * (0.75 + chance() / 2);
}

/** Until every limit that is used up begins anew. */
function findQuotaPauseMs(windows: readonly QuotaWindow[], now: number): number | null {
  const resets = windows.flatMap(({ utilization, resetsAt }) => (utilization >= 1 && resetsAt !== null ? [Date.parse(resetsAt) - now] : []));
  return resets.length === 0 ? null : Math.max(0, ...resets);
}

/** The pause that a message names: `try again in 1.5s`, `Retry-After: 30`, `resets at 2026-11-30T12:00:00Z`, `limit reached|1755806400`. */
function findToldPauseMs(message: string, now: number): number | null {
  for (const { pattern, toMs } of WORDINGS) {
    const found = pattern.exec(message);
    const ms = found === null ? Number.NaN : toMs(found[1] ?? "", now);
    if (Number.isFinite(ms)) return Math.max(0, ms);
  }
  return null;
}

const SPAN = String.raw`((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])[\s,]*(?:and\s+)?)+)`;

const WORDINGS: readonly { readonly pattern: RegExp; readonly toMs: (text: string, now: number) => number }[] = [
  { pattern: new RegExp(String.raw`(?:again|retry|reset|resets|available)\s+(?:in|after)\s+(?:about\s+)?${SPAN}`, "i"), toMs: toSpanMs },
  { pattern: /retry[-_ ]after["']?\s*[:=]?\s*(\d+(?:\.\d+)?)/i, toMs: (text) => Number(text) * 1000 },
  { pattern: /(?:again|resets?|until|available)\s+(?:at\s+|on\s+)?(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/i, toMs: (text, now) => Date.parse(text) - now },
  { pattern: /limit reached\|(\d{10})\b/i, toMs: (text, now) => Number(text) * 1000 - now },
];

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1h 2m 3.5s` -> milliseconds */
function toSpanMs(span: string): number {
  return [...span.matchAll(/(\d+(?:\.\d+)?)\s*(milliseconds?|ms|[smhd])/gi)].reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (UNIT_MS[toUnit(unit)] ?? Number.NaN), 0);
}

function toUnit(word: string): string {
  return /^m(s|illi)/i.test(word) ? "ms" : word.charAt(0).toLowerCase();
}
