import type { Command } from "commander";
import type { TrustArgs } from "../commands/trust.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli trust` */
export function addTrust(program: Command, session: ProgramSession): void {
  program
    .command("trust")
    .description("let a folder's own configuration count in full")
    .argument("[dir]", "the folder (default: this one)")
    .option("--list", "list the trusted folders")
    .option("--revoke", "trust the folder no longer")
    .option("--json", "print JSON")
    .action(async (dir: string | undefined, flags: Omit<TrustArgs, "folder">) => {
      const { runTrustCommand } = await import("../commands/trust.js");
      session.exitCode = await runTrustCommand({ ...flags, ...(dir === undefined ? {} : { folder: dir }) }, session.io);
    });
}
