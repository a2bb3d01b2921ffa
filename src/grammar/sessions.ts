import type { Command } from "commander";
import type { SessionsArgs } from "../commands/sessions.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli sessions` */
export function addSessions(program: Command, session: ProgramSession): void {
  const run = async (args: SessionsArgs): Promise<void> => {
    const { runSessionsCommand } = await import("../commands/sessions.js");
    session.exitCode = await runSessionsCommand(args, session.io);
  };
  const sessions = program.command("sessions").description("the backends' sessions that runs have used, for --continue and --resume");
  sessions
    .command("list")
    .description("list them, the one that was used last first")
    .option("-b, --backend <id>", "only those of one backend")
    .option("--json", "print JSON")
    .action((flags: { json?: boolean; backend?: string }) => run({ action: "list", ...flags }));
  sessions
    .command("forget")
    .description("forget sessions; their backends keep them")
    .argument("[id...]", "their ids")
    .option("--all", "all of them")
    .action((ids: string[], flags: { all?: boolean }) => run({ action: "forget", ids, ...flags }));
}
