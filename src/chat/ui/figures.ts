import type { Cost } from "../../events/schema.js";

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function describeDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${String(seconds)} s` : `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}

/** `950 tokens`, `12.3k tokens`; empty where it is not known. */
export function describeTokens(tokens: number | null): string {
  return tokens === null ? "" : `${shortenCount(tokens)} token${tokens === 1 ? "" : "s"}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function shortenCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** `0.0123 USD`; empty where it is not known. */
export function describeCost(cost: Cost | null): string {
  return cost === null ? "" : `${cost.amount.toFixed(cost.amount < 1 ? 4 : 2)} ${cost.currency}`;
}

/** When something happened, as a person would say it: `just now`, `5 min ago`, `3 h ago`, `2 days ago`, else the date. */
export function describeAge(isoTime: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(isoTime);
  if (Number.isNaN(ageMs)) return "";
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${String(minutes)} min ago`;
  if (minutes < 24 * 60) return `${String(Math.floor(minutes / 60))} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  return days < 14 ? `${String(days)} day${days === 1 ? "" : "s"} ago` : isoTime.slice(0, 10);
}
