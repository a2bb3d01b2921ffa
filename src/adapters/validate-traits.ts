import { FAILURE_REASONS, TOOL_KINDS, TOOL_STATUSES, WARNING_CODES } from "../events/schema.js";
import type { Condition, EventRule, ExecutorOutputTraits, ExecutorTraits, FieldSource, Path } from "./traits.js";

/** One thing that is wrong with a record: where, and why. */
export interface TraitProblem {
  readonly path: string;
  readonly reason: string;
}

/** Keys of `data` that the engine itself writes. */
const RESERVED_DATA_KEYS = ["result", "stdoutTruncated", "stderrTruncated", "usage", "malformedStreamLines"];
const PAYLOADS: readonly string[] = ["single-object", "jsonl", "text"];
const DELIVERIES: readonly string[] = ["stdin", "argument"];

/**
 * Finds everything in a record that would fail silently when it runs: an empty path resolves to the record itself,
 * an empty prefix marks every run as failed, a prefix without a status path never matches.
 * The shape (types, unknown keys) is checked by `record-schema.ts`; here the types are already right.
 */
export function validateTraits(traits: ExecutorTraits): readonly TraitProblem[] {
  return [
    ...blank("executorId", traits.executorId),
    ...blank("command", traits.command),
    ...notOneOf("promptDelivery", traits.promptDelivery, DELIVERIES),
    ...validateSeparator(traits),
    ...validateProcess(traits),
    ...validateOutput(traits.output),
  ];
}

function validateSeparator(traits: ExecutorTraits): readonly TraitProblem[] {
  if (traits.promptArgSeparator === undefined) return [];
  if (traits.promptDelivery === "stdin") return [problem("promptArgSeparator", "has no effect with stdin delivery")];
  return blank("promptArgSeparator", traits.promptArgSeparator);
}

function validateProcess({ promptGuard, mentionGuard, exitGraceMs, sideFile, endSignals = [] }: ExecutorTraits): readonly TraitProblem[] {
  return [
    ...pattern("promptGuard.when", promptGuard?.when, "u"),
    ...(promptGuard?.prefix === "" ? [problem("promptGuard.prefix", "must not be empty: it would guard nothing")] : []),
    ...pattern("mentionGuard.when", mentionGuard?.when, "gu"),
    ...(mentionGuard !== undefined && mentionGuard.args === undefined && mentionGuard.env === undefined ? [problem("mentionGuard", "needs args or env: it would guard nothing")] : []),
    ...duration("exitGraceMs", exitGraceMs),
    ...(sideFile === undefined || sideFile.args.some((arg) => arg.includes("{file}")) ? [] : [problem("sideFile.args", "must hold {file}, or nothing is written there")]),
    ...endSignals.flatMap(({ waitMs }, index) => duration(`endSignals[${index}].waitMs`, waitMs)),
  ];
}

function validateOutput(output: ExecutorOutputTraits): readonly TraitProblem[] {
  return [
    ...notOneOf("output.payload", output.payload, PAYLOADS),
    ...(output.payload === "text" ? [] : emptyPath("output.resultPath", output.resultPath)),
    ...validateFailureFields(output),
    ...validateMetadata(output),
    ...validateUsage(output),
    ...validateWindows(output),
    ...validateContextWindow(output),
    ...validateAdditions(output),
  ];
}

function validateFailureFields(output: ExecutorOutputTraits): readonly TraitProblem[] {
  const problems = [
    ...condition("output.resultWhen", output.resultWhen),
    ...condition("output.failureWhen", output.failureWhen),
    ...optionalPath("output.errorFlagPath", output.errorFlagPath),
    ...optionalPath("output.statusPath", output.statusPath),
    ...optionalPath("output.errorMessagePath", output.errorMessagePath),
  ];
  if (output.errorStatusPrefix === "") {
    problems.push(problem("output.errorStatusPrefix", "must not be empty: every run would be a failure"));
  }
  if (output.errorStatusPrefix !== undefined && output.statusPath === undefined) {
    problems.push(problem("output.errorStatusPrefix", "needs output.statusPath, or it never matches"));
  }
  return problems;
}

