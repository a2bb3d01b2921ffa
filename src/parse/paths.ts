import type { Path } from "../adapters/traits.js";

/** A JSON object, as a parsed record of a backend's output. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array. */
export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * All values at a path, own properties only. `"*"` walks every element of an array.
 * Where nothing stands at the path the list is empty.
 */
export function valuesAt(root: unknown, path: Path): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const segment of path) {
    found = segment === "*" ? found.flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : [])) : stepInto(found, segment);
    if (found.length === 0) return found;
  }
  return found;
}

/** The value at a path without `"*"`, or the first of several; undefined where nothing stands. */
export function valueAt(root: unknown, path: Path): unknown {
  if (path.includes("*")) return valuesAt(root, path)[0];
  let value = root;
  for (const segment of path) {
    if (!isJsonRecord(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** The strings at a path joined in order; undefined where there is none. */
export function textAt(root: unknown, path: Path): string | undefined {
  if (!path.includes("*")) {
    const value = valueAt(root, path);
    return typeof value === "string" ? value : undefined;
  }
  const texts = valuesAt(root, path).filter((value) => typeof value === "string");
  return texts.length === 0 ? undefined : texts.join("");
}

function stepInto(values: readonly unknown[], segment: string): readonly unknown[] {
  return values.flatMap((value) => (isJsonRecord(value) && Object.hasOwn(value, segment) ? [value[segment]] : []));
}
