import type { Command } from "commander";
import type { ConfigArgs } from "../commands/config.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli config` */
export function addConfig(program: Command, session: ProgramSession): void {
  const config = program.command("config").description("show and change the configuration");
  const run = async (args: ConfigArgs): Promise<void> => {
    const { runConfigCommand } = await import("../commands/config.js");
    session.exitCode = await runConfigCommand(args, session.io);
  };
  config
    .command("show")
    .description("every key with its value and where it comes from")
    .option("--json", "print JSON")
    .action((flags: { json?: boolean }) => run({ action: "show", ...flags }));
  config
    .command("get")
    .description("print the value of one key")
    .argument("<key>")
    .option("--json", "print JSON")
    .action((key: string, flags: { json?: boolean }) => run({ action: "get", key, ...flags }));
  config
    .command("set")
    .description("set a key in your own configuration")
    .argument("<key>")
    .argument("<value>")
    .option("--project", "in the project's file instead")
    .addHelpText("after", "\nExamples:\n  $ jlgcli config set backend codex\n  $ jlgcli config set --project timeout 10m")
    .action((key: string, value: string, flags: { project?: boolean }) => run({ action: "set", key, value, ...flags }));
  config
    .command("unset")
    .description("remove a key from your own configuration")
    .argument("<key>")
    .option("--project", "from the project's file instead")
    .action((key: string, flags: { project?: boolean }) => run({ action: "unset", key, ...flags }));
  config
    .command("path")
    .description("print which configuration files hold")
    .option("--json", "print JSON")
    .action((flags: { json?: boolean }) => run({ action: "path", ...flags }));
}
