import { fileURLToPath } from "node:url";

/** The backends whose real programs are installed in this folder. */
export const BACKEND_IDS = ["claude", "codex", "copilot"] as const;

export type BackendId = (typeof BACKEND_IDS)[number];

/** The folder of this suite, where `install.sh` puts the programs. */
export const SUITE_DIRECTORY = fileURLToPath(new URL(".", import.meta.url));
