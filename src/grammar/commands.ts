import type { Command } from "commander";
import type { CommandsArgs, ListArgs } from "../commands/commands.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli commands` */
export function addCommands(program: Command, session: ProgramSession): void {
  const run = async (args: CommandsArgs): Promise<void> => {
    const { runCommandsCommand } = await import("../commands/commands.js");
    session.exitCode = await runCommandsCommand(args, session.io);
  };
  const commands = program
    .command("commands")
    .description("list the slash commands: your own, the project's, skills, MCP prompts")
    .option("--mode <mode>", "only those of one mode: interactive, non_interactive or acp")
    .option("--json", "print JSON")
    .option("--problems", "list what could not be loaded, with path, line and reason")
    .option("--for-model", "print those that a model may choose, as text for a system prompt")
    .action((flags: Omit<ListArgs, "action">) => run({ action: "list", ...flags }));
  commands
    .command("show")
    .description("print a command's source, file, modes, arguments, raw and expanded text")
    .argument("<name>")
    .argument("[args...]", "arguments to expand it with")
    .option("--json", "print JSON")
    .action((name: string, words: string[], flags: { json?: boolean }) => run({ action: "show", name, ...(words.length === 0 ? {} : { args: words.join(" ") }), ...flags }));
}
