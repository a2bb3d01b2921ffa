import * as z from "zod/mini";
import { FAILURE_REASONS, type AccessLevel } from "../events/schema.js";
import { JlgcliError } from "../errors.js";
import { describeUnplainData } from "../plain-data.js";
import { printable } from "../printable.js";
import { didYouMean } from "../did-you-mean.js";
import { listProblems } from "./record-problems.js";
import type { AccessTraits, AttachArgs, AvailabilityTraits, BackendRecord, DisallowToolsArgs, McpServerArgs, ModelOptionArgs, OptionArgs, OptionTraits, SchemaArgs, UnaskedServiceTraits } from "./record.js";
import type {
  Condition,
  ContextWindowTraits,
  DeniedToolRule,
  EndSignal,
  EnvTraits,
  EventRule,
  ExecutorOutputTraits,
  ExecutorTraits,
  FailureReasonRule,
  FieldSource,
  JsonObject,
  JsonValue,
  Path,
  MentionGuard,
  PathMatch,
  PathTest,
  ResultPartTraits,
  TerminalTraits,
  UsagePart,
  UsageWindowTraits,
} from "./traits.js";
import { validateTraits, type TraitProblem } from "./validate-traits.js";

/**
 * A user's backend record, from JSON.
 * @param source where it stands, named in the error: a file, or a key of the configuration.
 * @throws JlgcliError `BACKEND_RECORD_INVALID` with every problem as `path: reason`.
 */
export function parseBackendRecord(json: unknown, source: string): BackendRecord {
  const checked = checkBackendRecord(json);
  if (checked.record !== null) return checked.record;
  throw refuse(source, checked.problems.map(toSentence));
}

/** A record from JSON, or all that keeps it from being one, each with its path ("" is the whole record). */
export type CheckedRecord =
  | { readonly record: BackendRecord; readonly problems: readonly [] }
  | { readonly record: null; readonly problems: readonly TraitProblem[] };

/** Checks a user's backend record without throwing, for a caller that shows the problems one by one. */
export function checkBackendRecord(json: unknown): CheckedRecord {
  const unplain = describeUnplainData(json);
  if (unplain !== null) return { record: null, problems: [{ path: "", reason: unplain }] };
  const checked = backendRecordSchema.safeParse(json);
  if (!checked.success) return { record: null, problems: checked.error.issues.flatMap((issue) => listProblems(issue, json)) };
  const problems = findMeaningProblems(checked.data);
  return problems.length === 0 ? { record: checked.data, problems: [] } : { record: null, problems };
}

/** What the types cannot say. */
function findMeaningProblems(record: BackendRecord): readonly TraitProblem[] {
  const inTraits = validateTraits(record.traits).map(({ path, reason }) => ({ path: `traits.${path}`, reason }));
  if (record.id === record.traits.executorId) return inTraits;
  return [{ path: "traits.executorId", reason: `must be the record's id (${JSON.stringify(record.id)})` }, ...inTraits];
}

function toSentence({ path, reason }: TraitProblem): string {
  return path === "" ? reason : `${path}: ${reason}`;
}

function refuse(source: string, problems: readonly string[]): JlgcliError {
  return new JlgcliError("BACKEND_RECORD_INVALID", `the backend record in ${printable(source)} is not valid: ${problems.join("; ")}`, {
    hint: "`jlgcli backends check FILE` checks a record",
  });
}

/** Exactly the keys of a type: the compiler refuses a shape that has forgotten one or has one too many. */
type Shape<T> = { readonly [K in keyof T]-?: z.ZodMiniType<Exclude<T[K], undefined>> };

/** An object without other keys. The keys that its type makes optional are to be given as `optional(…)`. */
function object<T extends object>(shape: Shape<T>): z.ZodMiniType<T> {
  const known = Object.keys(shape);
  const error = (issue: z.core.$ZodRawIssue): string | undefined =>
    issue.code === "unrecognized_keys" ? issue.keys.map((name) => describeUnknownKey(name, known)).join("\n") : undefined;
  return z.strictObject(shape, { error }) as unknown as z.ZodMiniType<T>;
}

/** One line, since there may be several unknown keys in one object. */
function describeUnknownKey(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  return meant === null ? `unknown key; the keys are ${known.join(", ")}` : `unknown key; did you mean ${JSON.stringify(meant)}?`;
}

function optional<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T> {
  return z.exactOptional(schema);
}

/** Passed to another program: the system cannot pass a NUL. */
const text = z.string().check(z.refine((value) => !value.includes("\0"), { error: "must not hold a NUL character" }));
const texts: z.ZodMiniType<readonly string[]> = z.array(text);
const path: z.ZodMiniType<Path> = z.array(text);
const variables: z.ZodMiniType<Readonly<Record<string, string>>> = z.record(z.string(), text);
const milliseconds = z.int().check(z.gte(0), z.lte(600_000));
const pattern = z.string().check(z.refine(isPattern, { error: "must be a regular expression" }));
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], { error: "expected a string, a number, true, false or null" });

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "iu");
    return true;
  } catch {
    return false;
  }
}

