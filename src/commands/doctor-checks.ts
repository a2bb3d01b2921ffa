import { arch, release, tmpdir } from "node:os";
import { findHome } from "../environment.js";
import { findProjectFile, findUserFile } from "../config/find-files.js";
import { loadConfigWithSources, type LoadedConfig } from "../config/loader.js";
import { findUntrustedFolder } from "../config/trust.js";
import { JlgcliError, describeError } from "../errors.js";
import type { RunStatus } from "../exit-codes.js";
import { quotePath } from "../printable.js";
import { AGENT_MARKERS } from "../process/child-env.js";
import { createOutputFile } from "../process/output-file.js";
import { wantsColor } from "../render/style.js";
import { VERSION } from "../version.js";
import type { BackendReport, BackendStatus } from "./backend-report.js";
import { compareVersions } from "./compare-versions.js";
import { inspectBackends, isAnyRealAvailable } from "./inspect-backends.js";
import type { CommandIo } from "../command-io.js";

/** `note`: good to know. `warning`: may surprise. `problem`: something will not work. */
export type CheckLevel = "ok" | "note" | "warning" | "problem";

export interface DoctorCheck {
  readonly name: string;
  readonly level: CheckLevel;
  readonly message: string;
  readonly nextStep: string | null;
  /** How runs end because of this; null where they do not. */
  readonly status: RunStatus | null;
}

export interface Examination {
  readonly checks: readonly DoctorCheck[];
  readonly backends: readonly BackendReport[];
  /** The environment that a run would have. */
  readonly env: Readonly<Record<string, string>>;
}

/** Looks at everything that a run from here depends on. Broken configuration is one of the findings, not an error. */
export async function examine(io: CommandIo): Promise<Examination> {
  const configuration = await loadConfiguration(io);
  const config = configuration.loaded?.config ?? {};
  const env = { ...io.env, ...config.env };
  const inspection = await inspectBackends({ config, env, cwd: io.cwd });
  const checks = [
    toCheck("jlgcli", "ok", VERSION),
    checkNode(process.version),
    checkPlatform(process.platform),
    ...checkConfiguration(io, configuration),
    ...(await checkTrust(io)),
    ...inspection.warnings.map((warning) => toCheck("backends", "problem", warning, { status: "config", nextStep: "jlgcli backends" })),
    ...inspection.backends.flatMap(checkBackend),
    ...checkAvailable(inspection.backends),
    checkTemporaryFolder(),
    checkTerminal(io),
    checkProxies(io.env),
    checkAgents(io.env),
  ];
  return { checks, backends: inspection.backends, env };
}

function toCheck(name: string, level: CheckLevel, message: string, more: Partial<Pick<DoctorCheck, "nextStep" | "status">> = {}): DoctorCheck {
  return { name, level, message, nextStep: more.nextStep ?? null, status: more.status ?? null };
}

// --- the program and its machine ---

/** The same as `engines` of package.json. */
export const LOWEST_NODE_VERSION = "20.19";

export function checkNode(version: string): DoctorCheck {
  const isEnough = (compareVersions(version, LOWEST_NODE_VERSION) ?? 0) >= 0;
  if (isEnough) return toCheck("node", "ok", version);
  return toCheck("node", "problem", `${version} is older than ${LOWEST_NODE_VERSION}`, { status: "error", nextStep: "install a newer Node: https://nodejs.org" });
}

const TESTED_PLATFORMS: readonly string[] = ["linux", "darwin", "win32"];

export function checkPlatform(platform: string): DoctorCheck {
  const name = `${platform} ${release()} ${arch()}`;
  return TESTED_PLATFORMS.includes(platform) ? toCheck("platform", "ok", name) : toCheck("platform", "warning", `${name} is not tested`);
}

// --- configuration ---

type Configuration = { readonly loaded: LoadedConfig; readonly problem: null } | { readonly loaded: null; readonly problem: JlgcliError };

async function loadConfiguration({ cwd, env }: CommandIo): Promise<Configuration> {
  try {
    return { loaded: await loadConfigWithSources({ cwd, env }), problem: null };
  } catch (error) {
    if (error instanceof JlgcliError) return { loaded: null, problem: error };
    throw error;
  }
}

function checkConfiguration({ cwd, env }: CommandIo, { loaded, problem }: Configuration): readonly DoctorCheck[] {
  if (loaded !== null) {
    return [toCheck("config", "ok", describeLayers(loaded)), ...loaded.warnings.map(({ message }) => toCheck("config", "warning", message))];
  }
  const home = findHome(env);
  const files = [findUserFile(home), findProjectFile(cwd, home)].flatMap((file) => (file === null ? [] : [file.path]));
  return [
    ...(files.length === 0 ? [] : [toCheck("config", "note", `files: ${files.join(", ")}`)]),
    toCheck("config", "problem", problem.message, { status: problem.status, nextStep: problem.hint ?? null }),
  ];
}

/** Which keys each layer sets. Values may be secrets. */
function describeLayers({ layers }: LoadedConfig): string {
  if (layers.length === 0) return "nothing set: the defaults hold";
  return layers.map(({ file, values }) => `${file ?? "the environment"} sets ${listOr(Object.keys(values), "nothing")}`).join("; ");
}

