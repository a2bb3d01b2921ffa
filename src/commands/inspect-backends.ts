import { existsSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN_IDS } from "../adapters/backend-ids.js";
import { BUILT_IN_RECORDS } from "../adapters/records/index.js";
import { REPLAY_ID } from "../adapters/replay-id.js";
import type { ChildProcessSpawner } from "../adapters/traits.js";
import { findUserRecord, listUserBackends, userBackendsFolder, type UserBackendPlaces } from "../adapters/user-backends.js";
import { CONFIG_KEYS, type Config } from "../config/schema.js";
import { JlgcliError, describeError } from "../errors.js";
import { printable, quotePath } from "../printable.js";
import type { BackendFacts, BackendReport } from "./backend-report.js";
import { inspectRecord, type RecordInspection } from "./inspect-record.js";

export interface InspectOptions {
  readonly config: Config;
  /** The environment that a run would have. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface BackendsInspection {
  readonly backends: readonly BackendReport[];
  /** What concerns no single backend. */
  readonly warnings: readonly string[];
}

/**
 * How long programs may take to answer, in milliseconds: with jlgcli's own start all is done within a second. A version
 * is good to know, a login decides; ending the one that is late leaves the machine to the other.
 */
const DEADLINES = { loginMs: 750, versionMs: 600 };

/** Where jlgcli itself took long to come here, others will take longer too. */
const DEADLINE_PER_OWN_START = 7;
const LONGEST_DEADLINE_MS = 3000;

/**
 * Looks at every known backend at once: the built-in ones, the simulated one, and the user's own. Records that cannot
 * be used are part of the list. An answer that a program gives late is not waited for.
 */
export async function inspectBackends({ config, env, cwd }: InspectOptions): Promise<BackendsInspection> {
  const places: UserBackendPlaces = { env, ...(config.backends === undefined ? {} : { records: config.backends }) };
  const defaultId = config.backend ?? CONFIG_KEYS.backend.default ?? null;
  const { ids: userIds, problem } = findUserIds(places);
  const context: Context = { env, cwd, deadlines: toDeadlines(performance.now()), loadSpawner: createSpawnerLoader(), places, userIds, defaultId };
  const builtIn = [...BUILT_IN_RECORDS.map((record) => inspectRecord(record, context)), Promise.resolve(REPLAY_FACTS)];
  const backends = await Promise.all([
    ...builtIn.map(async (facts) => toReport(await facts, null, context)),
    ...userIds.filter((id) => !BUILT_IN_IDS.includes(id)).map((id) => inspectUserBackend(id, context)),
  ]);
  const unknownDefault = await describeUnknownDefault(defaultId, backends);
  return { backends, warnings: [problem, unknownDefault].filter((warning) => warning !== null) };
}

/** True where a run could really be made: simulated backends never count. */
export function isAnyRealAvailable(backends: readonly BackendReport[]): boolean {
  return backends.some(({ kind, status }) => kind === "real" && status === "available");
}

/** @param ownStartMs how long this process has been running. */
function toDeadlines(ownStartMs: number): RecordInspection["deadlines"] {
  const onSlowMachine = Math.min(ownStartMs * DEADLINE_PER_OWN_START, LONGEST_DEADLINE_MS);
  return { loginMs: Math.max(DEADLINES.loginMs, onSlowMachine), versionMs: Math.max(DEADLINES.versionMs, onSlowMachine) };
}

interface Context extends RecordInspection {
  readonly places: UserBackendPlaces;
  readonly userIds: readonly string[];
  readonly defaultId: string | null;
}

/** The player is part of the package: there is nothing to install and nobody to sign in. */
const REPLAY_FACTS: BackendFacts = {
  id: REPLAY_ID,
  displayName: "Replay",
  kind: "simulated",
  status: "available",
  details: "plays a recording, asks no model",
  nextStep: null,
  program: null,
  version: null,
  versionTested: null,
  homepage: null,
  warnings: [],
};

/** Loaded once, and only where a program is asked. */
function createSpawnerLoader(): () => Promise<ChildProcessSpawner> {
  let loading: Promise<ChildProcessSpawner> | undefined;
  return () => (loading ??= import("../process/spawner.js").then(({ createProcessSpawner }) => createProcessSpawner()));
}

function findUserIds(places: UserBackendPlaces): { readonly ids: readonly string[]; readonly problem: string | null } {
  try {
    return { ids: listUserBackends(places), problem: null };
  } catch (error) {
    const folder = printable(userBackendsFolder(places));
    return { ids: Object.keys(places.records ?? {}).sort(), problem: `the backend records in ${folder} do not count: ${describeError(error)}` };
  }
}

async function describeUnknownDefault(id: string | null, backends: readonly BackendReport[]): Promise<string | null> {
  if (id === null || backends.some((backend) => backend.id === id)) return null;
  const { didYouMean } = await import("../did-you-mean.js");
  const meant = didYouMean(id, backends.map((backend) => backend.id));
  return `the configured backend '${printable(id)}' is not known${meant === null ? "" : `; did you mean '${meant}'?`}`;
}

/** @param source where a record of the user's own stands; null for what comes with jlgcli. */
function toReport(facts: BackendFacts, source: string | null, context: Context): BackendReport {
  const { id, warnings, ...rest } = facts;
  return {
    id: printable(id),
    ...rest,
    origin: source === null ? "built-in" : "user",
    source,
    isDefault: id === context.defaultId,
    warnings: [...warnings, ...describeShadowed(id, source, context)],
  };
}

// --- the user's own ---

async function inspectUserBackend(id: string, context: Context): Promise<BackendReport> {
  const source = isConfigured(id, context.places) ? describeConfigPlace(id) : recordFile(id, context.places);
  try {
    const record = await findUserRecord(id, context.places);
    const facts = record === null ? toInvalid(id, source, BAD_ID, context) : await inspectRecord(record, context);
    return toReport(facts, source, context);
  } catch (error) {
    if (!(error instanceof JlgcliError)) throw error;
    return toReport(toInvalid(id, source, error.message, context), source, context);
  }
}

const BAD_ID = "its file's name cannot be an id: that is letters, digits, '.', '_' and '-', and begins with a letter or a digit";

function toInvalid(id: string, source: string, details: string, { places }: Context): BackendFacts {
  return {
    id,
    displayName: null,
    kind: null,
    status: "invalid",
    details,
    nextStep: isConfigured(id, places) ? null : `jlgcli backends check ${quotePath(source)}`,
    program: null,
    version: null,
    versionTested: null,
    homepage: null,
    warnings: [],
  };
}

/** A record that is there and does not count must not be looked for in vain. */
function describeShadowed(id: string, source: string | null, { places, userIds }: Context): readonly string[] {
  if (!userIds.includes(id)) return [];
  const [configured, file] = [isConfigured(id, places), recordFile(id, places)];
  const hasFile = existsSync(file);
  if (source !== null) return configured && hasFile ? [`${printable(file)} does not count: ${describeConfigPlace(id)} comes first`] : [];
  const shadowed = [...(configured ? [describeConfigPlace(id)] : []), ...(hasFile ? [printable(file)] : [])].join(" and ");
  return [`${shadowed} does not count: '${id}' comes with jlgcli; give your record another id`];
}

function isConfigured(id: string, { records }: UserBackendPlaces): boolean {
  return records !== undefined && Object.hasOwn(records, id);
}

function describeConfigPlace(id: string): string {
  return `backends.${printable(id)} of the configuration`;
}

function recordFile(id: string, places: UserBackendPlaces): string {
  return join(userBackendsFolder(places), `${id}.json`);
}
