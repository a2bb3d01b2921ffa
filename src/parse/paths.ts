import type { Path } from "../adapters/traits.js";

/** A JSON object, as a parsed record of a backend's output. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array. */
export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * All values at a path, own properties only. `"*"` walks every element of an array and every value of an object.
 * Where nothing stands at the path the list is empty.
 */
export function valuesAt(root: unknown, path: Path): readonly unknown[] {
  let found: readonly unknown[] = [root];
  for (const segment of path) {
    found = segment === "*" ? found.flatMap(listElements) : stepInto(found, segment);
    if (found.length === 0) return found;
  }
  return found;
}

/** The value at a path without `"*"`, or the first of several; undefined where nothing stands. */
export function valueAt(root: unknown, path: Path): unknown {
  if (path.includes("*")) return valuesAt(root, path)[0];
  let value = root;
  for (const segment of path) value = stepTo(value, segment);
  return value;
}

/** Makes the reader of a path, which gives what `valueAt` gives. */
export type PathCompiler = (path: Path) => (root: unknown) => unknown;

/** `valueAt` made ready for many records. */
export function compilePath(path: Path): (root: unknown) => unknown {
  const [first, second] = path;
  if (path.includes("*") || first === undefined || path.length > 2) return (root) => valueAt(root, path);
  if (second === undefined) return (root) => stepTo(root, first);
  return (root) => stepTo(stepTo(root, first), second);
}

/**
 * A compiler whose readers remember their last record: many rules ask for the same few places of each record.
 * Records must not change while they are read.
 */
export function createPathCompiler(): PathCompiler {
  const readers = new Map<string, (root: unknown) => unknown>();
  return (path) => {
    const key = JSON.stringify(path);
    const reader = readers.get(key) ?? rememberLast(compilePath(path));
    readers.set(key, reader);
    return reader;
  };
}

function rememberLast(read: (root: unknown) => unknown): (root: unknown) => unknown {
  let lastRoot: unknown;
  let lastValue: unknown;
  return (root) => {
    if (root === lastRoot) return lastValue;
    lastValue = read(root);
    lastRoot = root;
    return lastValue;
  };
}

function stepTo(value: unknown, segment: string): unknown {
  return isJsonRecord(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
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

function listElements(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonRecord(value) ? Object.values(value) : [];
}

function stepInto(values: readonly unknown[], segment: string): readonly unknown[] {
  return values.flatMap((value) => (isJsonRecord(value) && Object.hasOwn(value, segment) ? [value[segment]] : []));
}
