import { serveAcp, type AcpEnd } from "../acp/serve.js";
import type { CommandIo } from "../command-io.js";
import { JlgcliError } from "../errors.js";
import { EXIT_TABLE, SUCCESS_EXIT_CODE, exitCodeOf } from "../exit-codes.js";
import { printable } from "../printable.js";
import { VERSION } from "../version.js";
import { createConversationHost, type ConversationFlags } from "./conversation-host.js";
import { endEarlierRuns } from "./run.js";

/** The flags of `jlgcli acp`, as commander gives them. */
export interface AcpFlags extends ConversationFlags {
  /** By how often it was given. */
  readonly verbose?: number;
}

/**
 * `jlgcli acp`: an agent for editors on stdin and stdout, until the client leaves.
 * From the first moment stdout carries lines of the protocol alone.
 */
export async function runAcpCommand(flags: AcpFlags, io: CommandIo): Promise<number> {
  const write = io.takeStdout?.() ?? io.stdout;
  const stdin = io.stdin?.();
  if (stdin === undefined) throw new JlgcliError("INTERNAL", "jlgcli acp has no standard input");
  const host = createConversationHost(flags, io, "new");
  if (stdin.isTty) io.stderr("jlgcli: waiting for a client of the Agent Client Protocol on standard input, which an editor is; Ctrl-C ends it\n");
  await endEarlierRuns({}, io);
  const end = await serveAcp({
    host,
    input: stdin.chunks,
    write,
    drained: () => io.drained?.() ?? Promise.resolve(),
    signal: io.signal ?? new AbortController().signal,
    version: VERSION,
    log: flags.verbose === undefined ? () => undefined : await createLog(io),
  });
  stdin.close?.();
  return toExitCode(end, io);
}

/** An id or a path of a client may be anything, a secret too. */
async function createLog(io: CommandIo): Promise<(line: string) => void> {
  const { createRedactor } = await import("../sinks/redact.js");
  const redact = createRedactor(io.env);
  return (line) => io.stderr(`jlgcli: acp: ${printable(redact(line))}\n`);
}

/** A client that leaves is the usual end. */
function toExitCode(end: AcpEnd, io: CommandIo): number {
  switch (end.type) {
    case "client-gone":
      return SUCCESS_EXIT_CODE;
    case "message-too-large":
      io.stderr(`jlgcli: the client sent a message of more than ${end.limitBytes} bytes; the connection was closed\n`);
      return EXIT_TABLE["invalid-data"].code;
    case "interrupted":
      return toSignalExitCode(io.signal);
    default:
      return end satisfies never;
  }
}

/** The news that stdout has no reader comes as a signal too: then the client is gone. */
function toSignalExitCode(signal: AbortSignal | undefined): number {
  const name: unknown = signal?.reason;
  return name === "SIGPIPE" ? SUCCESS_EXIT_CODE : exitCodeOf("interrupted", typeof name === "string" ? name : undefined);
}
