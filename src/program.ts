import { Argument, Command, CommanderError, Option } from "commander";
import type { CommandIo } from "./command-io.js";
import type { CommandsArgs, ListArgs } from "./commands/commands.js";
import type { ConfigArgs } from "./commands/config.js";
import type { LoopFlags } from "./commands/loop.js";
import type { RunFlags } from "./commands/run.js";
import type { SessionsArgs } from "./commands/sessions.js";
import type { TrustArgs } from "./commands/trust.js";
import { OUTPUT_FORMATS, type OutputFormat } from "./config/formats.js";
import { JlgcliError } from "./errors.js";
import { ACCESS_LEVELS } from "./events/schema.js";
import { SUCCESS_EXIT_CODE } from "./exit-codes.js";
import { parseExitMap, type ExitMap } from "./exit-map.js";
import { CARRIES, COMPLETION_KINDS } from "./runner/loop-words.js";
import type { PruneFlags, RunsFlags } from "./commands/runs.js";
import type { UsageFlags } from "./commands/usage.js";
import { SCHEMA_NAMES, type SchemaName } from "./schema-names.js";
import { VERSION } from "./version.js";

/** Where the actions of the commands get their surroundings, and leave their exit code. */
interface Session {
  readonly io: CommandIo;
  exitCode: number;
  /** The numbers that the caller wants in the place of ours. */
  exitMap?: ExitMap;
}

/**
 * Runs a command line (without the program's own name). Gives the exit code; prints through `io` alone.
 * Every mistake on the command line is 64.
 */
export async function runProgram(argv: readonly string[], io: CommandIo): Promise<number> {
  const session: Session = { io, exitCode: SUCCESS_EXIT_CODE };
  try {
    await createProgram(session).parseAsync(argv, { from: "user" });
    return mapExitCode(session.exitCode, session);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return SUCCESS_EXIT_CODE;
    const { reportFailure } = await import("./commands/report-failure.js");
    return mapExitCode(reportFailure(toFailure(error), argv, io), session);
  }
}

/** The last thing that happens to an exit code. */
function mapExitCode(exitCode: number, { exitMap }: Session): number {
  return exitMap?.get(exitCode) ?? exitCode;
}

/** The tree of all commands. Each action loads its command when it is called, so that none pays for another. */
export function createProgram(session: Session): Command {
  const program = new Command("jlgcli")
    .description("One command, one result, one exit-code contract for every AI coding agent.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    // Without it a `--json` after `commands show` would be taken for one of `commands`.
    .enablePositionalOptions()
    .addHelpText("after", PROGRAM_EXAMPLES);
  addRun(program, session);
  addLoop(program, session);
  addSessions(program, session);
  addBackends(program, session);
  addDoctor(program, session);
  addConfig(program, session);
  addTrust(program, session);
  addCommands(program, session);
  addCompletion(program, session);
  addUsage(program, session);
  addRuns(program, session);
  addSchema(program, session);
  for (const command of [program, ...listCommands(program)]) redirect(command, session.io);
  return program;
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

function addRun(program: Command, session: Session): void {
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
      const { runRunCommand } = await import("./commands/run.js");
      session.exitCode = await runRunCommand(words, flags, session.io, (map) => (session.exitMap ??= map));
    });
}

/** What `run` and `loop` have in common. */
function addRunOptions(command: Command, onExitMap: (map: ExitMap) => void): Command {
  return command
    .option("-b, --backend <ids>", "backend to run on; several with commas between them are tried in order, 'auto' is the first that is available (default: the configured one, else copilot)")
    .option("-m, --model <name>", "model, as the backend names it")
    .option("--effort <level>", "how much the model thinks, as the backend names it")
    .addOption(new Option("--access <level>", "what the backend's tools may do (default: read-only)").choices(ACCESS_LEVELS))
    .option("--system-prompt <text>", "replace the backend's own system prompt")
    .option("--append-system-prompt <text>", "add to the backend's own system prompt")
    .option("-C, --cwd <dir>", "working directory of the backend")
    .option("-e, --env <name=value>", "set a variable for the backend (repeatable)", collect)
    .option("--backend-arg <arg>", "pass an argument on to the backend as it is (repeatable)", collect)
    .option("-f, --file <path>", "read the prompt from a file ('-' is standard input)")
    .option("--idle-timeout <duration>", "time without any output of the backend (default: 15m)")
    .option("--first-byte-timeout <duration>", "time until the backend's first output (default: off)")
    .addOption(new Option("--output <format>", "what stdout carries (default: text)").choices(OUTPUT_FORMATS))
    .option("--json", "the same as --output json")
    .option("--output-file <file>", "write the answer, or the JSON, to a file too")
    .option("--attach <file>", "send an image or a document with the prompt (repeatable)", collect)
    .option("--retries <n>", "how often to ask again when rate-limited or not reachable (default: 0)")
    .option("--fallback-after-tools", "ask again or elsewhere also when tools may have changed something")
    .addOption(new Option("--verbosity <level>", "what stderr tells: 0 errors alone, 1 the cost, 2 the steps, 3 everything (default: 2 on a terminal, else 1)").choices(["0", "1", "2", "3"]))
    .option("-q, --quiet", "the same as --verbosity 0")
    .option("-v, --verbose", "the same as --verbosity 2; twice: 3", countUp)
    .option("--github", "give the result to later steps of GitHub Actions, and keep its lines from being commands")
    .option("--exit-map <pairs>", "exit with other numbers: 2=125,6=125", (text) => {
      onExitMap(parseExitMap(text));
      return text;
    })
    .option("--strict-permissions", "fail (1) when a tool was refused")
    .option("--strict-model", "fail (1) when another model answered than the one that was asked for")
    .option("--cassette <file>", "recording that the backend 'replay' plays")
    .option("--literal", "take a prompt that begins with '/' as text, not as a slash command")
    .option("--allow-shell", "let a slash command run its shell blocks")
    .option("--artifacts [dir]", "keep the run in a folder of its own, without secrets (default: .jlgcli/runs/<id>)")
    .option("--trust", "use all of the project's configuration for this run");
}

