import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { checkAvailability } from "../adapters/availability.js";
import type { AvailabilityTraits, BackendRecord } from "../adapters/record.js";
import type { ChildProcessSpawner } from "../adapters/traits.js";
import type { AdapterAvailability } from "../adapters/types.js";
import { findHome } from "../environment.js";
import { JlgcliError } from "../errors.js";
import { printable } from "../printable.js";
import { findProgram, type FoundProgram } from "../process/find-program.js";
import type { BackendFacts, BackendStatus } from "./backend-report.js";
import { isVersionWithin } from "./compare-versions.js";
import { createProbeSpawner, runProbe, type ProbeOptions } from "./probe-spawner.js";

export interface RecordInspection {
  /** The environment that a run would have. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** How long an answer is waited for, in milliseconds. */
  readonly deadlines: { readonly loginMs: number; readonly versionMs: number };
  readonly loadSpawner: () => Promise<ChildProcessSpawner>;
}

/** Looks for a backend's program, asks it for its version, and for its login where nothing else tells; both at once. */
export async function inspectRecord(record: BackendRecord, context: RecordInspection): Promise<BackendFacts> {
  const found = findProgram(record.traits.command, { env: context.env, cwd: context.cwd });
  const program = found === null || "refusal" in found ? null : found;
  const [availability, version] = await Promise.all([
    inspectAvailability(record, program, context),
    program === null ? null : findVersion(record, program, context),
  ]);
  const versionTested = isTested(version, record.availability?.version);
  return {
    id: record.id,
    displayName: printable(record.displayName),
    kind: record.kind ?? "real",
    status: availability.status,
    details: availability.details ?? null,
    nextStep: toNextStep(record, availability.status),
    program: found?.path ?? null,
    version,
    versionTested,
    homepage: record.homepage ?? null,
    warnings: versionTested === false ? [describeUntested(record, version)] : [],
  };
}

async function inspectAvailability(record: BackendRecord, program: FoundProgram | null, context: RecordInspection): Promise<AdapterAvailability> {
  const { env, cwd, deadlines } = context;
  let isLate = false;
  const loadSpawner = async (): Promise<ChildProcessSpawner> => {
    if (program === null) throw new JlgcliError("INTERNAL", `the program of '${record.id}' was asked before it was found`);
    return createProbeSpawner(await context.loadSpawner(), {
      ...toProbeOptions(record, program, deadlines.loginMs, env),
      onLate: () => (isLate = true),
    });
  };
  const availability = await checkAvailability(record, { env, cwd, loadSpawner });
  return isLate ? { ...availability, details: describeLateStatus(record) } : availability;
}

/** Not knowing is no reason against a run: the run itself would tell. */
function describeLateStatus({ traits, availability }: BackendRecord): string {
  const question = [traits.command, ...(availability?.statusCommand?.args ?? [])].join(" ");
  return `not known whether it is signed in: '${question}' did not answer in time`;
}

async function findVersion(record: BackendRecord, program: FoundProgram, context: RecordInspection): Promise<string | null> {
  const traits = record.availability?.version;
  if (traits === undefined) return null;
  const probe = toProbeOptions(record, program, context.deadlines.versionMs, context.env);
  const { exitCode, stdout, stderr } = await runProbe(createProbeSpawner(await context.loadSpawner(), probe), traits.args, probe.cwd);
  if (exitCode !== 0) return null;
  const pattern = new RegExp(traits.pattern, "iu");
  // pi prints its version on stderr.
  const match = pattern.exec(stdout) ?? (stdout.trim() === "" ? pattern.exec(stderr) : null);
  const version = match?.[1] ?? match?.[0];
  return version === undefined ? null : printable(version);
}

/** Asked in the home folder: a project's own settings must have no say in the answer. */
function toProbeOptions(record: BackendRecord, program: FoundProgram, deadlineMs: number, env: RecordInspection["env"]): ProbeOptions {
  const home = findHome(env);
  return { record, program, env, cwd: existsSync(home) ? home : tmpdir(), deadlineMs };
}

function isTested(version: string | null, traits: AvailabilityTraits["version"]): boolean | null {
  if (version === null || traits === undefined) return null;
  return isVersionWithin(version, { from: traits.testedFrom, below: traits.testedBelow });
}

function describeUntested({ id, availability }: BackendRecord, version: string | null): string {
  const range = `from ${availability?.version?.testedFrom}, below ${availability?.version?.testedBelow}`;
  return `${id} ${version} is no version that this jlgcli was tested with (${range})`;
}

/** Which of a record's commands helps. */
const NEXT_STEPS: Partial<Readonly<Record<BackendStatus, "install" | "login">>> = { missing: "install", unauthenticated: "login" };

function toNextStep(record: BackendRecord, status: BackendStatus): string | null {
  const step = NEXT_STEPS[status];
  return step === undefined ? null : (record.availability?.[step] ?? null);
}
