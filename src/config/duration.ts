import { JlgcliError } from "../errors.js";

/** A length of time as people write it: `500ms`, `90s`, `5m`, `2h`; a bare number is seconds; `0` is off. */
export type Duration = string | number;

export const DURATION_FORMS = "500ms, 90s, 5m or 2h; a bare number is seconds, 0 is off";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DEFAULT_UNIT = "s";

/** Node takes at most 2^31 - 1 ms (24.8 days) for a timer, and fires a longer one at once. */
const MAX_DAYS = 24;
const MAX_MS = MAX_DAYS * 24 * 3_600_000;

/**
 * The milliseconds of a duration; 0 means off.
 * @param name what the duration is for, named in the error, for instance `--timeout`.
 * @throws JlgcliError `USAGE_INVALID` for anything that is no duration or is longer than 24 days.
 */
export function parseDuration(value: Duration, name?: string): number {
  const ms = toMilliseconds(value);
  const problem = describeProblem(ms);
  if (problem !== null) {
    const place = name === undefined ? "" : `${name}: `;
    throw new JlgcliError("USAGE_INVALID", `${place}${JSON.stringify(value)} ${problem}`);
  }
  return ms;
}

/** The milliseconds of a flag's duration; undefined where the flag was not given. @throws JlgcliError `USAGE_INVALID` */
export function parseDurationFlag(flag: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value, flag);
}

/** What is wrong with a duration, as the end of a sentence that begins with the value; null when nothing is. */
export function describeDurationProblem(value: Duration): string | null {
  return describeProblem(toMilliseconds(value));
}

function describeProblem(ms: number): string | null {
  if (Number.isNaN(ms)) return `is no duration: write ${DURATION_FORMS}`;
  if (ms > MAX_MS) return `is too long: at most ${MAX_DAYS} days (${MAX_DAYS * 24}h)`;
  return null;
}

/** NaN for what is no duration. */
function toMilliseconds(value: Duration): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(String(value).trim());
  const unitMs = UNIT_MS[match?.[2] ?? DEFAULT_UNIT];
  if (match === null || unitMs === undefined) return Number.NaN;
  const exactMs = Number(match[1]) * unitMs;
  // Less than a millisecond must not round to 0, which would mean "off".
  return exactMs === 0 ? 0 : Math.max(1, Math.round(exactMs));
}
