import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCliExecutorAdapter } from "../../../src/adapters/create-cli-executor-adapter.js";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import type { ExecutorOutputTraits, ExecutorTraits } from "../../../src/adapters/traits.js";
import { validateTraits } from "../../../src/adapters/validate-traits.js";
import { FAILURE_REASONS, TOOL_KINDS } from "../../../src/events/schema.js";
import { claudeCode, claudeJson, codex, opencode, stub } from "./foreign-records.js";
import { WORKSPACE } from "./run-fake.js";

const has = (change: Partial<ExecutorOutputTraits>): ExecutorTraits => ({ ...codex, output: { ...codex.output, ...change } });
const is = (change: Partial<ExecutorTraits>): ExecutorTraits => ({ ...codex, ...change });
const WINDOWS = { when: { path: ["type"], equals: "x" }, path: ["w"], utilizationKey: "u", resetsAtKey: "r" };
const CONTEXT = { usedWhen: { path: ["t"], equals: "x" }, usedPaths: [["u"]], sizeWhen: { path: ["t"], equals: "x" }, sizePath: ["s"] };
const TOOL = { emit: "tool_call", fields: { toolCallId: ["id"] } } as const;

/** What is wrong, where it must be reported, and a word of the reason. */
const INVALID: readonly (readonly [string, ExecutorTraits, string, RegExp])[] = [
  ["a blank id", is({ executorId: " " }), "executorId", /blank/],
  ["a blank command", is({ command: "" }), "command", /blank/],
  ["an unknown delivery", is({ promptDelivery: "carrier-pigeon" as "stdin" }), "promptDelivery", /one of/],
  ["a separator without an argument", is({ promptArgSeparator: "--" }), "promptArgSeparator", /stdin/],
  ["a blank separator", { ...opencode, promptArgSeparator: " " }, "promptArgSeparator", /blank/],
  ["a guard that is no pattern", is({ promptGuard: { when: "(", prefix: " " } }), "promptGuard.when", /regular expression/],
  ["a guard of mentions that is no pattern", is({ mentionGuard: { when: "(", env: {} } }), "mentionGuard.when", /regular expression/],
  ["a guard of mentions that guards nothing", is({ mentionGuard: { when: "@" } }), "mentionGuard", /args or env/],
  ["a guard that guards nothing", is({ promptGuard: { when: "^/", prefix: "" } }), "promptGuard.prefix", /empty/],
  ["a negative grace", is({ exitGraceMs: -1 }), "exitGraceMs", /milliseconds/],
  ["a grace that is no number", is({ exitGraceMs: Number.NaN }), "exitGraceMs", /milliseconds/],
  ["a side file that is never named", is({ sideFile: { args: ["--usage-file"] } }), "sideFile.args", /\{file\}/],
  ["an endless wait", is({ endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: Infinity }] }), "endSignals[0].waitMs", /milliseconds/],
  ["an unknown payload", has({ payload: "xml" as "jsonl" }), "output.payload", /one of/],
  ["an empty result path", has({ resultPath: [] }), "output.resultPath", /at least one/],
  ["an empty path of resultWhen", has({ resultWhen: { path: [], equals: "x" } }), "output.resultWhen.path", /at least one/],
  ["an empty path of failureWhen", has({ failureWhen: { path: [], equals: "x" } }), "output.failureWhen.path", /at least one/],
  ["an empty error flag path", has({ errorFlagPath: [] }), "output.errorFlagPath", /at least one/],
  ["an empty status path", has({ statusPath: [] }), "output.statusPath", /at least one/],
  ["an empty message path", has({ errorMessagePath: [] }), "output.errorMessagePath", /at least one/],
  ["an empty prefix", has({ errorStatusPrefix: "" }), "output.errorStatusPrefix", /empty/],
  ["a prefix without a path", { ...stub, output: { ...stub.output, errorStatusPrefix: "error" } }, "output.errorStatusPrefix", /statusPath/],
  ...["result", "stdoutTruncated", "stderrTruncated", "usage", "malformedStreamLines"].map(
    (key) => [`the metadata key ${key}`, has({ metadata: { [key]: ["x"] } }), `output.metadata.${key}`, /itself/] as const,
  ),
  ["an empty metadata path", has({ metadata: { id: [] } }), "output.metadata.id", /at least one/],
  ["no usage path", has({ usagePaths: [] }), "output.usagePaths", /at least one/],
  ["an empty usage path", has({ usagePaths: [["a"], []] }), "output.usagePaths[1]", /at least one/],
  ["usage without a bound", { ...stub, output: { payload: "jsonl", resultPath: ["x"], usagePaths: [["n"]] } }, "output.usageWhen", /required/],
  ["usage parts without a bound", { ...stub, output: { payload: "jsonl", resultPath: ["x"], usageParts: { inputTokens: ["n"] } } }, "output.usageWhen", /required/],
  ["an empty path of usageWhen", has({ usageWhen: { path: [], equals: "x" } }), "output.usageWhen.path", /at least one/],
  ["an empty path of a usage part", has({ usageParts: { outputTokens: [] } }), "output.usageParts.outputTokens", /at least one/],
  ["an empty path of the windows' bound", has({ usageWindows: { ...WINDOWS, when: { path: [], equals: "x" } } }), "output.usageWindows.when.path", /at least one/],
  ["an empty path of windows", has({ usageWindows: { ...WINDOWS, path: [] } }), "output.usageWindows.path", /at least one/],
  ["a blank utilization key", has({ usageWindows: { ...WINDOWS, utilizationKey: "" } }), "output.usageWindows.utilizationKey", /blank/],
  ["a blank reset key", has({ usageWindows: { ...WINDOWS, resetsAtKey: "" } }), "output.usageWindows.resetsAtKey", /blank/],
  ["an empty cost path", has({ costPath: { path: [], currency: "USD" } }), "output.costPath.path", /at least one/],
  ["a blank currency", has({ costPath: { path: ["c"], currency: "" } }), "output.costPath.currency", /blank/],
  ["a used figure of no paths", has({ contextWindow: { ...CONTEXT, usedPaths: [] } }), "output.contextWindow.usedPaths", /at least one/],
  ["an empty path of a used figure", has({ contextWindow: { ...CONTEXT, usedPaths: [["a"], []] } }), "output.contextWindow.usedPaths[1]", /at least one/],
  ["an empty path of the window's size", has({ contextWindow: { ...CONTEXT, sizePath: [] } }), "output.contextWindow.sizePath", /at least one/],
  ["a test for the used figure that tests nothing", has({ contextWindow: { ...CONTEXT, usedWhen: { path: ["t"] } } }), "output.contextWindow.usedWhen", /tests nothing/],
  ["a test for the window's size that tests nothing", has({ contextWindow: { ...CONTEXT, sizeWhen: { path: ["t"] } } }), "output.contextWindow.sizeWhen", /tests nothing/],
  ["a size by models that are told nowhere", has({ contextWindow: { ...CONTEXT, sizePath: ["m", "{model}"] } }), "output.contextWindow.sizePath", /modelPaths/],
  ["a test that tests nothing", has({ resultWhen: { path: ["type"] } }), "output.resultWhen", /tests nothing/],
  ["a list of no conditions", has({ resultWhen: { all: [] } }), "output.resultWhen.all", /at least one/],
  ["no allowed value", has({ resultWhen: { path: ["type"], oneOf: [] } }), "output.resultWhen.oneOf", /at least one/],
  ["a prefix that everything has", has({ terminal: { success: { any: [{ not: { path: ["a"], startsWith: "" } }] } } }), "output.terminal.success.any[0].not.startsWith", /empty/],
  ["a broken pattern", has({ terminal: { failure: { path: ["a"], matches: "[" } } }), "output.terminal.failure.matches", /regular expression/],
  ["an empty path of parts", has({ resultParts: { by: [] } }), "output.resultParts.by", /at least one/],
  ["an empty path of a list of paths", has({ errorMessagePaths: [["a"], []] }), "output.errorMessagePaths[1]", /at least one/],
  ["an empty session path", has({ sessionIdPath: [] }), "output.sessionIdPath", /at least one/],
  ["an empty model path", has({ modelPaths: [[]] }), "output.modelPaths[0]", /at least one/],
  ["a count below 1", has({ hopelessRetry: { when: { path: ["a"], exists: true }, afterCount: 0 } }), "output.hopelessRetry.afterCount", /from 1/],
  ["a count that is not whole", has({ hopelessRetry: { when: { path: ["a"], exists: true }, afterCount: 1.5 } }), "output.hopelessRetry.afterCount", /from 1/],
  ["an event that does not exist", has({ events: [{ emit: "party" as "plan", fields: {} }] }), "output.events[0].emit", /one of/],
  ["an event without its text", has({ events: [{ emit: "agent_message_chunk", fields: {} }] }), "output.events[0].fields.text", /required/],
  ["an event with a field of another", has({ events: [{ emit: "plan", fields: { entries: ["e"], text: ["t"] } }] }), "output.events[0].fields.text", /one of/],
  ["an unknown kind", has({ events: [{ ...TOOL, fields: { ...TOOL.fields, kind: { path: ["k"], map: { Bash: "shell" } } } }] }), "output.events[0].fields.kind.map.Bash", /one of/],
  ["an unknown constant kind", has({ events: [{ ...TOOL, fields: { ...TOOL.fields, kind: { constant: "shell" } } }] }), "output.events[0].fields.kind.constant", /one of/],
  ["an unknown status", has({ events: [{ ...TOOL, fields: { ...TOOL.fields, status: { path: ["s"], otherwise: "ok" } } }] }), "output.events[0].fields.status.otherwise", /one of/],
  ["an unknown warning code", has({ events: [{ emit: "warning", fields: { message: ["m"], code: { constant: "oops" } } }] }), "output.events[0].fields.code.constant", /one of/],
  ["an empty path of an event's list", has({ events: [{ ...TOOL, each: [] }] }), "output.events[0].each", /at least one/],
  ["an empty path of an event's field", has({ events: [{ ...TOOL, fields: { toolCallId: [] } }] }), "output.events[0].fields.toolCallId", /at least one/],
  ["an empty path of a refused tool's name", has({ deniedTools: [{ name: [] }] }), "output.deniedTools[0].name", /at least one/],
  ["an empty path of a refused tool's id", has({ deniedTools: [{ name: ["n"], toolCallId: [] }] }), "output.deniedTools[0].toolCallId", /at least one/],
  ["an empty path of a refusal's reason", has({ deniedTools: [{ name: ["n"], reason: { path: [] } }] }), "output.deniedTools[0].reason", /at least one/],
  ["an unknown failure reason", has({ failureReasons: [{ reason: "bad-luck" as "other", stderr: "x" }] }), "output.failureReasons[0].reason", /one of/],
  ["a failure rule that never matches", has({ failureReasons: [{ reason: "other" }] }), "output.failureReasons[0]", /never matches/],
  ["a failure rule with a broken pattern", has({ failureReasons: [{ reason: "other", detail: "(" }] }), "output.failureReasons[0].detail", /regular expression/],
];

