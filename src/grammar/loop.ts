import { Command, Option } from "commander";
import type { LoopFlags } from "../commands/loop-flags.js";
import type { ExitMap } from "../exit-map.js";
import { CARRIES, COMPLETION_KINDS } from "../runner/loop-words.js";
import { addRunOptions } from "./run-options.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli loop` */
export function addLoop(program: Command, session: ProgramSession): void {
  const loop = program
    .command("loop")
    .description("repeat a prompt until it is done; the last answer goes to stdout, everything else to stderr")
    .argument("[prompt...]", "the prompt; '-' stands for standard input");
  addLoopOptions(loop, (map) => (session.exitMap = map))
    .addHelpText("after", LOOP_EXAMPLES)
    .action(async (words: string[], flags: LoopFlags, command: Command) => {
      const { runLoopCommand } = await import("../commands/loop.js");
      const { listGivenOptions } = await import("../commands/given-options.js");
      session.exitCode = await runLoopCommand({ words, flags, given: listGivenOptions(command), parseFlags: parseLoopFlags }, session.io, (map) => (session.exitMap ??= map));
    });
}

const LOOP_EXAMPLES = `
Examples:
  $ jlgcli loop --access workspace-write --until "npm test" --carry check "make the tests pass"
  $ jlgcli loop --instruct "translate docs/ to German, one file at a time"     # done when the answer ends with DONE
  $ jlgcli loop --completion json --instruct --carry next --max-iterations 20 --timeout 2h --file task.md
  $ jlgcli loop --resume 0b3c… --max-iterations 40                             # goes on after a crash, Ctrl-C or a limit

Exit codes: 0 done, 1 the answer says that it failed, 4 max iterations, 5 no progress, 65 no usable JSON, 69 max cost,
75 timeout; else that of the run that failed. All of them: docs/exit-codes.md`;

function addLoopOptions(command: Command, onExitMap: (map: ExitMap) => void): Command {
  return addRunOptions(command, onExitMap)
    .addOption(new Option("--completion <kind>", "what decides that it is done (default: marker, with --until: until)").choices(COMPLETION_KINDS))
    .option("--marker <word>", "done when the last line of the answer is exactly this (default: DONE)")
    .option("--until <command>", "done when this shell command exits with 0 after an iteration")
    .option("--until-timeout <duration>", "time for that command (default: 10m)")
    .addOption(new Option("--carry <what>", "what an iteration is told of the one before it, beside the prompt (default: none)").choices(CARRIES))
    .option("--instruct", "tell each iteration how to say that the task is done")
    .option("--session", "go on in one session of the backend instead of a new one each time")
    .option("--max-iterations <count>", "end (4) after so many iterations (default: 4)")
    .option("--no-progress <count>", "end (5) after so many answers in a row that are nearly equal; 0 is off (default: 5)")
    .option("--max-cost <amount>", "end (69) when all iterations together have cost so much, in the vendor's currency")
    .option("--timeout <duration>", "time for all iterations together: 90s, 5m, 2h; 0 is off (default: off)")
    .option("--resume <loop>", "go on with a loop that was interrupted or reached a limit; options given now win");
}

/** The options of a loop that was begun by another command line. */
function parseLoopFlags(args: readonly string[]): LoopFlags {
  const command = addLoopOptions(new Command("loop"), () => undefined);
  command.exitOverride().configureOutput({ outputError: () => undefined });
  return command.parse(args, { from: "user" }).opts<LoopFlags>();
}