function validateMetadata(output: ExecutorOutputTraits): readonly TraitProblem[] {
  return Object.entries(output.metadata ?? {}).flatMap(([key, path]) => [
    ...(RESERVED_DATA_KEYS.includes(key) ? [problem(`output.metadata.${key}`, "is a key that the engine writes itself")] : []),
    ...emptyPath(`output.metadata.${key}`, path),
  ]);
}

function validateUsage(output: ExecutorOutputTraits): readonly TraitProblem[] {
  const problems = [...condition("output.usageWhen", output.usageWhen)];
  const declares = output.usagePaths !== undefined || output.usageParts !== undefined;
  if (declares && output.usageWhen === undefined) {
    problems.push(problem("output.usageWhen", "is required: a sum needs a bounded set of records"));
  }
  if (output.usagePaths?.length === 0) problems.push(problem("output.usagePaths", "must name at least one path"));
  output.usagePaths?.forEach((path, index) => problems.push(...emptyPath(`output.usagePaths[${index}]`, path)));
  for (const [part, path] of Object.entries(output.usageParts ?? {})) problems.push(...emptyPath(`output.usageParts.${part}`, path));
  if (output.costPath !== undefined) {
    problems.push(...emptyPath("output.costPath.path", output.costPath.path), ...condition("output.costPath.when", output.costPath.when));
    problems.push(...blank("output.costPath.currency", output.costPath.currency));
  }
  return problems;
}

function validateWindows(output: ExecutorOutputTraits): readonly TraitProblem[] {
  const windows = output.usageWindows;
  if (windows === undefined) return [];
  return [
    ...condition("output.usageWindows.when", windows.when),
    ...emptyPath("output.usageWindows.path", windows.path),
    ...blank("output.usageWindows.utilizationKey", windows.utilizationKey),
    ...blank("output.usageWindows.resetsAtKey", windows.resetsAtKey),
  ];
}

function validateContextWindow({ contextWindow, modelPaths }: ExecutorOutputTraits): readonly TraitProblem[] {
  if (contextWindow === undefined) return [];
  const { usedWhen, usedPaths, sizeWhen, sizePath } = contextWindow;
  const needsModels = sizePath.includes("{model}") && (modelPaths ?? []).length === 0;
  return [
    ...condition("output.contextWindow.usedWhen", usedWhen),
    ...(usedPaths.length === 0 ? [problem("output.contextWindow.usedPaths", "must name at least one path")] : []),
    ...usedPaths.flatMap((path, index) => emptyPath(`output.contextWindow.usedPaths[${index}]`, path)),
    ...condition("output.contextWindow.sizeWhen", sizeWhen),
    ...emptyPath("output.contextWindow.sizePath", sizePath),
    ...(needsModels ? [problem("output.contextWindow.sizePath", "needs output.modelPaths, or {model} stands for nothing")] : []),
  ];
}

