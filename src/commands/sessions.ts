import { findHome } from "../environment.js";
import { JlgcliError } from "../errors.js";
import { SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { printable } from "../printable.js";
import { forgetSession, listSessions, sessionFolderOf, type StoredSession } from "../sinks/session-store.js";
import type { CommandIo } from "../command-io.js";
import { TERMINAL_COLUMNS, toTable } from "./table.js";
import { tildePath } from "./tilde-path.js";

export type SessionsArgs = ListArgs | ForgetArgs;

export interface ListArgs {
  readonly action: "list";
  readonly json?: boolean;
  readonly backend?: string;
}

export interface ForgetArgs {
  readonly action: "forget";
  readonly ids: readonly string[];
  readonly all?: boolean;
}

/**
 * `jlgcli sessions`: the sessions that our runs have used. Gives the exit code.
 * @throws JlgcliError `INPUT_NOT_FOUND` for a session that is not known, `USAGE_INVALID`
 */
export async function runSessionsCommand(args: SessionsArgs, io: CommandIo): Promise<number> {
  const folder = sessionFolderOf(findHome(io.env));
  if (args.action === "list") showSessions(args, listSessions(folder), io);
  else forgetSessions(args, folder, io);
  await io.drained?.();
  return SUCCESS_EXIT_CODE;
}

function showSessions({ json = false, backend }: ListArgs, all: readonly StoredSession[], io: CommandIo): void {
  const sessions = all.filter((session) => backend === undefined || session.backend === backend);
  if (json) {
    io.stdout(`${JSON.stringify(sessions, null, 2)}\n`);
    return;
  }
  if (sessions.length === 0) {
    io.stderr("jlgcli: no session is known yet: each run of a backend that has sessions adds its own\n");
    return;
  }
  const home = findHome(io.env);
  const rows = sessions.map(({ usedAt, backend: id, sessionId, title, cwd }) => [toMinute(usedAt), id, printable(sessionId), printable(title), printable(tildePath(cwd, home))]);
  const lines = toTable(["used (UTC)", "backend", "id", "title", "directory"], rows, io.stdoutIsTty ? Math.max(TERMINAL_COLUMNS, 160) : null);
  io.stdout(`${lines.join("\n")}\n`);
}

/** `2026-11-30 10:15` of `2026-11-30T10:15:42.123Z`. */
function toMinute(time: string): string {
  return printable(time.slice(0, 16).replace("T", " "));
}

function forgetSessions({ ids, all = false }: ForgetArgs, folder: string, io: CommandIo): void {
  if (all === ids.length > 0) throw new JlgcliError("USAGE_INVALID", "name the sessions to forget, or give --all", { hint: "`jlgcli sessions list` shows their ids" });
  const known = listSessions(folder);
  const unknown = ids.find((id) => !known.some(({ sessionId }) => sessionId === id));
  if (unknown !== undefined) throw new JlgcliError("INPUT_NOT_FOUND", `no session has the id ${JSON.stringify(unknown)}`, { hint: "`jlgcli sessions list` shows those that are known" });
  const forgotten = known.filter(({ sessionId }) => all || ids.includes(sessionId)).filter((session) => forgetSession(folder, session)).length;
  io.stderr(`jlgcli: ${forgotten === 1 ? "1 session is" : `${forgotten} sessions are`} forgotten; their backends still have them\n`);
}
