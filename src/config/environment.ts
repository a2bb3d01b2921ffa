import { homedir } from "node:os";
import { isAbsolute } from "node:path";

/** The environment of a run, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The home folder that an environment names; this process's own where it names none. */
export function findHome(env: Environment): string {
  const named = process.platform === "win32" ? env.USERPROFILE : env.HOME;
  return named !== undefined && isAbsolute(named) ? named : homedir();
}
