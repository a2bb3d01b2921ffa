import { readFileSync } from "node:fs";
import { resolveRecordFile } from "./record-files.js";
import type { BackendRecord, UnaskedServiceTraits } from "./record.js";
import type { EnvTraits } from "./traits.js";

/**
 * What must change in the environment of a run so that its prompt does not go to a service that nobody has asked for;
 * nothing where the user has.
 */
export function toShutOffEnv(record: BackendRecord, model: string | undefined, env: Readonly<Record<string, string>>): EnvTraits {
  const service = record.unaskedService;
  return service === undefined || isAskedFor(service, model, env) ? {} : service.env;
}

function isAskedFor({ unless }: UnaskedServiceTraits, model: string | undefined, env: Readonly<Record<string, string>>): boolean {
  if (unless.model !== undefined && model !== undefined && new RegExp(unless.model, "u").test(model)) return true;
  if ((unless.env ?? []).some((name) => (env[name] ?? "") !== "")) return true;
  return (unless.files ?? []).some(({ file, matches }) => new RegExp(matches, "u").test(loadText(resolveRecordFile(file, env))));
}

function loadText(path: string | null): string {
  if (path === null) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
