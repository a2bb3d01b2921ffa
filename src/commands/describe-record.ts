import { toOptionInvocation } from "../adapters/invocation.js";
import { adapterFromRecord } from "../adapters/from-record.js";
import type { BackendRecord, OptionArgs } from "../adapters/record.js";
import { ACCESS_LEVELS, type AccessLevel } from "../events/schema.js";
import { JlgcliError } from "../errors.js";
import { printable } from "../printable.js";
import { findProgram } from "../process/find-program.js";
import { createRedactor } from "../sinks/redact.js";
import { toShellLine } from "./dry-run.js";
import type { CommandIo } from "../command-io.js";

/** What a sound record makes of a run, as lines for a person: the command, what it maps, what it lacks. */
export async function describeRecord(record: BackendRecord, io: CommandIo): Promise<string> {
  const lines: readonly (readonly [string, string])[] = [
    ["backend", `${record.displayName} (${record.id}${record.kind === "simulated" ? ", simulated" : ""})`],
    ["program", describeProgram(record, io)],
    ["a run", await describeRun(record, io)],
    ["options", listOr(listOptions(record, true), "none")],
    ["refuses", listOr(listOptions(record, false), "none")],
    ["access", describeAccess(record)],
    ["tells", listOr(listFeatures(record, true), "nothing but the answer")],
    ["lacks", listOr(listFeatures(record, false), "nothing")],
  ];
  const redact = createRedactor({ ...io.env, ...record.traits.env?.set });
  return lines.map(([name, text]) => redact(`${name.padEnd(9)}${printable(text)}`) + "\n").join("");
}

/** A run on the backend, as it is typed. */
export function describeRunCommand(record: BackendRecord): string {
  const access = findAccess(record);
  return `jlgcli run --backend ${record.id}${access === null || access === ACCESS_LEVELS[0] ? "" : ` --access ${access}`} "${SAMPLE_PROMPT}"`;
}

const SAMPLE_PROMPT = "hello";

function describeProgram({ traits }: BackendRecord, { env, cwd }: CommandIo): string {
  const found = findProgram(traits.command, { env, cwd });
  if (found === null) return `${traits.command} (not found on PATH)`;
  return "refusal" in found ? found.refusal : found.path;
}

/** As `--dry-run` prints it, but with the record's own variables alone. */
async function describeRun(record: BackendRecord, { cwd }: CommandIo): Promise<string> {
  const access = findAccess(record);
  const options = access === null ? {} : { access };
  const invocation = await adapterFromRecord(record).describeInvocation?.({ prompt: SAMPLE_PROMPT, cwd, env: {}, ...options });
  if (invocation === undefined) throw new JlgcliError("INTERNAL", `the record of '${record.id}' cannot describe a run`);
  const { envSet, envRemove } = toOptionInvocation(record, options);
  return toShellLine({ ...invocation, envSet, envRemoved: envRemove });
}

/** The level of a run that names none; where the record cannot enforce it, the lowest that it can. */
function findAccess(record: BackendRecord): AccessLevel | null {
  const levels = record.options?.access;
  return levels === undefined ? null : (ACCESS_LEVELS.find((level) => levels[level] !== undefined) ?? null);
}

function describeAccess(record: BackendRecord): string {
  const levels = ACCESS_LEVELS.filter((level) => record.options?.access?.[level] !== undefined);
  if (levels.length === 0) return "no level can be enforced: its tools do what its own settings allow, and --access is refused";
  if (levels.includes("read-only")) return levels.join(", ");
  return `${levels.join(", ")}; a run has to name one, since read-only cannot be enforced`;
}

// --- options ---

const OPTION_FLAGS = {
  model: "--model",
  effort: "--effort",
  systemPrompt: "--system-prompt",
  appendSystemPrompt: "--append-system-prompt",
  resume: "--resume",
} as const;

type ValueOption = keyof typeof OPTION_FLAGS;

function listOptions({ options }: BackendRecord, areMapped: boolean): readonly string[] {
  const names = Object.keys(OPTION_FLAGS) as readonly ValueOption[];
  return names.filter((name) => (options?.[name] !== undefined) === areMapped).map((name) => OPTION_FLAGS[name] + describeValues(options?.[name]));
}

function describeValues(option: OptionArgs | undefined): string {
  return option?.values === undefined ? "" : ` (${option.values.join(", ")})`;
}

// --- what it tells ---

/** What a record may say about a backend, and how one sees that it does. */
const FEATURES: readonly (readonly [name: string, isThere: (record: BackendRecord) => boolean])[] = [
  ["the answer as it is written", (record) => emits(record, "agent_message_chunk")],
  ["thoughts", (record) => emits(record, "agent_thought_chunk")],
  ["tool calls", (record) => emits(record, "tool_call")],
  ["refused tools", ({ traits }) => traits.output.deniedTools !== undefined],
  ["tokens", ({ traits }) => traits.output.usagePaths !== undefined || traits.output.usageParts !== undefined],
  ["cost", ({ traits }) => traits.output.costPath !== undefined],
  ["session", ({ traits }) => traits.output.sessionIdPath !== undefined],
  ["model", ({ traits }) => traits.output.modelPaths !== undefined],
  ["how a run ended", ({ traits }) => traits.output.terminal !== undefined],
  ["why a run failed", ({ traits }) => traits.output.failureReasons !== undefined],
  ["signs of a login", ({ availability }) => availability?.evidence !== undefined || availability?.statusCommand !== undefined],
  ["version", ({ availability }) => availability?.version !== undefined],
  ["how to install it", ({ availability }) => availability?.install !== undefined],
  ["how to sign in", ({ availability }) => availability?.login !== undefined],
];

function listFeatures(record: BackendRecord, areThere: boolean): readonly string[] {
  return FEATURES.filter(([, isThere]) => isThere(record) === areThere).map(([name]) => name);
}

function emits({ traits }: BackendRecord, type: string): boolean {
  return traits.output.events?.some(({ emit }) => emit === type) ?? false;
}

function listOr(items: readonly string[], otherwise: string): string {
  return items.length === 0 ? otherwise : items.join(", ");
}
