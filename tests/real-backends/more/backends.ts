import { fileURLToPath } from "node:url";

/** The backends whose real programs are installed in this folder. */
export const MORE_BACKEND_IDS = ["gemini", "opencode", "qwen", "pi"] as const;

export type MoreBackendId = (typeof MORE_BACKEND_IDS)[number];

/** The folder of this suite, where `install.sh` puts the programs. */
export const MORE_DIRECTORY = fileURLToPath(new URL(".", import.meta.url));

/** The folder whose `node_modules` holds the programs: this one, unless `JLGCLI_BACKENDS_DIR` names another. */
export const MORE_PROGRAMS_DIRECTORY = process.env["JLGCLI_BACKENDS_DIR"] ?? MORE_DIRECTORY;
