import { ACCESS_LEVELS, type AccessLevel } from "../events/schema.js";
import { preview, printable, quotePath } from "../printable.js";
import { CONFIG_KEYS, CONFIG_KEY_NAMES, type Config, type ConfigKey, type TrustRule } from "./schema.js";

/** A part of the configuration that does not count. */
export interface ConfigWarning {
  /** Null where it is about the whole file. */
  readonly key: string | null;
  readonly file: string;
  readonly message: string;
}

export interface UntrustedContext {
  readonly file: string;
  /** The folder to trust, so that the whole file counts. */
  readonly folder: string;
  /** The level that would hold without the file. */
  readonly access: AccessLevel;
  readonly isKnownBackend: (id: string) => boolean | Promise<boolean>;
}

/** What of a project's file counts in a folder that the user has not trusted. */
export async function keepUntrusted(values: Config, context: UntrustedContext): Promise<{ kept: Config; warnings: ConfigWarning[] }> {
  const kept: { -readonly [K in ConfigKey]?: Config[K] } = { ...values };
  const warnings: ConfigWarning[] = [];
  for (const key of CONFIG_KEY_NAMES.filter((name) => values[name] !== undefined)) {
    const limit = await LIMITS[CONFIG_KEYS[key].trust](values, context);
    if (limit === null) continue;
    delete kept[key];
    warnings.push(toWarning(key, limit, context));
  }
  return { kept, warnings };
}

/** Each rule's limit that a value goes beyond, as a sentence; null where the value counts. */
const LIMITS: Readonly<Record<TrustRule, (values: Config, context: UntrustedContext) => string | null | Promise<string | null>>> = {
  "trusted-only": () => "this folder is not trusted",
  "untrusted-ok": () => null,
  "lower-only": ({ access }, context) => {
    if (access === undefined || rank(access) <= rank(context.access)) return null;
    return `this folder is not trusted, so it may only lower the access level (which is ${context.access})`;
  },
  "known-only": async ({ backend }, { isKnownBackend }) => {
    if (backend === undefined || (await isKnownBackend(backend))) return null;
    return `this folder is not trusted, so it may only choose a backend that jlgcli knows (${preview(backend)} is none)`;
  },
};

function rank(access: AccessLevel): number {
  return ACCESS_LEVELS.indexOf(access);
}

function toWarning(key: ConfigKey, limit: string, { file, folder }: UntrustedContext): ConfigWarning {
  const message = `${key} in ${printable(file)} is ignored: ${limit}; \`jlgcli trust ${quotePath(folder)}\` allows it`;
  return { key, file, message };
}
