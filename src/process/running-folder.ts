import { join } from "node:path";

/** Where the children of a user's runs are on record: one file for each that is running (see `running-record.ts`). */
export function runningFolderOf(home: string): string {
  return join(home, ".jlgcli", "running");
}