function validateAdditions(output: ExecutorOutputTraits): readonly TraitProblem[] {
  return [
    ...condition("output.terminal.success", output.terminal?.success),
    ...condition("output.terminal.failure", output.terminal?.failure),
    ...condition("output.provisionalWhen", output.provisionalWhen),
    ...optionalPath("output.resultParts.by", output.resultParts?.by),
    ...condition("output.resultParts.startsAnewWhen", output.resultParts?.startsAnewWhen),
    ...(output.detailNoise ?? []).flatMap((source, index) => pattern(`output.detailNoise[${index}]`, source, "gmu")),
    ...(output.errorMessagePaths ?? []).flatMap((path, index) => emptyPath(`output.errorMessagePaths[${index}]`, path)),
    ...optionalPath("output.sessionIdPath", output.sessionIdPath),
    ...(output.structuredPath === undefined ? [] : emptyPath("output.structuredPath", output.structuredPath)),
    ...(output.modelPaths ?? []).flatMap((path, index) => emptyPath(`output.modelPaths[${index}]`, path)),
    ...condition("output.modelWhen", output.modelWhen),
    ...validateHopelessRetry(output),
    ...(output.events ?? []).flatMap((rule, index) => validateEventRule(`output.events[${index}]`, rule)),
    ...(output.deniedTools ?? []).flatMap((rule, index) => [
      ...condition(`output.deniedTools[${index}].when`, rule.when),
      ...optionalPath(`output.deniedTools[${index}].each`, rule.each),
      ...optionalSource(`output.deniedTools[${index}].name`, rule.name),
      ...optionalSource(`output.deniedTools[${index}].toolCallId`, rule.toolCallId),
      ...optionalSource(`output.deniedTools[${index}].reason`, rule.reason),
    ]),
    ...(output.failureReasons ?? []).flatMap((rule, index) => [
      ...notOneOf(`output.failureReasons[${index}].reason`, rule.reason, FAILURE_REASONS),
      ...([rule.when, rule.detail, rule.stderr, rule.exitCodes].every((test) => test === undefined)
        ? [problem(`output.failureReasons[${index}]`, "never matches: give when, detail, stderr or exitCodes")]
        : []),
      ...(rule.exitCodes?.length === 0 ? [problem(`output.failureReasons[${index}].exitCodes`, "must hold at least one code, or it never matches")] : []),
      ...condition(`output.failureReasons[${index}].when`, rule.when),
      ...pattern(`output.failureReasons[${index}].detail`, rule.detail),
      ...pattern(`output.failureReasons[${index}].stderr`, rule.stderr),
    ]),
  ];
}

function validateHopelessRetry(output: ExecutorOutputTraits): readonly TraitProblem[] {
  const retry = output.hopelessRetry;
  if (retry === undefined) return [];
  const counted = Number.isInteger(retry.afterCount) && retry.afterCount >= 1;
  return [
    ...condition("output.hopelessRetry.when", retry.when),
    ...(counted ? [] : [problem("output.hopelessRetry.afterCount", `must be a whole number from 1, got ${retry.afterCount}`)]),
  ];
}

/** The fields without which an event says nothing. */
const REQUIRED_EVENT_FIELDS: Readonly<Record<EventRule["emit"], readonly string[]>> = {
  agent_message_chunk: ["text"],
  agent_thought_chunk: ["text"],
  tool_call: ["toolCallId"],
  tool_call_update: ["toolCallId"],
  plan: ["entries"],
  warning: ["message"],
};

const EVENT_FIELDS: Readonly<Record<EventRule["emit"], readonly string[]>> = {
  agent_message_chunk: ["text", "messageId"],
  agent_thought_chunk: ["text", "messageId"],
  tool_call: ["toolCallId", "title", "kind", "status", "rawInput"],
  tool_call_update: ["toolCallId", "status", "output", "rawOutput"],
  plan: ["entries"],
  warning: ["message", "code"],
};

function validateEventRule(where: string, rule: EventRule): readonly TraitProblem[] {
  if (!Object.hasOwn(EVENT_FIELDS, rule.emit)) return notOneOf(`${where}.emit`, rule.emit, Object.keys(EVENT_FIELDS));
  const missing = REQUIRED_EVENT_FIELDS[rule.emit].filter((field) => rule.fields[field] === undefined);
  return [
    ...condition(`${where}.when`, rule.when),
    ...optionalPath(`${where}.each`, rule.each),
    ...condition(`${where}.eachWhen`, rule.eachWhen),
    ...missing.map((field) => problem(`${where}.fields.${field}`, `is required for ${rule.emit}`)),
    ...Object.entries(rule.fields).flatMap(([field, source]) => [
      ...notOneOf(`${where}.fields.${field}`, field, EVENT_FIELDS[rule.emit]),
      ...fieldSource(`${where}.fields.${field}`, source),
      ...validateWords(`${where}.fields.${field}`, source, FIELD_WORDS[field]),
    ]),
  ];
}