/** As an id it is also a file's name. */
const id = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]*$/, { error: "must be letters, digits, '.', '_' and '-', and begin with a letter or a digit" }));

const jsonValue: z.ZodMiniType<JsonValue> = z.lazy(() =>
  z.union([text, z.number(), z.boolean(), z.null(), z.array(jsonValue), jsonObject], { error: "expected a JSON value" }),
);
const jsonObject: z.ZodMiniType<JsonObject> = z.record(z.string(), jsonValue);

const environment = object<EnvTraits>({
  set: optional(variables),
  remove: optional(texts),
  mergeJson: optional(z.record(z.string(), jsonObject)),
});

const pathMatch = object<PathMatch>({ path, equals: z.string() });

const pathTest = object<PathTest>({
  path,
  equals: optional(scalar),
  oneOf: optional(z.array(scalar)),
  startsWith: optional(z.string()),
  matches: optional(pattern),
  atLeast: optional(z.number()),
  exists: optional(z.boolean()),
});

const condition: z.ZodMiniType<Condition> = z.lazy(() =>
  z.union(
    [
      pathTest,
      object<{ readonly all: readonly Condition[] }>({ all: z.array(condition) }),
      object<{ readonly any: readonly Condition[] }>({ any: z.array(condition) }),
      object<{ readonly not: Condition }>({ not: condition }),
    ],
    { error: "expected a condition: an object with path, all, any or not" },
  ),
);

const fieldSource: z.ZodMiniType<FieldSource> = z.union(
  [
    path,
    object<Extract<FieldSource, { readonly path: Path }>>({ path, map: optional(variables), otherwise: optional(z.string()) }),
    object<{ readonly constant: string }>({ constant: z.string() }),
  ],
  { error: "expected a path (a list of names), or an object with path or constant" },
);

const usageWindows = object<UsageWindowTraits>({ when: pathMatch, path, utilizationKey: z.string(), resetsAtKey: z.string() });

const usageParts = object<Partial<Record<UsagePart, Path>>>({
  inputTokens: optional(path),
  outputTokens: optional(path),
  cacheReadTokens: optional(path),
  cacheWriteTokens: optional(path),
  reasoningTokens: optional(path),
});

const deniedTool = object<DeniedToolRule>({
  when: optional(condition),
  each: optional(path),
  name: optional(fieldSource),
  toolCallId: optional(fieldSource),
  reason: optional(fieldSource),
});

