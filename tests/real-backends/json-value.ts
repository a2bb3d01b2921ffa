/**
 * Reads one value deep inside parsed JSON.
 *
 * Request bodies come from foreign programs, so nothing about their shape is believed:
 * a step that does not exist, or that meets a scalar, gives `undefined`.
 */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current) && typeof step === "number") current = current.at(step);
    else if (isJsonObject(current) && typeof step === "string") current = current[step];
    else return undefined;
  }
  return current;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : null;
}

/** Parses JSON that may be broken; broken text gives `null`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function keysAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? Object.keys(found) : [];
}