/** The fields that hold one of a few words. A word that is none of them would be dropped without a sign. */
const FIELD_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  kind: TOOL_KINDS,
  status: TOOL_STATUSES,
  code: WARNING_CODES,
};

function validateWords(where: string, source: FieldSource, words: readonly string[] | undefined): readonly TraitProblem[] {
  if (words === undefined) return [];
  if ("constant" in source) return notOneOf(`${where}.constant`, source.constant, words);
  if (!("path" in source)) return [];
  return [
    ...Object.entries(source.map ?? {}).flatMap(([key, word]) => notOneOf(`${where}.map.${key}`, word, words)),
    ...(source.otherwise === undefined ? [] : notOneOf(`${where}.otherwise`, source.otherwise, words)),
  ];
}

function optionalSource(where: string, source: FieldSource | undefined): readonly TraitProblem[] {
  return source === undefined ? [] : fieldSource(where, source);
}

function fieldSource(where: string, source: FieldSource): readonly TraitProblem[] {
  if ("constant" in source) return [];
  return emptyPath(where, "path" in source ? source.path : source);
}

function condition(where: string, value: Condition | undefined): readonly TraitProblem[] {
  if (value === undefined) return [];
  if ("all" in value) return conditionList(`${where}.all`, value.all);
  if ("any" in value) return conditionList(`${where}.any`, value.any);
  if ("not" in value) return condition(`${where}.not`, value.not);
  const { path, ...tests } = value;
  return [
    ...emptyPath(`${where}.path`, path),
    ...(Object.values(tests).every((test) => test === undefined) ? [problem(where, "tests nothing: give equals, oneOf, startsWith, matches, atLeast or exists")] : []),
    ...(value.oneOf?.length === 0 ? [problem(`${where}.oneOf`, "must hold at least one value, or it never matches")] : []),
    ...(value.startsWith === "" ? [problem(`${where}.startsWith`, "must not be empty: every string would pass")] : []),
    ...pattern(`${where}.matches`, value.matches),
  ];
}

function conditionList(where: string, values: readonly Condition[]): readonly TraitProblem[] {
  if (values.length === 0) return [problem(where, "must hold at least one condition")];
  return values.flatMap((value, index) => condition(`${where}[${index}]`, value));
}

function optionalPath(where: string, path: Path | undefined): readonly TraitProblem[] {
  return path === undefined ? [] : emptyPath(where, path);
}

function emptyPath(where: string, path: Path): readonly TraitProblem[] {
  if (path.length === 0) return [problem(where, "must name at least one property")];
  return path.every((segment) => segment !== "") ? [] : [problem(where, "must not hold an empty property name")];
}

function blank(where: string, value: string): readonly TraitProblem[] {
  return value.trim() === "" ? [problem(where, "must not be blank")] : [];
}

function duration(where: string, ms: number | undefined): readonly TraitProblem[] {
  return ms === undefined || (Number.isFinite(ms) && ms >= 0) ? [] : [problem(where, `must be a number of milliseconds from 0, got ${ms}`)];
}

function pattern(where: string, source: string | undefined, flags = "iu"): readonly TraitProblem[] {
  if (source === undefined) return [];
  try {
    new RegExp(source, flags);
    return [];
  } catch (error) {
    return [problem(where, `is no valid regular expression: ${error instanceof Error ? error.message : String(error)}`)];
  }
}

function notOneOf(where: string, value: string, allowed: readonly string[]): readonly TraitProblem[] {
  return allowed.includes(value) ? [] : [problem(where, `must be one of ${allowed.join(", ")}, got ${JSON.stringify(value)}`)];
}

function problem(path: string, reason: string): TraitProblem {
  return { path, reason };
}