const LOOP_EXAMPLES = `
Examples:
  $ jlgcli loop --access workspace-write --until "npm test" --carry check "make the tests pass"
  $ jlgcli loop --instruct "translate docs/ to German, one file at a time"     # done when the answer ends with DONE
  $ jlgcli loop --completion json --instruct --carry next --max-iterations 20 --timeout 2h --file task.md
  $ jlgcli loop --resume 0b3c… --max-iterations 40                             # goes on after a crash, Ctrl-C or a limit

Exit codes: 0 done, 1 the answer says that it failed, 4 max iterations, 5 no progress, 65 no usable JSON, 69 max cost,
75 timeout; else that of the run that failed. All of them: docs/exit-codes.md`;

function addLoop(program: Command, session: Session): void {
  const loop = program
    .command("loop")
    .description("repeat a prompt until it is done; the last answer goes to stdout, everything else to stderr")
    .argument("[prompt...]", "the prompt; '-' stands for standard input");
  addLoopOptions(loop, (map) => (session.exitMap = map))
    .addHelpText("after", LOOP_EXAMPLES)
    .action(async (words: string[], flags: LoopFlags, command: Command) => {
      const { runLoopCommand } = await import("./commands/loop.js");
      const { listGivenOptions } = await import("./commands/given-options.js");
      session.exitCode = await runLoopCommand({ words, flags, given: listGivenOptions(command), parseFlags: parseLoopFlags }, session.io, (map) => (session.exitMap ??= map));
    });
}

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

function addBackends(program: Command, session: Session): void {
  const backends = program
    .command("backends")
    .description("list every known backend: installed or not, signed in or not, what to do next")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => {
      const { runBackendsCommand } = await import("./commands/backends.js");
      session.exitCode = await runBackendsCommand(flags, session.io);
    });
  backends
    .command("check")
    .description("explain what is wrong with a backend record of your own")
    .argument("<file>", "a JSON file with one backend record")
    .action(async (file: string) => {
      const { runBackendsCheckCommand } = await import("./commands/backends-check.js");
      session.exitCode = await runBackendsCheckCommand(file, session.io);
    });
}

const DOCTOR_EXIT_CODES = `
Exit codes: 0 nothing is wrong; else the highest that applies: 78 configuration or a backend record, 73 no folder for
temporary files, 2 no backend available, 1 Node too old.`;

function addDoctor(program: Command, session: Session): void {
  program
    .command("doctor")
    .description("check this installation")
    .option("--report", "print a report for a bug report, without secrets")
    .option("--json", "print JSON")
    .addHelpText("after", DOCTOR_EXIT_CODES)
    .action(async (flags: { report?: boolean; json?: boolean }) => {
      const { runDoctorCommand } = await import("./commands/doctor.js");
      session.exitCode = await runDoctorCommand(flags, session.io);
    });
}

