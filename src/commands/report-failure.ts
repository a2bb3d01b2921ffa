import { JlgcliError, describeError } from "../errors.js";
import { wantsColor, styled } from "../render/style.js";
import { toUnstartedResult } from "../runner/run.js";
import { createRedactor, redactValue } from "../sinks/redact.js";
import type { CommandIo } from "../command-io.js";

/**
 * Tells a failure that no command has told: as a `RunResult` where JSON was asked for, else as a sentence, without the
 * credentials that a bad value may have. Gives the exit code.
 */
export function reportFailure(error: unknown, argv: readonly string[], io: CommandIo): number {
  const redact = createRedactor(io.env);
  const result = toUnstartedResult(error);
  if (wantsJson(argv)) {
    io.stdout(`${JSON.stringify(redactValue(result, redact))}\n`);
    return result.exitCode;
  }
  io.stderr(`${styled("red", "jlgcli:", wantsColor(io.stderrIsTty, io.env))} ${redact(result.text)}\n`);
  if (result.details !== undefined) io.stderr(`  ${redact(result.details)}\n`);
  if (!(error instanceof JlgcliError)) io.stderr(`${redact(describeStack(error))}\n`);
  return result.exitCode;
}

/** The commands that have a result. */
const RUN_COMMANDS: readonly (string | undefined)[] = ["run", "loop"];

/** What stands after `--` is the prompt. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  if (!RUN_COMMANDS.includes(own[0])) return false;
  return own.includes("--json") || own.some((arg, index) => /^--output=(stream-)?json$/.test(arg) || (arg === "--output" && /^(stream-)?json$/.test(own[index + 1] ?? "")));
}

function describeStack(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? describeError(error)) : describeError(error);
  return `${stack}\nThis is a bug in jlgcli. Please report it with the output of: jlgcli doctor --report`;
}