function listOr(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : names.join(", ");
}

/** Told by itself, since it decides what a project's file may set. */
async function checkTrust({ cwd, env }: CommandIo): Promise<readonly DoctorCheck[]> {
  const file = findProjectFile(cwd, findHome(env));
  if (file === null) return [toCheck("trust", "ok", "no project's configuration here that would need it")];
  try {
    const folder = await findUntrustedFolder(file, env);
    if (folder === null) return [toCheck("trust", "ok", `${file.folder} is trusted`)];
    const nextStep = `jlgcli trust ${quotePath(folder)}`;
    return [toCheck("trust", "note", `${folder} is not trusted: its configuration counts in part`, { nextStep })];
  } catch (error) {
    // Loading the configuration has failed by the same fault, and told it.
    if (error instanceof JlgcliError) return [];
    throw error;
  }
}

// --- backends ---

const BACKEND_LEVELS: Readonly<Record<BackendStatus, CheckLevel>> = {
  available: "ok",
  unauthenticated: "warning",
  missing: "note",
  unsupported: "note",
  invalid: "problem",
};

function checkBackend(backend: BackendReport): readonly DoctorCheck[] {
  const { id, status, nextStep, details, warnings } = backend;
  const name = `backend ${id}`;
  const message = [status, describeProgram(backend), ...(nextStep === null && details !== null ? [details] : [])].filter((part) => part !== "").join(", ");
  return [
    toCheck(name, BACKEND_LEVELS[status], status === "invalid" ? (details ?? status) : message, { nextStep, ...(status === "invalid" ? { status: "config" } : {}) }),
    ...warnings.map((warning) => toCheck(name, "warning", warning)),
  ];
}

function describeProgram({ program, version, isDefault }: BackendReport): string {
  const parts = [...(isDefault ? ["the default"] : []), ...(program === null ? [] : [version ?? "version unknown", program])];
  return parts.join(", ");
}

function checkAvailable(backends: readonly BackendReport[]): readonly DoctorCheck[] {
  if (!isAnyRealAvailable(backends)) {
    return [toCheck("backends", "problem", "none that asks a model can be used", { status: "backend-missing", nextStep: "install one, or sign in to one, as told above" })];
  }
  const usable = backends.filter(({ kind, status }) => kind === "real" && status === "available").map(({ id }) => id);
  const chosen = backends.find(({ isDefault }) => isDefault);
  if (chosen === undefined || chosen.status === "available") return [];
  const message = `a run that names no backend goes to ${chosen.id}, which is ${chosen.status}`;
  return [toCheck("backends", "warning", message, { nextStep: `jlgcli config set backend ${usable[0] ?? ""}` })];
}

// --- surroundings ---

/** Backends whose output is read from a file need a folder for it. */
function checkTemporaryFolder(): DoctorCheck {
  const asked = tmpdir();
  try {
    const file = createOutputFile();
    file.close();
    if (file.folder === asked) return toCheck("temp", "ok", `${asked} can be written`);
    return toCheck("temp", "warning", `${asked} cannot be written; ${file.folder} is used in its place`, { nextStep: "set TMPDIR to a folder of yours" });
  } catch (error) {
    return toCheck("temp", "problem", describeError(error), { status: "cannot-create", nextStep: "set TMPDIR to a folder that can be written" });
  }
}

function checkTerminal({ env, stdoutIsTty, stderrIsTty }: CommandIo): DoctorCheck {
  const kindOf = (isTty: boolean): string => (isTty ? "a terminal" : "no terminal");
  const facts = [`stdout is ${kindOf(stdoutIsTty)}`, `stderr is ${kindOf(stderrIsTty)}`, `colour ${wantsColor(stderrIsTty, env) ? "on" : "off"}`];
  return toCheck("terminal", "ok", facts.join(", "));
}

const PROXY_NAMES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];

/** Node's own `fetch` follows proxies only when told to (https://nodejs.org/api/cli.html#node_use_env_proxy1). */
export function checkProxies(env: Readonly<Record<string, string>>): DoctorCheck {
  const names = Object.keys(env).filter((name) => PROXY_NAMES.includes(name.toLowerCase()) && env[name] !== "").sort();
  if (names.length === 0) return toCheck("proxy", "ok", "no variables set");
  const set = `${names.join(", ")} set`;
  const isOnlyExceptions = names.every((name) => name.toLowerCase() === "no_proxy");
  if (isOnlyExceptions || isSet(env["NODE_USE_ENV_PROXY"])) return toCheck("proxy", "ok", set);
  return toCheck("proxy", "note", set, {
    nextStep: "a backend that runs on Node (22.21, or 24 and newer) may follow them only with NODE_USE_ENV_PROXY=1",
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0";
}

/** A backend that inherits the marks of an agent around it takes that one's session for its own, or refuses to start. */
export function checkAgents(env: Readonly<Record<string, string>>): DoctorCheck {
  const names = AGENT_MARKERS.filter((name) => env[name] !== undefined);
  if (names.length === 0) return toCheck("agent", "ok", "not started by another agent");
  return toCheck("agent", "note", `started inside another agent: ${names.join(", ")} set; backends do not get to see that`);
}