function addConfig(program: Command, session: Session): void {
  const config = program.command("config").description("show and change the configuration");
  const run = async (args: ConfigArgs): Promise<void> => {
    const { runConfigCommand } = await import("./commands/config.js");
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

function addCommands(program: Command, session: Session): void {
  const run = async (args: CommandsArgs): Promise<void> => {
    const { runCommandsCommand } = await import("./commands/commands.js");
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

function addSessions(program: Command, session: Session): void {
  const run = async (args: SessionsArgs): Promise<void> => {
    const { runSessionsCommand } = await import("./commands/sessions.js");
    session.exitCode = await runSessionsCommand(args, session.io);
  };
  const sessions = program.command("sessions").description("the backends' sessions that runs have used, for --continue and --resume");
  sessions
    .command("list")
    .description("list them, the one that was used last first")
    .option("-b, --backend <id>", "only those of one backend")
    .option("--json", "print JSON")
    .action((flags: { json?: boolean; backend?: string }) => run({ action: "list", ...flags }));
  sessions
    .command("forget")
    .description("forget sessions; their backends keep them")
    .argument("[id...]", "their ids")
    .option("--all", "all of them")
    .action((ids: string[], flags: { all?: boolean }) => run({ action: "forget", ids, ...flags }));
}

function addTrust(program: Command, session: Session): void {
  program
    .command("trust")
    .description("let a folder's own configuration count in full")
    .argument("[dir]", "the folder (default: this one)")
    .option("--list", "list the trusted folders")
    .option("--revoke", "trust the folder no longer")
    .option("--json", "print JSON")
    .action(async (dir: string | undefined, flags: Omit<TrustArgs, "folder">) => {
      const { runTrustCommand } = await import("./commands/trust.js");
      session.exitCode = await runTrustCommand({ ...flags, ...(dir === undefined ? {} : { folder: dir }) }, session.io);
    });
}

function addCompletion(program: Command, session: Session): void {
  program
    .command("completion")
    .description("print a completion script for a shell")
    .argument("<shell>", "bash, zsh or fish")
    .addHelpText("after", "\nExamples:\n  $ jlgcli completion bash >> ~/.bashrc\n  $ jlgcli completion fish > ~/.config/fish/completions/jlgcli.fish")
    .action(async (shell: string) => {
      const { runCompletionCommand } = await import("./commands/completion.js");
      session.exitCode = runCompletionCommand(shell, createProgram(session), session.io);
    });
}

function addUsage(program: Command, session: Session): void {
  program
    .command("usage")
    .description("what your runs have used: tokens, cost where the vendor tells it, and the vendors' limits")
    .option("--since <time>", "only later runs: 30m, 24h, 7d, 2w, today, or a date such as 2026-01-31")
    .addOption(new Option("--by <group>", "what to add up (default: backend)").choices(["backend", "model", "day", "project"]))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  $ jlgcli usage --since 7d --by day\n  $ jlgcli usage --json | jq .total.tokens.totalTokens")
    .action(async (flags: UsageFlags) => {
      const { runUsageCommand } = await import("./commands/usage.js");
      session.exitCode = await runUsageCommand(flags, session.io);
    });
}

function addRuns(program: Command, session: Session): void {
  const runs = program.command("runs").description("the runs that were kept with --artifacts");
  const add = (name: string, description: string): Command =>
    runs.command(name).description(description).option("--dir <dir>", "folder of the runs (default: .jlgcli/runs of the project)").option("--json", "print JSON");
  add("list", "list the kept runs, the newest first").action(async (flags: RunsFlags) => {
    const { runRunsListCommand } = await import("./commands/runs.js");
    session.exitCode = runRunsListCommand(flags, session.io);
  });
  add("show", "show one run: what was asked, how it ended, where its files are")
    .argument("<run>", "its id, the beginning of it, or 'last'")
    .option("--transcript", "print its events, one per line")
    .action(async (id: string, flags: RunsFlags & { transcript?: boolean }) => {
      const { runRunsShowCommand } = await import("./commands/runs.js");
      session.exitCode = await runRunsShowCommand(id, flags, session.io);
    });
  add("replay", "play the recording of a run again; no model is asked")
    .argument("<run>", "its id, the beginning of it, or 'last'")
    .addOption(new Option("--output <format>", "what stdout carries (default: text)").choices(OUTPUT_FORMATS))
    .action(async (id: string, flags: RunsFlags & { output?: OutputFormat }) => {
      const { runRunsReplayCommand } = await import("./commands/runs.js");
      session.exitCode = await runRunsReplayCommand(id, flags, session.io);
    });
  add("prune", "remove kept runs")
    .option("--older-than <time>", "only runs older than this: 24h, 30d, or a date such as 2026-01-31")
    .option("--keep <count>", "keep at least so many, the newest")
    .option("--dry-run", "remove nothing, tell what would go")
    .addHelpText("after", "\nExamples:\n  $ jlgcli runs prune --older-than 30d --keep 20")
    .action(async (flags: PruneFlags) => {
      const { runRunsPruneCommand } = await import("./commands/runs.js");
      session.exitCode = runRunsPruneCommand(flags, session.io);
    });
}

function addSchema(program: Command, session: Session): void {
  program
    .command("schema")
    .description("print the JSON Schema of the events, the result, the configuration or a backend record")
    .addArgument(new Argument("<name>", "what to describe").choices(SCHEMA_NAMES))
    .addHelpText("after", "\nExamples:\n  $ jlgcli schema result > result.schema.json")
    .action(async (name: SchemaName) => {
      const { runSchemaCommand } = await import("./commands/schema.js");
      session.exitCode = runSchemaCommand(name, session.io);
    });
}

/** Once is 2, twice is 3. */
function countUp(_value: string, earlier = 1): number {
  return earlier + 1;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function listCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...listCommands(child)]);
}

function redirect(command: Command, io: CommandIo): void {
  command.exitOverride().configureOutput({
    writeOut: io.stdout,
    writeErr: io.stderr,
    // Told once, by `reportFailure`, which knows whether JSON was asked for.
    outputError: () => undefined,
  });
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  const message = error.message.replace(/^error: /, "");
  if (error.code === "commander.help") return new JlgcliError("USAGE_INVALID", "no command given", { hint: "see jlgcli --help" });
  return new JlgcliError("USAGE_INVALID", message, { hint: "see jlgcli --help" });
}
