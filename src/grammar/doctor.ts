import type { Command } from "commander";
import type { ProgramSession } from "./session.js";

/** `jlgcli doctor` */
export function addDoctor(program: Command, session: ProgramSession): void {
  program
    .command("doctor")
    .description("check this installation")
    .option("--report", "print a report for a bug report, without secrets")
    .option("--json", "print JSON")
    .addHelpText("after", DOCTOR_EXIT_CODES)
    .action(async (flags: { report?: boolean; json?: boolean }) => {
      const { runDoctorCommand } = await import("../commands/doctor.js");
      session.exitCode = await runDoctorCommand(flags, session.io);
    });
}

const DOCTOR_EXIT_CODES = `
Exit codes: 0 nothing is wrong; else the highest that applies: 78 configuration or a backend record, 73 no folder for
temporary files, 2 no backend available, 1 Node too old.`;