describe("a record that cannot work", () => {
  it.each(INVALID)("is refused for %s, with the place and the reason", (_name, traits, path, reason) => {
    expect(validateTraits(traits)).toContainEqual({ path, reason: expect.stringMatching(reason) as unknown });
    expect(() => createCliExecutorAdapter(traits)).toThrow(expect.objectContaining({ code: "BACKEND_RECORD_INVALID", message: expect.stringContaining(path) as unknown }));
  });

  it("is told everything that is wrong with it at once", () => {
    const paths = validateTraits({ ...codex, command: "", output: { ...codex.output, resultPath: [], errorStatusPrefix: "" } }).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["command", "output.resultPath", "output.errorStatusPrefix"]));
  });
});

describe("a record that can work", () => {
  it.each([claudeCode, claudeJson, codex, opencode, stub, ...BUILT_IN_RECORDS.map(({ traits }) => traits)].map((traits) => [traits.executorId, traits] as const))(
    "is accepted: %s",
    (_id, traits) => {
      expect(validateTraits(traits)).toEqual([]);
    },
  );

  it("needs no result path where all of stdout is the answer", () => {
    expect(validateTraits({ ...codex, output: { payload: "text", resultPath: [] } })).toEqual([]);
  });

  const word = fc.stringMatching(/^[a-zA-Z_*][a-zA-Z0-9_]{0,8}$/);
  const path = fc.array(word, { minLength: 1, maxLength: 4 });
  const optional = <T>(key: string, arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary.map((value) => ({ [key]: value })), { nil: {} });
  const match = fc.record({ path, equals: word });
  const pathTest = fc.oneof(match, fc.record({ path, oneOf: fc.array(fc.oneof(word, fc.integer(), fc.boolean()), { minLength: 1 }) }), fc.record({ path, atLeast: fc.integer() }), fc.record({ path, exists: fc.boolean() }));
  const { condition } = fc.letrec<{ condition: ExecutorOutputTraits["resultWhen"] }>((tie) => ({
    condition: fc.oneof(
      { depthSize: "small" },
      pathTest,
      fc.record({ all: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie("condition") }),
    ) as fc.Arbitrary<ExecutorOutputTraits["resultWhen"]>,
  }));
  const output = fc
    .tuple(
      fc.record({ payload: fc.constantFrom("jsonl", "single-object"), resultPath: path }),
      optional("resultWhen", condition),
      optional("failureWhen", condition),
      optional("errorFlagPath", path),
      fc.option(fc.record({ statusPath: path, errorStatusPrefix: word }), { nil: {} }),
      optional("errorMessagePath", path),
      optional("metadata", fc.dictionary(word.map((key) => `x${key}`), path)),
      fc.option(fc.record({ usageWhen: condition, usagePaths: fc.array(path, { minLength: 1 }) }), { nil: {} }),
      optional("usageWindows", fc.record({ when: match, path, utilizationKey: word, resetsAtKey: word })),
      optional("contextWindow", fc.record({ usedWhen: condition, usedPaths: fc.array(path, { minLength: 1 }), sizeWhen: condition, sizePath: path })),
      optional("terminal", fc.record({ success: condition, failure: condition })),
      optional("failureReasons", fc.array(fc.record({ reason: fc.constantFrom(...FAILURE_REASONS), when: condition }))),
      optional("events", fc.array(fc.record({ emit: fc.constant("tool_call"), fields: fc.record({ toolCallId: path, kind: fc.record({ path, map: fc.dictionary(word, fc.constantFrom(...TOOL_KINDS)) }) }) }))),
    )
    .map((parts) => Object.assign({}, ...parts) as ExecutorOutputTraits);
  const traits = fc.record({
    executorId: word,
    command: word,
    args: fc.array(fc.string()),
    promptDelivery: fc.constantFrom("stdin", "argument"),
    output,
  });

  it("stays valid whatever its words are, and never lets a run reject", async () => {
    await fc.assert(
      fc.asyncProperty(traits, fc.array(fc.json(), { maxLength: 4 }), async (record, lines) => {
        expect(validateTraits(record)).toEqual([]);
        const spawner = { spawn: () => ({ writeStdin: () => {}, endStdin: () => {}, killTree: () => {}, settled: true, done: Promise.resolve({ exitCode: 0, stdout: lines.join("\n"), stderr: "" }) }) };
        const { status, run } = await createCliExecutorAdapter(record, { spawner }).run({ prompt: "x", workspace: WORKSPACE });
        expect(status === "ok").toBe(run?.exitCode === 0);
      }),
      { numRuns: 150 },
    );
  });
});