const eventRule = object<EventRule>({
  emit: z.enum(["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "warning"]),
  when: optional(condition),
  each: optional(path),
  eachWhen: optional(condition),
  fields: z.record(z.string(), fieldSource),
});

const failureReason = object<FailureReasonRule>({
  reason: z.enum(FAILURE_REASONS),
  when: optional(condition),
  detail: optional(pattern),
  stderr: optional(pattern),
  exitCodes: optional(z.array(z.int().check(z.gte(0), z.lte(255)))),
});

const output = object<ExecutorOutputTraits>({
  payload: z.enum(["single-object", "jsonl", "text"]),
  resultPath: path,
  resultWhen: optional(condition),
  failureWhen: optional(condition),
  errorFlagPath: optional(path),
  statusPath: optional(path),
  errorStatusPrefix: optional(z.string()),
  errorMessagePath: optional(path),
  metadata: optional(z.record(z.string(), path)),
  usageWhen: optional(condition),
  usagePaths: optional(z.array(path)),
  usageWindows: optional(usageWindows),
  terminal: optional(object<TerminalTraits>({ success: optional(condition), failure: optional(condition) })),
  resultParts: optional(object<ResultPartTraits>({ by: optional(path), separator: optional(z.string()), startsAnewWhen: optional(condition) })),
  errorMessagePaths: optional(z.array(path)),
  detailNoise: optional(z.array(pattern)),
  provisionalWhen: optional(condition),
  sessionIdPath: optional(path),
  modelPaths: optional(z.array(path)),
  modelWhen: optional(condition),
  usageParts: optional(usageParts),
  structuredPath: optional(path),
  costPath: optional(object<NonNullable<ExecutorOutputTraits["costPath"]>>({ path, when: optional(condition), currency: z.string() })),
  contextWindow: optional(object<ContextWindowTraits>({ usedWhen: condition, usedPaths: z.array(path), sizeWhen: condition, sizePath: path })),
  usageGrowsOverSession: optional(z.boolean()),
  deniedTools: optional(z.array(deniedTool)),
  events: optional(z.array(eventRule)),
  failureReasons: optional(z.array(failureReason)),
  hopelessRetry: optional(object<NonNullable<ExecutorOutputTraits["hopelessRetry"]>>({ when: condition, afterCount: z.number() })),
});

const endSignal = object<EndSignal>({
  signal: z.enum(["SIGINT", "SIGTERM", "SIGHUP"]),
  to: z.enum(["child", "tree"]),
  waitMs: milliseconds,
});

const traits = object<ExecutorTraits>({
  executorId: id,
  command: text,
  args: texts,
  promptDelivery: z.enum(["stdin", "argument"]),
  promptArgSeparator: optional(text),
  output,
  promptGuard: optional(object<NonNullable<ExecutorTraits["promptGuard"]>>({ when: pattern, prefix: text })),
  mentionGuard: optional(object<MentionGuard>({ when: pattern, args: optional(texts), each: optional(text), env: optional(variables) })),
  stdout: optional(z.enum(["pipe", "file"])),
  env: optional(environment),
  sideFile: optional(object<NonNullable<ExecutorTraits["sideFile"]>>({ args: texts })),
  exitGraceMs: optional(milliseconds),
  endSignals: optional(z.array(endSignal)),
});

/** Without a place for its value an option would be dropped in silence. */
const valueArgs = texts.check(
  z.refine((args) => args.some((arg) => arg.includes("{value}") || arg.includes("{json}")), { error: "must hold {value} or {json}, where the option's value goes" }),
);

const optionArgs = object<OptionArgs>({ args: valueArgs, values: optional(texts) });

const modelArgs = object<ModelOptionArgs>({ args: valueArgs, values: optional(texts), aliases: optional(z.record(z.string(), pattern)) });

const schemaArgs = object<SchemaArgs>({
  args: texts.check(z.refine((args) => args.some((arg) => arg.includes("{value}") || arg.includes("{file}")), { error: "must hold {value} or {file}, where the schema goes" })),
  strictOnly: optional(z.boolean()),
});

const attachArgs = object<AttachArgs>({ args: valueArgs, extensions: optional(texts), separator: optional(text) });

const mcpServers = object<McpServerArgs>({
  args: optional(texts),
  each: object<McpServerArgs["each"]>({ stdio: optional(texts), http: optional(texts), sse: optional(texts) }),
  otherInNames: optional(pattern),
  dollar: optional(text),
  env: optional(variables),
}).check(z.refine(handsServersOn, { error: "must hold {json} or {file} in args, or {name} in the arguments of each transport" }));

/** Else a server would be dropped in silence. */
function handsServersOn({ args = [], each }: McpServerArgs): boolean {
  const transports = Object.values(each);
  if (transports.length === 0) return false;
  return args.some((arg) => /\{(?:json|file)\}/.test(arg)) || transports.every((eachArgs) => eachArgs.some((arg) => arg.includes("{name}")));
}

const disallowTools = object<DisallowToolsArgs>({
  args: texts.check(z.refine((args) => args.some((arg) => arg.includes("{value}")), { error: "must hold {value}, where a tool's name goes" })),
  known: optional(pattern),
});

const refuseIf = object<NonNullable<AccessTraits["refuseIf"]>>({ files: texts, matches: pattern, because: text });

/** It is put into a folder of its own, so it must be a plain name. */
const accessFile = object<NonNullable<AccessTraits["file"]>>({ name: id, content: z.string() });

const accessTraits = object<AccessTraits>({ args: texts, file: optional(accessFile), refuseIf: optional(refuseIf), env: optional(environment) });

const access = object<Partial<Record<AccessLevel, AccessTraits>>>({
  "read-only": optional(accessTraits),
  "workspace-write": optional(accessTraits),
  full: optional(accessTraits),
});

const options = object<OptionTraits>({
  model: optional(modelArgs),
  effort: optional(optionArgs),
  systemPrompt: optional(optionArgs),
  appendSystemPrompt: optional(optionArgs),
  resume: optional(optionArgs),
  schema: optional(schemaArgs),
  attach: optional(attachArgs),
  mcpServers: optional(mcpServers),
  disallowTools: optional(disallowTools),
  access: optional(access),
  reservedArgs: optional(texts),
  repeatableArgs: optional(texts),
});

type Part<K extends keyof AvailabilityTraits> = NonNullable<AvailabilityTraits[K]>;

const availability = object<AvailabilityTraits>({
  platforms: optional(z.array(z.enum(["aix", "android", "darwin", "freebsd", "linux", "openbsd", "sunos", "win32"]))),
  install: optional(z.string()),
  login: optional(z.string()),
  evidence: optional(object<Part<"evidence">>({ env: optional(texts), files: optional(texts) })),
  statusCommand: optional(object<Part<"statusCommand">>({ args: texts, loggedOutExitCode: z.int().check(z.gte(1), z.lte(255)) })),
  version: optional(object<Part<"version">>({ args: texts, pattern, testedFrom: z.string(), testedBelow: z.string() })),
});

const unaskedService = object<UnaskedServiceTraits>({
  env: environment,
  unless: object<UnaskedServiceTraits["unless"]>({
    model: optional(pattern),
    env: optional(texts),
    files: optional(z.array(object<{ readonly file: string; readonly matches: string }>({ file: text, matches: pattern }))),
  }),
});

/** The schema of a backend record, for users' own ones in JSON. */
export const backendRecordSchema = object<BackendRecord>({
  id,
  displayName: z.string(),
  kind: optional(z.enum(["real", "simulated"])),
  homepage: optional(z.string()),
  traits,
  options: optional(options),
  availability: optional(availability),
  unaskedService: optional(unaskedService),
});
