import { JlgcliError } from "../errors.js";
import { describeKnownKeys } from "./check.js";
import { preview } from "../printable.js";
import { CONFIG_KEYS, MERGED_KEYS, isConfigKey, type ConfigKey } from "./schema.js";

/** A key as people name it: `model`, or `env.CI` for one entry of a key that holds several. */
export interface KeyPath {
  readonly key: ConfigKey;
  /** Null for the whole key. */
  readonly entry: string | null;
}

/** @throws JlgcliError `USAGE_INVALID` for a key that is not known. */
export async function parseKeyPath(text: string): Promise<KeyPath> {
  const [head = "", ...rest] = text.split(".");
  const entry = rest.length === 0 ? null : rest.join(".");
  const takesEntry = MERGED_KEYS.some((name) => name === head);
  if (isConfigKey(head) && (entry === null || (takesEntry && entry !== "" && entry !== "__proto__"))) return { key: head, entry };
  throw new JlgcliError("USAGE_INVALID", `${preview(text)} is no key of the configuration`, { hint: await describeKnownKeys(head) });
}

/** What a word on the command line means as the value of a key. What is neither a word nor JSON is left for the check to refuse. */
export function parseValue({ key, entry }: KeyPath, text: string): unknown {
  const { fromText } = CONFIG_KEYS[key].kind;
  if (fromText !== undefined) return fromText(text);
  if (key === "env" && entry !== null) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
