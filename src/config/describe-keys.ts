import { CONFIG_KEYS, CONFIG_KEY_NAMES, variableOf, type ConfigKey, type TrustRule } from "./schema.js";

/** One row of the table of keys in the documentation. All cells are text. */
export interface KeyDescription {
  readonly key: ConfigKey;
  readonly describe: string;
  /** What may stand there. */
  readonly expected: string;
  /** Empty where there is none. */
  readonly default: string;
  /** Empty where the key has no environment variable. */
  readonly variable: string;
  /** What a project's file may do with the key in a folder that is not trusted. */
  readonly untrusted: string;
}

/** Every key of the configuration, for the documentation. */
export function describeConfigKeys(): readonly KeyDescription[] {
  return CONFIG_KEY_NAMES.map((key) => ({
    key,
    describe: CONFIG_KEYS[key].describe,
    expected: CONFIG_KEYS[key].kind.expected,
    default: toText(CONFIG_KEYS[key].default),
    variable: variableOf(key) ?? "",
    untrusted: UNTRUSTED[CONFIG_KEYS[key].trust],
  }));
}

const UNTRUSTED: Readonly<Record<TrustRule, string>> = {
  "trusted-only": "no",
  "untrusted-ok": "yes",
  "lower-only": "only lower",
  "known-only": "only a backend that comes with jlgcli",
};

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
