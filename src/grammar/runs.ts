import { Option, type Command } from "commander";
import type { PruneFlags, RunsFlags } from "../commands/runs.js";
import { OUTPUT_FORMATS, type OutputFormat } from "../config/formats.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli runs` */
export function addRuns(program: Command, session: ProgramSession): void {
  const runs = program.command("runs").description("the runs that were kept with --artifacts");
  const add = (name: string, description: string): Command =>
    runs.command(name).description(description).option("--dir <dir>", "folder of the runs (default: .jlgcli/runs of the project)").option("--json", "print JSON");
  add("list", "list the kept runs, the newest first").action(async (flags: RunsFlags) => {
    const { runRunsListCommand } = await import("../commands/runs.js");
    session.exitCode = runRunsListCommand(flags, session.io);
  });
  add("show", "show one run: what was asked, how it ended, where its files are")
    .argument("<run>", "its id, the beginning of it, or 'last'")
    .option("--transcript", "print its events, one per line")
    .action(async (id: string, flags: RunsFlags & { transcript?: boolean }) => {
      const { runRunsShowCommand } = await import("../commands/runs.js");
      session.exitCode = await runRunsShowCommand(id, flags, session.io);
    });
  add("replay", "play the recording of a run again; no model is asked")
    .argument("<run>", "its id, the beginning of it, or 'last'")
    .addOption(new Option("--output <format>", "what stdout carries (default: text)").choices(OUTPUT_FORMATS))
    .action(async (id: string, flags: RunsFlags & { output?: OutputFormat }) => {
      const { runRunsReplayCommand } = await import("../commands/runs.js");
      session.exitCode = await runRunsReplayCommand(id, flags, session.io);
    });
  add("prune", "remove kept runs")
    .option("--older-than <time>", "only runs older than this: 24h, 30d, or a date such as 2026-01-31")
    .option("--keep <count>", "keep at least so many, the newest")
    .option("--dry-run", "remove nothing, tell what would go")
    .addHelpText("after", "\nExamples:\n  $ jlgcli runs prune --older-than 30d --keep 20")
    .action(async (flags: PruneFlags) => {
      const { runRunsPruneCommand } = await import("../commands/runs.js");
      session.exitCode = runRunsPruneCommand(flags, session.io);
    });
}
