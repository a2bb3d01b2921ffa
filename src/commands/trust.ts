import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { findHome } from "../environment.js";
import { findProjectFile, findProjectRoot } from "../config/find-files.js";
import { loadConfigWithSources } from "../config/loader.js";
import { printable } from "../printable.js";
import { isWithin, toRealPath } from "../config/real-path.js";
import { findTrustedFolder, findUntrustedFolder, listTrusted, revokeTrust, trustFile, trustFolder } from "../config/trust.js";
import { JlgcliError } from "../errors.js";
import { exitCodeOf } from "../exit-codes.js";
import type { CommandIo } from "../command-io.js";

/** What `jlgcli trust [DIR] [--list] [--revoke] [--json]` is asked to do. */
export interface TrustArgs {
  /** Absent: the project that the current directory belongs to. */
  readonly folder?: string;
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly json?: boolean;
}

/** What the command did or found, as `--json` prints it. */
interface TrustReport {
  readonly folder: string;
  readonly trusted: boolean;
  readonly changed: boolean;
  /** Keys of the project's file that did not count before. */
  readonly keys?: readonly string[];
}

/**
 * Trusts a folder and all below it, takes that back, or lists what is trusted.
 * @throws JlgcliError `INPUT_NOT_FOUND` for a folder that is not there, `USAGE_INVALID` where no folder is meant,
 * `CONFIG_INVALID` for a store that cannot be read, `CANNOT_CREATE` for one that cannot be written.
 */
export async function runTrustCommand(args: TrustArgs, io: CommandIo): Promise<number> {
  if (args.list === true && args.revoke === true) throw new JlgcliError("USAGE_INVALID", "--list and --revoke exclude each other");
  if (args.list === true) await runList(args, io);
  else if (args.revoke === true) await runRevoke(args, io);
  else await runTrust(args, io);
  return exitCodeOf("success");
}

async function runTrust({ folder, json = false }: TrustArgs, io: CommandIo): Promise<void> {
  const target = folder === undefined ? await findOwnFolder(io) : requireFolder(resolve(io.cwd, folder));
  const keys = await findIgnoredKeys(folder === undefined ? io.cwd : target, io);
  const changed = await trustFolder(target, io.env);
  const stillIgnored = await findIgnoredKeys(folder === undefined ? io.cwd : target, io);
  report({ folder: target, trusted: true, changed, keys: keys.filter((key) => !stillIgnored.includes(key)) }, json, io);
  if (isWithin(toRealPath(findHome(io.env)), target)) io.stderr(`this covers every folder below ${printable(target)}\n`);
}

async function runRevoke({ folder, json = false }: TrustArgs, io: CommandIo): Promise<void> {
  const target = folder === undefined ? await findCoveringFolder(io) : toRealPath(resolve(io.cwd, folder));
  const changed = await revokeTrust(target, io.env);
  const above = await findTrustedFolder(target, io.env);
  if (above !== null) {
    throw new JlgcliError("USAGE_INVALID", `${printable(target)} is still trusted through ${printable(above)}`, {
      hint: `jlgcli trust --revoke ${printable(above)}`,
    });
  }
  report({ folder: target, trusted: false, changed }, json, io);
}

async function runList({ json = false }: TrustArgs, io: CommandIo): Promise<void> {
  const folders = (await listTrusted(io.env)).map((folder) => ({ folder, exists: existsSync(folder) }));
  if (json) io.stdout(`${JSON.stringify({ file: trustFile(io.env), folders }, null, 2)}\n`);
  else for (const { folder, exists } of folders) io.stdout(`${printable(folder)}${exists ? "" : " (not there)"}\n`);
}

/** The folder that the project's file needs to be trusted, else the project's root. */
async function findOwnFolder(io: CommandIo): Promise<string> {
  const home = findHome(io.env);
  const found = findProjectFile(io.cwd, home);
  if (found !== null) return (await findUntrustedFolder(found, io.env)) ?? toRealPath(found.folder);
  const root = findProjectRoot(io.cwd, home);
  if (root !== null) return root;
  throw new JlgcliError("USAGE_INVALID", "the home folder is no project", { hint: "name the folder: jlgcli trust DIR" });
}

/** The folder through which the current one is trusted, else its project's own. */
async function findCoveringFolder(io: CommandIo): Promise<string> {
  return (await findTrustedFolder(io.cwd, io.env)) ?? findOwnFolder(io);
}

function requireFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return toRealPath(path);
  throw new JlgcliError("INPUT_NOT_FOUND", `${printable(path)} is no folder`);
}

/** A broken configuration does not keep anybody from trusting or mending it. */
async function findIgnoredKeys(cwd: string, io: CommandIo): Promise<readonly string[]> {
  try {
    const { warnings } = await loadConfigWithSources({ cwd, env: io.env });
    return warnings.map((warning) => warning.key).filter((key) => key !== null);
  } catch (error) {
    if (error instanceof JlgcliError) return [];
    throw error;
  }
}

function report(done: TrustReport, json: boolean, io: CommandIo): void {
  if (json) io.stdout(`${JSON.stringify(done, null, 2)}\n`);
  else io.stdout(`${describeReport(done)}\n`);
}

function describeReport({ folder, trusted, changed, keys = [] }: TrustReport): string {
  const state = trusted ? "trusted" : "not trusted";
  const sentence = `${printable(folder)} is ${changed ? "now" : "already"} ${state}`;
  return keys.length === 0 ? sentence : `${sentence}; its configuration now sets ${keys.join(", ")}`;
}
