import type { UsageWindow, UsageWindowTraits } from "../adapters/traits.js";
import { compileCondition } from "./conditions.js";
import { isJsonRecord, valueAt, type JsonRecord } from "./paths.js";

/** Reads a vendor's quota windows from a record, verbatim; undefined where it has no readable one. */
export function compileQuotaReader(traits: UsageWindowTraits | undefined): (record: JsonRecord) => readonly UsageWindow[] | undefined {
  if (traits === undefined) return () => undefined;
  const carriesWindows = compileCondition(traits.when);
  return (record) => {
    if (!carriesWindows(record)) return undefined;
    const map = valueAt(record, traits.path);
    if (!isJsonRecord(map)) return undefined;
    const windows = Object.entries(map).flatMap(([name, value]) => toWindow(name, value, traits));
    return windows.length === 0 ? undefined : windows;
  };
}

/** Each window stands for itself: one in a shape that we do not know must not hide the others. */
function toWindow(name: string, value: unknown, traits: UsageWindowTraits): readonly UsageWindow[] {
  const utilization = valueAt(value, [traits.utilizationKey]);
  const resetsAt = valueAt(value, [traits.resetsAtKey]);
  if (typeof utilization !== "number" || !Number.isFinite(utilization)) return [];
  if (typeof resetsAt !== "number" || !Number.isFinite(resetsAt)) return [];
  return [{ name, utilization, resetsAt }];
}
