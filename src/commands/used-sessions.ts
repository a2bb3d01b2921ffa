import { findHome } from "../environment.js";
import { JlgcliError, describeError } from "../errors.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { findNewestSession, noteSession, sessionFolderOf } from "../sinks/session-store.js";
import { toSessionTitle } from "../sinks/session-title.js";
import type { CommandIo } from "../command-io.js";

/**
 * The id of the backend's session that was used last in a directory.
 * @throws JlgcliError `INPUT_NOT_FOUND`
 */
export function findSessionId(backend: string, cwd: string, io: CommandIo): string {
  const session = findNewestSession(sessionFolderOf(findHome(io.env)), backend, cwd);
  if (session !== null) return session.sessionId;
  throw new JlgcliError("INPUT_NOT_FOUND", `there is no session of '${backend}' in ${cwd} to continue`, {
    hint: "`jlgcli sessions list` shows those that are known; --resume takes the id of any other",
  });
}

/** Keeps which session a run has used. A failure only warns: the run is over, and its answer is told. */
export async function noteSessionOf(result: RunResult, options: RunOptions, io: CommandIo): Promise<void> {
  if (result.sessionId === null) return;
  const { backend, cwd, sessionId } = result;
  try {
    const env = { ...io.env, ...options.extraEnv };
    const redactor = createLazyRedactor(env);
    const title = await toSessionTitle(options.prompt, env, (line) => redactor.redactText(line));
    noteSession(sessionFolderOf(findHome(io.env)), { backend, sessionId, cwd, title });
  } catch (error) {
    io.stderr(`jlgcli: the session of this run is not noted, so --continue will not find it: ${describeError(error)}\n`);
  }
}
