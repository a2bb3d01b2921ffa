import type { Command } from "commander";
import type { ProgramSession } from "./session.js";

/** `jlgcli backends` */
export function addBackends(program: Command, session: ProgramSession): void {
  const backends = program
    .command("backends")
    .description("list every known backend: installed or not, signed in or not, what to do next")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => {
      const { runBackendsCommand } = await import("../commands/backends.js");
      session.exitCode = await runBackendsCommand(flags, session.io);
    });
  backends
    .command("check")
    .description("explain what is wrong with a backend record of your own")
    .argument("<file>", "a JSON file with one backend record")
    .action(async (file: string) => {
      const { runBackendsCheckCommand } = await import("../commands/backends-check.js");
      session.exitCode = await runBackendsCheckCommand(file, session.io);
    });
}
