import type { Command } from "commander";
import type { ProgramSession } from "./session.js";

/** `jlgcli completion`. @param createTree makes the tree of all commands, which is what is completed. */
export function addCompletion(program: Command, session: ProgramSession, createTree: () => Command): void {
  program
    .command("completion")
    .description("print a completion script for a shell")
    .argument("<shell>", "bash, zsh or fish")
    .addHelpText("after", "\nExamples:\n  $ jlgcli completion bash >> ~/.bashrc\n  $ jlgcli completion fish > ~/.config/fish/completions/jlgcli.fish")
    .action(async (shell: string) => {
      const { runCompletionCommand } = await import("../commands/completion.js");
      session.exitCode = runCompletionCommand(shell, createTree(), session.io);
    });
}
