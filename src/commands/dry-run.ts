import type { Invocation } from "../adapters/types.js";
import type { OutputFormat } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import { resolveRun } from "../runner/resolve-run.js";
import { toEndedResult } from "../runner/run.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { createRedactor } from "../sinks/redact.js";
import type { CommandIo } from "../command-io.js";

/** `--dry-run`: prints what a run would spawn, and spawns nothing. Gives the result of a run that could not even begin, else null. */
export async function runDryRun(options: RunOptions, format: OutputFormat, io: CommandIo): Promise<RunResult | null> {
  const resolved = await resolveRun(options);
  if (resolved.kind === "ended") return toEndedResult(resolved.end, { ...options, backend: resolved.backend });
  const invocation = await resolved.adapter.describeInvocation?.(resolved.args);
  if (invocation === undefined) throw new JlgcliError("INTERNAL", `the backend '${resolved.backend}' cannot describe a run`);
  const redact = createRedactor({ ...options.env, ...resolved.args.env });
  const text = format === "text" ? toShellLine(invocation) : JSON.stringify(invocation);
  io.stdout(`${redact(text)}\n`);
  return null;
}

/** The run as one line for a POSIX shell. */
export function toShellLine(invocation: Invocation): string {
  const variables = [
    ...invocation.envRemoved.flatMap((name) => ["-u", name]),
    ...Object.entries(invocation.envSet).map(([name, value]) => `${name}=${value}`),
  ];
  const words = [...(variables.length === 0 ? [] : ["env", ...variables]), invocation.command, ...invocation.args];
  const command = words.map(quoteForShell).join(" ");
  const input = invocation.promptDelivery === "stdin" ? `printf %s ${quoteForShell(invocation.prompt)} | ` : "";
  const noInput = invocation.promptDelivery === "stdin" ? "" : " </dev/null";
  return `cd ${quoteForShell(invocation.cwd)} && ${input}${command}${noInput}`;
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
