import { existsSync } from "node:fs";
import { findHome } from "../environment.js";
import { toChildEnv } from "../process/child-env.js";
import { findProgram, type FoundProgram } from "../process/find-program.js";
import { resolveRecordFile } from "./record-files.js";
import type { AvailabilityTraits, BackendRecord } from "./record.js";
import type { ChildProcessSpawner } from "./traits.js";
import type { AdapterAvailability, AvailabilityOptions } from "./types.js";

/** How long a status command may take, in milliseconds. */
const STATUS_COMMAND_TIMEOUT_MS = 5000;

export interface AvailabilityContext extends AvailabilityOptions {
  readonly platform?: NodeJS.Platform;
  readonly loadSpawner: () => Promise<ChildProcessSpawner>;
}

/**
 * Tells whether a backend can be tried, without starting it in the good case: its program is looked up on PATH, and
 * signs of a login are looked at. Only where there is no sign at all and its status command is authoritative is it asked.
 */
export async function checkAvailability(record: BackendRecord, context: AvailabilityContext): Promise<AdapterAvailability> {
  const env = context.env ?? toStringEnv(process.env);
  const platform = context.platform ?? process.platform;
  const traits = record.availability ?? {};
  if (traits.platforms !== undefined && !traits.platforms.includes(platform)) {
    return { status: "unsupported", details: `${record.displayName} is not driven on ${platform} by this version of jlgcli` };
  }
  const program = findProgram(record.traits.command, { env, cwd: context.cwd ?? process.cwd(), platform });
  if (program === null) return { status: "missing", details: describeMissing(record) };
  if ("refusal" in program) return { status: "unsupported", details: program.refusal };
  if (traits.statusCommand === undefined || hasEvidence(traits, env)) return { status: "available" };
  return (await saysLoggedOut(program, traits.statusCommand, env, context))
    ? { status: "unauthenticated", details: describeSignedOut(record) }
    : { status: "available" };
}

/** The next step for a backend that is not installed. */
function describeMissing(record: BackendRecord): string {
  const install = record.availability?.install;
  const found = `the program '${record.traits.command}' was not found on PATH`;
  return install === undefined ? found : `${found}; install it with: ${install}`;
}

/** The next step for a backend that is not signed in. */
export function describeSignedOut(record: BackendRecord): string {
  const login = record.availability?.login;
  return login === undefined ? `${record.displayName} is not signed in` : `sign in with: ${login}`;
}

function hasEvidence(traits: AvailabilityTraits, env: Readonly<Record<string, string>>): boolean {
  const { env: names = [], files = [] } = traits.evidence ?? {};
  return names.some((name) => (env[name] ?? "") !== "") || files.some((file) => evidenceFileExists(file, env));
}

function evidenceFileExists(file: string, env: Readonly<Record<string, string>>): boolean {
  const path = resolveRecordFile(file, env);
  return path !== null && existsSync(path);
}

async function saysLoggedOut(
  program: FoundProgram,
  status: NonNullable<AvailabilityTraits["statusCommand"]>,
  env: Readonly<Record<string, string>>,
  context: AvailabilityContext,
): Promise<boolean> {
  const spawner = await context.loadSpawner();
  const cwd = findHome(env);
  // The spawner gives the run an id of its own.
  const child = spawner.spawn(program.path, [...program.args, ...status.args], { cwd, env: toChildEnv(env, { runId: "", cwd }) });
  const timer = setTimeout(() => child.killTree(), STATUS_COMMAND_TIMEOUT_MS);
  child.endStdin();
  const outcome = await child.done;
  clearTimeout(timer);
  return outcome.spawnErrorMessage === undefined && outcome.exitCode === status.loggedOutExitCode;
}

/** An environment without the variables that are not set. */
export function toStringEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
