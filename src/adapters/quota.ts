import type { QuotaWindow } from "../events/schema.js";
import type { UsageWindow } from "./traits.js";

/** A time above this is in milliseconds, below it in seconds: as seconds it would lie in the year 5138. */
const HIGHEST_SECONDS = 1e11;

/** A vendor's quota windows in the form of a result; null where none was told. */
export function toQuota(windows: readonly UsageWindow[] | undefined): readonly QuotaWindow[] | null {
  return windows?.map(({ name, utilization, resetsAt }) => ({ name, utilization, resetsAt: toTime(resetsAt) })) ?? null;
}

/** Vendors count from 1970 in seconds or in milliseconds. */
function toTime(epoch: number): string | null {
  const time = new Date(epoch < HIGHEST_SECONDS ? epoch * 1000 : epoch);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
