import { extname } from "node:path";
import { JlgcliError } from "../errors.js";
import type { AccessLevel, WarningCode } from "../events/schema.js";
import { toDisallowArgs } from "./disallow-tools.js";
import type { JsonVariables } from "./merge-json.js";
import { toMcpDelivery } from "./mcp-delivery.js";
import type { FileContent } from "../temp-files.js";
import type { FileContents, FilePaths, FileUse } from "./private-files.js";
import type { AccessTraits, BackendRecord, OptionArgs, OptionTraits } from "./record.js";
import type { BackendOptions } from "./types.js";

/** What the options of a run add to a backend's fixed invocation. */
export interface OptionInvocation {
  readonly extraArgs: readonly string[];
  readonly envSet: Readonly<Record<string, string>>;
  readonly envRemove: readonly string[];
  readonly envMergeJson: readonly JsonVariables[];
  /** What has to stand in the files that `extraArgs` name. */
  readonly files: FileContents;
  readonly access: AccessLevel | null;
  /** What is not, or perhaps not, as it was asked for. */
  readonly warnings: readonly InvocationWarning[];
}

export interface InvocationWarning {
  readonly code: WarningCode;
  /** A sentence for people. */
  readonly message: string;
}

/** The level of a run that names none, on a backend that has levels. */
export const DEFAULT_ACCESS: AccessLevel = "read-only";

type ValueOption = "model" | "effort" | "systemPrompt" | "appendSystemPrompt" | "resume";

/** In the order in which their arguments stand; `resume` is last, since it may be a subcommand. */
const VALUE_OPTIONS: readonly (readonly [ValueOption, flag: string])[] = [
  ["model", "--model"],
  ["effort", "--effort"],
  ["systemPrompt", "--system-prompt"],
  ["appendSystemPrompt", "--append-system-prompt"],
];

/**
 * Maps the options of a run through a backend's record. Pure.
 * @param paths where the files stand that its arguments name; a word in capitals where they are not made.
 * @throws JlgcliError `BACKEND_OPTION_UNSUPPORTED` for an option that the backend cannot honour: it is never dropped.
 */
export function toOptionInvocation(record: BackendRecord, options: BackendOptions, paths: FilePaths = {}): OptionInvocation {
  const access = resolveAccess(record, options.access);
  const accessTraits = access === null ? undefined : record.options?.access?.[access];
  const pathOf = (use: FileUse): string => paths[use] ?? FILE_WORDS[use];
  const mcp = toMcpDelivery(record, access, options.mcpServers ?? [], pathOf("mcpServers"));
  const disallow = toDisallowArgs(record, options.disallowedTools ?? []);
  refuseCollisions(record, options.backendArgs ?? []);
  refuseWithoutEffect(record, options);
  return {
    extraArgs: [
      ...(accessTraits?.args ?? []).map((arg) => arg.replaceAll("{file}", () => pathOf("access"))),
      ...VALUE_OPTIONS.flatMap(([option, flag]) => toOptionArgs(record, option, flag, options[option])),
      ...toSchemaArgs(record, options.schema, pathOf("schema")),
      ...(options.attachments ?? []).flatMap((file) => toAttachArgs(record, file)),
      ...mcp.args,
      ...disallow.args,
      ...(options.backendArgs ?? []),
      ...toOptionArgs(record, "resume", "--resume", options.resume),
    ],
    envSet: { ...record.traits.env?.set, ...accessTraits?.env?.set, ...mcp.env },
    envRemove: [...(record.traits.env?.remove ?? []), ...(accessTraits?.env?.remove ?? [])],
    envMergeJson: [record.traits.env?.mergeJson ?? {}, accessTraits?.env?.mergeJson ?? {}],
    files: { access: accessTraits?.file, schema: toSchemaFile(record, options.schema), mcpServers: mcp.file },
    access,
    warnings: [...toWarnings("mcp-servers-withheld", mcp.withheld), ...toWarnings("forbidden-tools-unknown", disallow.doubts)],
  };
}

