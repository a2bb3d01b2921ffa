import { join } from "node:path";
import { findHome } from "../environment.js";

/**
 * The path of a file that a record names: `~/…` under the run's own home, `$VAR/…` only where VAR is set (else null),
 * `./…` in the run's working directory.
 */
export function resolveRecordFile(file: string, env: Readonly<Record<string, string>>, cwd: string = process.cwd()): string | null {
  if (file.startsWith("./")) return join(cwd, file);
  const match = /^(~|\$(\w+))\/(.*)$/.exec(file);
  if (match === null) return file;
  const [, , variable, rest = ""] = match;
  const base = variable === undefined ? findHome(env) : env[variable];
  return base === undefined || base === "" ? null : join(base, rest);
}
