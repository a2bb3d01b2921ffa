import { JlgcliError } from "../errors.js";
import { printable } from "../printable.js";
import type { JsonObject, JsonValue } from "./traits.js";

/** Variables that hold a JSON object, and what is laid over it. */
export type JsonVariables = Readonly<Record<string, JsonObject>>;

/**
 * Lays JSON objects over those that variables already hold: objects are merged, lists joined, all else replaced.
 * @throws JlgcliError `BACKEND_OPTION_UNSUPPORTED` where a variable holds something else: what it means would be lost.
 */
export function mergeJsonVariables(env: Readonly<Record<string, string>>, layers: readonly JsonVariables[]): Record<string, string> {
  const names = new Set(layers.flatMap((layer) => Object.keys(layer)));
  return Object.fromEntries(
    [...names].map((name) => {
      const merged = layers.reduce((under, layer) => mergeObjects(under, layer[name] ?? {}), parseVariable(name, env[name]));
      return [name, JSON.stringify(merged)];
    }),
  );
}

function parseVariable(name: string, text: string | undefined): JsonObject {
  if (text === undefined || text.trim() === "") return {};
  const value = parseOrNull(text);
  if (isJsonObject(value)) return value;
  throw new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `the environment variable ${name} holds no plain JSON object, so nothing can be added to it: ${printable(text.slice(0, 80))}`, {
    hint: `unset ${name}, or write it without comments and trailing commas`,
  });
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function mergeObjects(under: JsonObject, over: JsonObject): JsonObject {
  // A plain object would take a key "__proto__" for its prototype.
  const merged = new Map<string, JsonValue>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) merged.set(key, mergeValues(merged.get(key), value));
  return Object.fromEntries(merged);
}

function mergeValues(under: JsonValue | undefined, over: JsonValue): JsonValue {
  if (isJsonObject(under) && isJsonObject(over)) return mergeObjects(under, over);
  if (isList(under) && isList(over)) return [...under, ...over.filter((value) => !under.includes(value))];
  return over;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