function toWarnings(code: WarningCode, messages: readonly string[]): readonly InvocationWarning[] {
  return messages.map((message) => ({ code, message }));
}

/** Stand for the files in a description of a run, which makes none. */
const FILE_WORDS: Readonly<Record<FileUse, string>> = { access: "ACCESS_FILE", schema: "SCHEMA_FILE", mcpServers: "MCP_SERVERS_FILE" };

/** Where a record names no levels there is nothing to enforce, and a level that is asked for is refused. */
function resolveAccess(record: BackendRecord, asked: AccessLevel | undefined): AccessLevel | null {
  const levels = record.options?.access;
  if (levels === undefined && asked === undefined) return null;
  const access = asked ?? DEFAULT_ACCESS;
  if (levels?.[access] !== undefined) return access;
  const offered = Object.keys(levels ?? {});
  throw unsupported(
    record,
    `--access ${access}`,
    offered.length === 0 ? "it has no way to enforce an access level" : `give one that it can enforce: --access ${offered.join(" or ")}`,
  );
}

function toOptionArgs(record: BackendRecord, option: ValueOption, flag: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  const traits: OptionArgs | undefined = record.options?.[option];
  if (traits === undefined) throw unsupported(record, flag, "leave it out, or choose another backend");
  if (traits.values !== undefined && !traits.values.includes(value)) {
    throw unsupported(record, `${flag} ${value}`, `it takes one of ${traits.values.join(", ")}`);
  }
  if (value.trim() === "") throw unsupported(record, `${flag} with an empty value`, "give a value, or leave the option out");
  if (NAME_OPTIONS.has(option) && value.startsWith("-")) throw unsupported(record, `${flag} ${value}`, "give a name that does not begin with '-'");
  return traits.args.map((arg) => arg.replace(/\{(?:value|json)\}/g, (place) => (place === "{json}" ? JSON.stringify(value) : value)));
}

/** Their values are names, which a program would read as one more option where they begin like one: it could undo the access level. */
const NAME_OPTIONS: ReadonlySet<ValueOption> = new Set(["model", "effort", "resume"]);

/** Refuses options that no argument of the backend stands for, where they could do nothing. */
function refuseWithoutEffect(record: BackendRecord, options: BackendOptions): void {
  if (options.cassette !== undefined && record.kind !== "simulated") {
    throw unsupported(record, "--cassette", "recordings are played by --backend replay");
  }
  if (options.strictPermissions === true && record.traits.output.deniedTools === undefined) {
    throw unsupported(record, "--strict-permissions", "it does not tell which tools were refused; leave it out, or choose another backend");
  }
  if (options.strictModel === true) refuseStrictModel(record, options.model);
}

/** A check that could never fail. */
function refuseStrictModel(record: BackendRecord, model: string | undefined): void {
  if (model === undefined) throw new JlgcliError("USAGE_INVALID", "--strict-model needs a model to be asked for", { hint: "name one with --model" });
  if (record.traits.output.modelPaths !== undefined) return;
  throw unsupported(record, "--strict-model", "it does not tell which model answers; leave it out, or choose another backend");
}

function toSchemaFile(record: BackendRecord, schema: string | undefined): FileContent | undefined {
  const needsFile = record.options?.schema?.args.some((arg) => arg.includes("{file}")) === true;
  return schema === undefined || !needsFile ? undefined : { name: "schema.json", content: schema };
}

function toSchemaArgs(record: BackendRecord, schema: string | undefined, schemaFile: string): readonly string[] {
  if (schema === undefined) return [];
  const traits = record.options?.schema;
  if (traits === undefined) throw unsupported(record, "--schema", "leave it out, or choose another backend");
  return traits.args.map((arg) => arg.replace(/\{(?:value|file)\}/g, (place) => (place === "{file}" ? schemaFile : schema)));
}

