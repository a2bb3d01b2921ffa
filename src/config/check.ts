import { JlgcliError } from "../errors.js";
import type { Zod } from "./kinds.js";
import { preview, printable } from "../printable.js";
import { CONFIG_KEYS, CONFIG_KEY_NAMES, isConfigKey, type Config, type ConfigKey, type ValueOf } from "./schema.js";
import type * as zodMini from "zod/mini";

export interface CheckPlace {
  /** Where the values stand, as the end of a sentence: `in /p/.jlgcli.json`. */
  readonly place: string;
  /** How a key is written there; absent: as it is. */
  readonly nameOf?: (key: ConfigKey) => string;
}

/**
 * The configuration that a file or the environment holds, checked.
 * @throws JlgcliError `CONFIG_INVALID` naming each wrong key, its value, the place and what may stand there.
 */
export async function checkConfig(data: unknown, { place, nameOf = (key) => key }: CheckPlace): Promise<Config> {
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new JlgcliError("CONFIG_INVALID", `expected an object of keys, got ${preview(data)} ${place}`);
  }
  const values: Record<string, unknown> = { ...data };
  // For editors only.
  delete values.$schema;
  const z = await import("./zod.js");
  const checked = buildConfigSchema(z).safeParse(values);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap((issue) => describeIssue(issue, values, nameOf));
  throw new JlgcliError("CONFIG_INVALID", `${problems.join("; ")} ${place}`, await describeNextStep(values, checked.error.issues[0]));
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: "a string that is not allowed", object: "an object" };

type Shape = { readonly [K in ConfigKey]: zodMini.ZodMiniExactOptional<zodMini.ZodMiniType<ValueOf<K>>> };

/** The schema of a whole configuration file. */
export function buildConfigSchema(z: Zod): zodMini.ZodMiniObject<Shape, zodMini.core.$strict> {
  const lines = CONFIG_KEY_NAMES.map((name) => [name, z.exactOptional<zodMini.ZodMiniType>(CONFIG_KEYS[name].kind.schema(z))]);
  return z.strictObject(Object.fromEntries(lines) as Shape);
}

function describeIssue(issue: zodMini.core.$ZodIssue, values: Record<string, unknown>, nameOf: (key: ConfigKey) => string): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((name) => `${printable(name)}: unknown key`);
  const key = String(issue.path[0]);
  if (!isConfigKey(key)) return [issue.message];
  return [`${nameOf(key)}: expected ${CONFIG_KEYS[key].kind.expected}, got ${describeFound(issue, values[key])}`];
}

/** Inside of an object only the place and the type are told: a value of `env` may be a secret. */
function describeFound(issue: zodMini.core.$ZodIssue, value: unknown): string {
  const inner = issue.path.slice(1);
  if (inner.length === 0) return preview(value);
  const place = preview(issue.path.join("."));
  return issue.code === "invalid_key" ? `the name ${preview(inner.at(-1))}` : `${describeType(findInside(value, inner))} at ${place}`;
}

function findInside(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((holder, name) => Object.getOwnPropertyDescriptor(Object(holder), name)?.value, value);
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : TYPE_NAMES[typeof value] ?? `a ${typeof value}`;
}

async function describeNextStep(values: Record<string, unknown>, issue: zodMini.core.$ZodIssue | undefined): Promise<{ hint?: string }> {
  if (issue?.code === "unrecognized_keys") return { hint: await describeKnownKeys(issue.keys[0] ?? "") };
  const key = String(issue?.path[0]);
  const allowed = isConfigKey(key) ? CONFIG_KEYS[key].kind.values : undefined;
  const value = values[key];
  if (allowed === undefined || typeof value !== "string") return {};
  const { didYouMean } = await import("../did-you-mean.js");
  const meant = didYouMean(value, allowed);
  return meant === null ? {} : { hint: `did you mean "${meant}"?` };
}

/** What to write instead of a key that is not known. */
export async function describeKnownKeys(name: string): Promise<string> {
  const { didYouMean } = await import("../did-you-mean.js");
  const meant = didYouMean(name, CONFIG_KEY_NAMES);
  const keys = `the keys are ${CONFIG_KEY_NAMES.join(", ")}`;
  return meant === null ? keys : `did you mean "${meant}"? (${keys})`;
}
