import { Command, CommanderError } from "commander";
import type { CommandIo } from "./command-io.js";
import { JlgcliError } from "./errors.js";
import { SUCCESS_EXIT_CODE } from "./exit-codes.js";
import { addAcp } from "./grammar/acp.js";
import { addBackends } from "./grammar/backends.js";
import { addChat } from "./grammar/chat.js";
import { addCommands } from "./grammar/commands.js";
import { addCompletion } from "./grammar/completion.js";
import { addConfig } from "./grammar/config.js";
import { addDoctor } from "./grammar/doctor.js";
import { addLoop } from "./grammar/loop.js";
import { addRun } from "./grammar/run.js";
import { addRuns } from "./grammar/runs.js";
import { addSchema } from "./grammar/schema.js";
import { addSessions } from "./grammar/sessions.js";
import { addTrust } from "./grammar/trust.js";
import { addUsage } from "./grammar/usage.js";
import type { ProgramSession } from "./grammar/session.js";
import { VERSION } from "./version.js";

/**
 * Runs a command line (without the program's own name). Gives the exit code; prints through `io` alone.
 * Every mistake on the command line is 64.
 */
export async function runProgram(argv: readonly string[], io: CommandIo): Promise<number> {
  const session: ProgramSession = { io, exitCode: SUCCESS_EXIT_CODE };
  try {
    await createProgram(session, argv[0]).parseAsync(argv, { from: "user" });
    return mapExitCode(session.exitCode, session);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return SUCCESS_EXIT_CODE;
    const { reportFailure } = await import("./commands/report-failure.js");
    return mapExitCode(reportFailure(error, argv, io), session);
  }
}

/** The last thing that happens to an exit code. */
function mapExitCode(exitCode: number, { exitMap }: ProgramSession): number {
  return exitMap?.get(exitCode) ?? exitCode;
}

/**
 * The tree of all commands. Each action loads its command when it is called, so that none pays for another.
 * @param name the command that was named, where no other one can be meant: then the tree has it alone, which is made sooner.
 */
export function createProgram(session: ProgramSession, name?: string): Command {
  const program = new Command("jlgcli")
    .description("One command, one result, one exit-code contract for every AI coding agent.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    // Without it a `--json` after `commands show` would be taken for one of `commands`.
    .enablePositionalOptions()
    .addHelpText("after", PROGRAM_EXAMPLES);
  for (const add of isNamed(name) ? [GRAMMARS[name]] : Object.values(GRAMMARS)) add(program, session);
  for (const command of [program, ...listCommands(program)]) redirect(command, session.io);
  return program;
}

/** In the order of the help. */
const GRAMMARS = {
  run: addRun,
  loop: addLoop,
  chat: addChat,
  acp: addAcp,
  sessions: addSessions,
  backends: addBackends,
  doctor: addDoctor,
  config: addConfig,
  trust: addTrust,
  commands: addCommands,
  completion: (program, session) => addCompletion(program, session, () => createProgram(session)),
  usage: addUsage,
  runs: addRuns,
  schema: addSchema,
} as const satisfies Readonly<Record<string, (program: Command, session: ProgramSession) => void>>;

function isNamed(name: string | undefined): name is keyof typeof GRAMMARS {
  return name !== undefined && Object.hasOwn(GRAMMARS, name);
}

const PROGRAM_EXAMPLES = `
Examples:
  $ jlgcli run "what does this project do?"
  $ jlgcli run --backend codex "explain src/cli.ts"
  $ git diff | jlgcli run "review this" -
  $ jlgcli run --backend replay "hello"        # no account needed: plays a recording
  $ jlgcli backends                            # what is installed, and what to do next

Exit codes: 0 answered, 1 failed, 2 backend not installed, 6 not signed in, 64 usage, 69 rate limit or service
down, 75 timeout, 78 configuration. All of them: docs/exit-codes.md`;

function listCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...listCommands(child)]);
}

function redirect(command: Command, io: CommandIo): void {
  command.exitOverride((error) => throwFailure(error, command)).configureOutput({
    writeOut: io.stdout,
    writeErr: io.stderr,
    // Told once, by `reportFailure`, which knows whether JSON was asked for.
    outputError: () => undefined,
  });
}

/** A mistake is told with the help of the command that it was made in. A help or a version that was asked for is none. */
function throwFailure(error: CommanderError, command: Command): never {
  if (error.exitCode === 0) throw error;
  const see = `see ${nameOf(command)} --help`;
  if (error.code === "commander.help") throw new JlgcliError("USAGE_INVALID", "no command given", { hint: see });
  // "error: unknown option '--lst'\n(Did you mean --list?)"
  const [message = "", guess] = error.message.replace(/^error: /, "").split(/\n\((?=Did you mean .*\)$)/);
  throw new JlgcliError("USAGE_INVALID", message, { hint: guess === undefined ? see : `${guess.replace("Did", "did").slice(0, -1)} ${see}` });
}

/** `jlgcli config set` */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
