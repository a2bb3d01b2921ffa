import { homedir } from "node:os";
import { isAbsolute, parse } from "node:path";

/** The environment of a run, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The home folder that an environment names; this process's own where it names none. */
export function findHome(env: Environment): string {
  const named = process.platform === "win32" ? env.USERPROFILE : env.HOME;
  return named !== undefined && isAbsolute(named) ? named : findOwnHome();
}

/** In a container the user may have neither a variable nor an entry in the list of users; such a one is at home in `/`. */
function findOwnHome(): string {
  try {
    return homedir();
  } catch {
    return parse(process.cwd()).root;
  }
}
