import { describeDurationProblem, parseDuration } from "./duration.js";

export const CALENDAR_WINDOWS = ["hour", "day", "week", "month"] as const;
export type CalendarWindow = (typeof CALENDAR_WINDOWS)[number];

export const WINDOW_FORMS = "hour, day, week or month of the calendar, or a duration such as 5h";

/** When the window began: the calendar's (local time, weeks from Monday), or so long ago. The window is known to be one. */
export function toWindowStart(window: string, now: Date): Date {
  const calendar = CALENDAR_WINDOWS.find((name) => name === window);
  return calendar === undefined ? new Date(now.getTime() - parseDuration(window)) : CALENDAR_STARTS[calendar](now);
}

/** What is wrong with a window, as the end of a sentence; null when nothing is. */
export function describeWindowProblem(window: string): string | null {
  if (CALENDAR_WINDOWS.some((name) => name === window)) return null;
  const isDuration = describeDurationProblem(window) === null && parseDuration(window) > 0;
  return isDuration ? null : `is no window: write ${WINDOW_FORMS}`;
}

const MONDAY = 1;
const DAYS_OF_WEEK = 7;

const CALENDAR_STARTS: Readonly<Record<CalendarWindow, (now: Date) => Date>> = {
  hour: (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours()),
  day: (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate()),
  week: (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() - MONDAY + DAYS_OF_WEEK) % DAYS_OF_WEEK)),
  month: (now) => new Date(now.getFullYear(), now.getMonth()),
};
