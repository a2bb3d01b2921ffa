import { Option, type Command } from "commander";
import type { UsageFlags } from "../commands/usage.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli usage` */
export function addUsage(program: Command, session: ProgramSession): void {
  program
    .command("usage")
    .description("what your runs have used: tokens, cost where the vendor tells it, and the vendors' limits")
    .option("--since <time>", "only later runs: 30m, 24h, 7d, 2w, today, or a date such as 2026-01-31")
    .addOption(new Option("--by <group>", "what to add up (default: backend)").choices(["backend", "model", "day", "project"]))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  $ jlgcli usage --since 7d --by day\n  $ jlgcli usage --json | jq .total.tokens.totalTokens")
    .action(async (flags: UsageFlags) => {
      const { runUsageCommand } = await import("../commands/usage.js");
      session.exitCode = await runUsageCommand(flags, session.io);
    });
}
