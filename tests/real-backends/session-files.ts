import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BackendId } from "./backends.js";

/** Where each backend keeps its sessions, below the home. */
const SESSIONS: Record<BackendId, string> = {
  claude: ".claude/projects",
  codex: ".codex/sessions",
  copilot: ".copilot/session-state",
};

/** Takes away all sessions of a backend. Throws where there is none, since then nothing would be lost. */
export function loseSessions(backend: BackendId, home: string): void {
  for (const file of findSessionFiles(backend, home)) rmSync(file);
}

/** Leaves the files of all sessions, with nothing in them that the backend could read. Throws where there is none. */
export function spoilSessions(backend: BackendId, home: string): void {
  for (const file of findSessionFiles(backend, home)) writeFileSync(file, "no session\n");
}

function findSessionFiles(backend: BackendId, home: string): readonly string[] {
  const folder = join(home, SESSIONS[backend]);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  if (files.length === 0) throw new Error(`${backend} keeps no sessions in ${folder}`);
  return files.map((name) => join(folder, name));
}
