import { findHome } from "../environment.js";
import { exitCodeOf } from "../exit-codes.js";
import { printable } from "../printable.js";
import { summariseUsage, type UsageGroup } from "../sinks/summarise-usage.js";
import { usageLedgerFile } from "../sinks/usage-ledger.js";
import type { CommandIo } from "../command-io.js";
import { parseSince } from "./since.js";
import { tildePath } from "./tilde-path.js";
import { toUsageText } from "./usage-text.js";

export interface UsageFlags {
  readonly since?: string;
  readonly by?: UsageGroup;
  readonly json?: boolean;
}

/** Version of what `--json` prints. */
const USAGE_VERSION = 1;

/**
 * `jlgcli usage`: what the runs of this user have used. Gives the exit code.
 * @throws JlgcliError `USAGE_INVALID` for a time that is none, `OUTPUT_FAILED` for a ledger that cannot be read.
 */
export async function runUsageCommand(flags: UsageFlags, io: CommandIo): Promise<number> {
  const file = usageLedgerFile(io.env);
  const since = flags.since === undefined ? null : parseSince(flags.since, "--since", new Date());
  const by = flags.by ?? "backend";
  const summary = await summariseUsage(file, { since, by });
  if (flags.json === true) {
    const report = { schemaVersion: USAGE_VERSION, file, since: since?.toISOString() ?? null, by, ...summary };
    io.stdout(`${JSON.stringify(report, null, 2)}\n`);
  } else {
    io.stdout(toUsageText(summary, { since, by, home: findHome(io.env), isTty: io.stdoutIsTty }));
  }
  if (summary.brokenLines > 0) {
    io.stderr(`jlgcli: ${summary.brokenLines} line(s) of ${printable(tildePath(file, findHome(io.env)))} cannot be read and are left out\n`);
  }
  return exitCodeOf("success");
}
