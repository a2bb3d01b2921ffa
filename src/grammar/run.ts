import type { Command } from "commander";
import type { RunFlags } from "../commands/run.js";
import { addRunOptions } from "./run-options.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli run` */
export function addRun(program: Command, session: ProgramSession): void {
  const run = program
    .command("run")
    .description("run a prompt once on a backend; the answer goes to stdout, everything else to stderr")
    .argument("[prompt...]", "the prompt; '-' stands for standard input");
  addRunOptions(run, (map) => (session.exitMap = map))
    .option("--schema <schema>", "JSON Schema that the answer must match, as JSON or as a file; 65 where it does not")
    .option("--schema-repairs <n>", "how often an answer that does not match is asked for again (default: 1)")
    .option("--timeout <duration>", "time for the whole run: 500ms, 90s, 5m, 2h; 0 is off (default: off)")
    .option("--resume <session>", "continue an earlier session of the backend")
    .option("--continue", "continue the backend's session that was used last in this directory")
    .option("--dry-run", "print the exact command, spawn nothing")
    .option("--record <file>", "write a recording of this run, without secrets")
    .option("--max-cost <amount>", "refuse the run (69) once the runs of the budget window have cost so much")
    .option("--max-tokens <count>", "refuse the run (69) once the runs of the budget window have used so many tokens")
    .option("--budget-window <window>", "hour, day, week, month, or a duration such as 5h (default: day)")
    .addHelpText("after", RUN_EXAMPLES)
    .action(async (words: string[], flags: RunFlags) => {
      const { runRunCommand } = await import("../commands/run.js");
      session.exitCode = await runRunCommand(words, flags, session.io, (map) => (session.exitMap ??= map));
    });
}

const RUN_EXAMPLES = `
Examples:
  $ jlgcli run "what does this project do?"
  $ jlgcli run --backend claude --model sonnet --access workspace-write "fix the failing test"
  $ jlgcli run --file prompt.md --json | jq -r .text
  $ jlgcli run --schema '{"type":"object","required":["risk"]}' "rate the risk of this change" | jq .risk
  $ jlgcli run --backend codex,claude --retries 3 "explain the build"
  $ git diff | jlgcli run "review this" -      # the prompt, then standard input
  $ jlgcli run -- "-v is a flag of which tools?"
  $ jlgcli run --dry-run "hello"               # print the exact command, run nothing`;
