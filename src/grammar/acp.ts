import { Option, type Command } from "commander";
import type { AcpFlags } from "../commands/acp.js";
import { ACCESS_LEVELS } from "../events/schema.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli acp` */
export function addAcp(program: Command, session: ProgramSession): void {
  program
    .command("acp")
    .description("be an agent for an editor: the Agent Client Protocol on stdin and stdout")
    .option("-b, --backend <id>", "backend that new sessions begin with (default: the configured one, else copilot)")
    .option("-m, --model <name>", "model that new sessions begin with, as the backend names it")
    .addOption(new Option("--access <level>", "what the backend's tools may do (default: read-only)").choices(ACCESS_LEVELS))
    .option("--timeout <duration>", "time for each turn: 90s, 5m, 2h; 0 is off (default: off)")
    .option("--idle-timeout <duration>", "time without any output of the backend (default: 15m)")
    .option("--trust", "use all of the configuration of the projects that are opened")
    .option("--allow-shell", "let slash commands run their shell blocks")
    .option("-v, --verbose", "log requests and their ends on stderr", countUp)
    .addHelpText("after", ACP_EXAMPLES)
    .action(async (flags: AcpFlags) => {
      const { runAcpCommand } = await import("../commands/acp.js");
      session.exitCode = await runAcpCommand(flags, session.io);
    });
}

function countUp(_value: string, earlier = 0): number {
  return earlier + 1;
}

const ACP_EXAMPLES = `
An editor starts it by itself. In Zed's settings.json:
  "agent_servers": { "jlgcli": { "type": "custom", "command": "jlgcli", "args": ["acp"] } }

Examples:
  $ jlgcli acp --backend codex --access workspace-write
  $ jlgcli acp --backend claude --timeout 30m -v

Exit codes: 0 the client left, 64 usage, 65 a message of more than 32 MiB; docs/acp.md has the whole.`;
