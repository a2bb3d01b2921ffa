import { Option, type Command } from "commander";
import type { ChatFlags } from "../commands/chat.js";
import { ACCESS_LEVELS } from "../events/schema.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli chat` */
export function addChat(program: Command, session: ProgramSession): void {
  program
    .command("chat")
    .description("a conversation with a backend at the keyboard; each line of a pipe is a turn")
    .argument("[prompt...]", "what to begin with")
    .option("-b, --backend <id>", "backend to begin with (default: the configured one, else copilot)")
    .option("-m, --model <name>", "model, as the backend names it")
    .addOption(new Option("--access <level>", "what the backend's tools may do (default: read-only)").choices(ACCESS_LEVELS))
    .option("-C, --cwd <dir>", "working directory of the conversation")
    .option("--timeout <duration>", "time for each turn: 500ms, 90s, 5m, 2h; 0 is off (default: off)")
    .option("--idle-timeout <duration>", "time without any output of the backend (default: 15m)")
    .option("--resume <conversation>", "go on with a kept conversation: its id, or the beginning of it")
    .option("--continue", "go on with the conversation that was used last in this directory")
    .option("--list", "list the conversations that are kept; with --cwd, those of one directory")
    .option("--json", "with --list: print JSON")
    .option("--forget <conversation>", "forget a kept conversation")
    .option("--plain", "plain lines instead of a screen")
    .option("--screen-reader", "plain lines, and the terminal's own line editing: nothing is drawn twice")
    .option("--allow-shell", "let slash commands run their shell blocks")
    .option("--trust", "use all of the project's configuration for this chat")
    .addHelpText("after", CHAT_EXAMPLES)
    .action(async (words: string[], flags: ChatFlags) => {
      const { runChatCommand } = await import("../commands/chat.js");
      session.exitCode = await runChatCommand(words, flags, session.io);
    });
}

const CHAT_EXAMPLES = `
Examples:
  $ jlgcli chat
  $ jlgcli chat --backend claude --access workspace-write "fix the failing test"
  $ jlgcli chat --continue
  $ printf 'what does this do?\\nand why?\\n' | jlgcli chat --backend codex`;