function toAttachArgs(record: BackendRecord, file: string): readonly string[] {
  const traits = record.options?.attach;
  if (traits === undefined) throw unsupported(record, "--attach", "leave it out, or choose another backend");
  const { extensions, separator } = traits;
  if (extensions !== undefined && !extensions.includes(extname(file).toLowerCase())) {
    throw unsupported(record, `--attach ${file}`, `it takes ${extensions.join(", ")}`);
  }
  if (separator !== undefined && file.includes(separator)) throw unsupported(record, `--attach ${file}`, `the path must not have '${separator}'`);
  return traits.args.map((arg) => arg.replaceAll("{value}", () => file));
}

// --- --backend-arg ---

/** Refuses arguments that would change what the record fixes: the prompt, the output, the access level. */
function refuseCollisions(record: BackendRecord, backendArgs: readonly string[]): void {
  const reserved = toReservedArgs(record);
  backendArgs.forEach((arg, index) => {
    const next = backendArgs[index + 1];
    const hit = reserved.find((entry) => collides(entry, arg, next));
    if (hit !== undefined) {
      throw unsupported(record, `--backend-arg ${arg}`, `jlgcli sets ${hit.join(" ")} itself; use jlgcli's own option where it has one`);
    }
  });
}

/** A flag, or a flag with the beginning of its value. */
type ReservedArg = readonly [flag: string, valuePrefix?: string];

function toReservedArgs(record: BackendRecord): readonly ReservedArg[] {
  const options: OptionTraits = record.options ?? {};
  const repeatable = options.repeatableArgs ?? [];
  const own = [record.traits.args, ...listOptionArgs(options)].flatMap((args) => toFlags(args, repeatable));
  const separator: readonly ReservedArg[] = record.traits.promptArgSeparator === undefined ? [["--"]] : [[record.traits.promptArgSeparator]];
  return [...own, ...separator, ...(options.reservedArgs ?? []).map(toReservedArg)];
}

function listOptionArgs(options: OptionTraits): readonly (readonly string[])[] {
  const values = [options.model, options.effort, options.systemPrompt, options.appendSystemPrompt, options.resume];
  const more = [options.schema, options.attach, options.mcpServers, options.disallowTools].flatMap((value) => (value?.args === undefined ? [] : [value.args]));
  const levels = Object.values(options.access ?? {});
  return [...values.flatMap((value) => (value === undefined ? [] : [value.args])), ...more, ...Object.values(options.mcpServers?.each ?? {}), ...levels.map((level: AccessTraits) => level.args)];
}

function toFlags(args: readonly string[], repeatable: readonly string[]): readonly ReservedArg[] {
  return args.flatMap((arg, index): readonly ReservedArg[] => {
    if (!arg.startsWith("-")) return [];
    const [flag = arg] = arg.split("=", 1);
    if (!repeatable.includes(flag)) return [[flag]];
    const [key = ""] = (args[index + 1] ?? "").split("=", 1);
    return [[flag, key]];
  });
}

function toReservedArg(entry: string): ReservedArg {
  const [flag = entry, valuePrefix] = entry.split(" ", 2);
  return valuePrefix === undefined ? [flag] : [flag, valuePrefix];
}

function collides([flag, valuePrefix]: ReservedArg, arg: string, next: string | undefined): boolean {
  const joined = arg.startsWith(`${flag}=`) ? arg.slice(flag.length + 1) : undefined;
  // A short flag may carry its value without a gap: -cKEY=VALUE.
  const glued = /^-[A-Za-z]$/.test(flag) && arg.startsWith(flag) && arg.length > 2 && joined === undefined ? arg.slice(2) : undefined;
  if (arg !== flag && joined === undefined && glued === undefined) return false;
  return valuePrefix === undefined || (joined ?? glued ?? next ?? "").startsWith(valuePrefix);
}

function unsupported(record: BackendRecord, option: string, hint: string): JlgcliError {
  return new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `${record.displayName} cannot honour ${option}`, { hint });
}
