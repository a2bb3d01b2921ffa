import { JlgcliError } from "../errors.js";

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export const SINCE_FORMS = "30m, 24h, 7d, 2w, today, or a date such as 2026-01-31";

/**
 * A time in the past, given as how long ago it is or as a date (local time, as `new Date` reads it).
 * @param flag what it is for, named in the error.
 * @throws JlgcliError `USAGE_INVALID`
 */
export function parseSince(text: string, flag: string, now: Date): Date {
  const time = findAgo(text, now) ?? findDay(text, now);
  if (time !== null && !Number.isNaN(time.getTime())) return time;
  throw new JlgcliError("USAGE_INVALID", `${flag}: ${JSON.stringify(text)} is no time: write ${SINCE_FORMS}`);
}

function findAgo(text: string, now: Date): Date | null {
  const match = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim());
  const unitMs = UNIT_MS[match?.[2] ?? ""];
  return match === null || unitMs === undefined ? null : new Date(now.getTime() - Number(match[1]) * unitMs);
}

function findDay(text: string, now: Date): Date | null {
  if (text === "today") return new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (/^\d{4}-\d{2}-\d{2}T/.test(text)) return new Date(text);
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number);
  const date = new Date(year ?? NaN, (month ?? NaN) - 1, day);
  // 2026-02-30 would silently be the second of March.
  return date.getMonth() + 1 === month && date.getDate() === day ? date : null;
}
