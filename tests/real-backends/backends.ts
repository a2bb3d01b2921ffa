import { fileURLToPath } from "node:url";

/** The backends whose real programs are installed in this folder. */
export const BACKEND_IDS = ["claude", "codex", "copilot"] as const;

export type BackendId = (typeof BACKEND_IDS)[number];

/** The folder of this suite, where `install.sh` puts the programs. */
export const SUITE_DIRECTORY = fileURLToPath(new URL(".", import.meta.url));

/** The folder whose `node_modules` holds the programs: this one, unless `JLGCLI_BACKENDS_DIR` names another. */
export const PROGRAMS_DIRECTORY = process.env["JLGCLI_BACKENDS_DIR"] ?? SUITE_DIRECTORY;

/** The backends whose programs are expected there: all, unless `JLGCLI_BACKENDS` names some, joined by commas. */
export function isExpected(id: string): boolean {
  const chosen = process.env["JLGCLI_BACKENDS"];
  return chosen === undefined || chosen.split(",").includes(id);
}
