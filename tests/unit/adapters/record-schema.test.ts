import { describe, expect, it } from "vitest";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import { parseBackendRecord } from "../../../src/adapters/record-schema.js";
import type { BackendRecord } from "../../../src/adapters/record.js";
import { JlgcliError } from "../../../src/errors.js";

const MINIMAL: BackendRecord = {
  id: "mine",
  displayName: "My agent",
  traits: {
    executorId: "mine",
    command: "my-agent",
    args: ["--json"],
    promptDelivery: "stdin",
    output: { payload: "jsonl", resultPath: ["text"], resultWhen: { path: ["type"], equals: "answer" } },
  },
};

const FULL: BackendRecord = {
  ...MINIMAL,
  kind: "real",
  homepage: "https://example.com",
  traits: {
    ...MINIMAL.traits,
    promptDelivery: "argument",
    promptArgSeparator: "--",
    promptGuard: { when: "^/", prefix: " " },
    stdout: "file",
    env: { set: { A: "1" }, remove: ["B"] },
    exitGraceMs: 1000,
    endSignals: [{ signal: "SIGINT", to: "child", waitMs: 500 }],
    output: {
      payload: "jsonl",
      resultPath: ["message", "content", "*", "text"],
      resultWhen: { all: [{ path: ["type"], oneOf: ["a", 1, true, null] }, { any: [{ not: { path: ["x"], exists: true } }] }] },
      failureWhen: { path: ["n"], atLeast: 500 },
      errorFlagPath: ["e"],
      statusPath: ["s"],
      errorStatusPrefix: "error",
      errorMessagePath: ["m"],
      metadata: { subtype: ["subtype"] },
      usageWhen: { path: ["type"], equals: "result" },
      usagePaths: [["usage", "in"]],
      usageWindows: { when: { path: ["type"], equals: "limit" }, path: ["w"], utilizationKey: "u", resetsAtKey: "r" },
      terminal: { success: { path: ["t"], startsWith: "x" }, failure: { path: ["t"], matches: "^y" } },
      resultParts: { by: ["id"], separator: "\n" },
      errorMessagePaths: [["a"], ["b", "*"]],
      sessionIdPath: ["sid"],
      modelPaths: [["model"]],
      usageParts: { inputTokens: ["i"], outputTokens: ["o"], cacheReadTokens: ["r"], cacheWriteTokens: ["w"], reasoningTokens: ["t"] },
      costPath: { path: ["cost"], when: { path: ["type"], equals: "result" }, currency: "USD" },
      contextWindow: { usedWhen: { path: ["type"], equals: "said" }, usedPaths: [["used"]], sizeWhen: { path: ["type"], equals: "result" }, sizePath: ["models", "{model}", "size"] },
      usageGrowsOverSession: true,
      deniedTools: [{ when: { path: ["d"], exists: true }, each: ["denied"], name: ["name"], toolCallId: ["id"], reason: { constant: "refused" } }],
      events: [{ emit: "tool_call", when: { path: ["type"], equals: "tool" }, each: ["calls"], eachWhen: { path: ["k"], equals: 1 }, fields: { toolCallId: ["id"], kind: { path: ["n"], map: { Bash: "execute" }, otherwise: "other" } } }],
      failureReasons: [{ reason: "rate-limited", when: { path: ["code"], equals: 429 }, detail: "limit", stderr: "quota" }],
      hopelessRetry: { when: { path: ["code"], oneOf: [401, 403] }, afterCount: 2 },
    },
  },
  options: {
    model: { args: ["--model", "{value}"], values: ["a", "b"] },
    effort: { args: ["-c", "effort={json}"] },
    systemPrompt: { args: ["--system={value}"] },
    appendSystemPrompt: { args: ["--append", "{value}"] },
    resume: { args: ["--resume", "{value}"] },
    mcpServers: { args: ["--mcp", "{file}"], each: { stdio: ["{name}"], http: [], sse: [] }, otherInNames: "[^a-z]", dollar: "$$", env: { D: "$" } },
    disallowTools: { args: ["--no={value}"], known: "^[A-Z]" },
    access: { "read-only": { args: ["--plan"] }, "workspace-write": { args: [], env: { set: { X: "1" }, remove: ["Y"] } }, full: { args: ["--yolo"] } },
    reservedArgs: ["-c sandbox_mode"],
    repeatableArgs: ["-c"],
  },
  availability: {
    platforms: ["linux", "darwin"],
    install: "npm i -g my-agent",
    login: "my-agent login",
    evidence: { env: ["MY_KEY"], files: ["~/.my/auth.json"] },
    statusCommand: { args: ["status"], loggedOutExitCode: 1 },
    version: { args: ["--version"], pattern: "(\\d+)", testedFrom: "1.0.0", testedBelow: "2.0.0" },
  },
};

type Json = { [name: string]: Json } | Json[] | string | number | boolean | null;

/** A copy of the minimal record with one value put at a path, or taken away. */
function changed(path: string, value?: Json): unknown {
  const record: Json = JSON.parse(JSON.stringify(MINIMAL)) as Json;
  const names = path.split(".");
  const last = names.pop() ?? "";
  const holder = names.reduce<Json>((at, name) => (at as { [name: string]: Json })[name] ??= {}, record) as { [name: string]: Json };
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return record;
}

function refusalOf(json: unknown): JlgcliError {
  try {
    parseBackendRecord(json, "/home/me/.jlgcli/backends/mine.json");
  } catch (error) {
    if (error instanceof JlgcliError) return error;
    throw error;
  }
  throw new Error("expected the record to be refused");
}

function problemsOf(json: unknown): string {
  return refusalOf(json).message.replace("the backend record in /home/me/.jlgcli/backends/mine.json is not valid: ", "");
}

describe("a backend record in JSON", () => {
  it.each<[string, BackendRecord]>([
    ["the smallest one", MINIMAL],
    ["one that uses every field", FULL],
    ...BUILT_IN_RECORDS.map((record): [string, BackendRecord] => [`the built-in ${record.id}`, record]),
  ])("is taken as it is: %s", (_what, record) => {
    expect(parseBackendRecord(JSON.parse(JSON.stringify(record)), "test")).toEqual(record);
  });

  it("is refused with its place, a code that is a configuration's, and the next step", () => {
    expect(refusalOf({})).toMatchObject({ code: "BACKEND_RECORD_INVALID", exitCode: 78, hint: "`jlgcli backends check FILE` checks a record" });
    expect(refusalOf({}).message).toMatch(/^the backend record in \/home\/me\/\.jlgcli\/backends\/mine\.json is not valid: /);
  });

  it("is refused with every problem at once", () => {
    expect(problemsOf({})).toBe("id: is required; displayName: is required; traits: is required");
  });

  it.each<[unknown, string | RegExp]>([
    [null, "expected an object, got null"],
    ["x", 'expected an object, got "x"'],
    [[], "expected an object, got []"],
    [changed("tratis", {}), 'tratis: unknown key; did you mean "traits"?'],
    [changed("zzz", {}), "zzz: unknown key; the keys are id, displayName, kind, homepage, traits, options, availability, unaskedService"],
    [changed("traits.comand", "x"), 'traits.comand: unknown key; did you mean "command"?'],
    [changed("traits.output.resultpath", ["x"]), 'traits.output.resultpath: unknown key; did you mean "resultPath"?'],
    [changed("traits.command"), "traits.command: is required"],
    [changed("traits.command", 3), "traits.command: expected a string, got 3"],
    [changed("traits.args", "--json"), 'traits.args: expected a list, got "--json"'],
    [changed("traits.args", ["a", 1]), "traits.args[1]: expected a string, got 1"],
    [changed("traits.args", ["a\0b"]), 'traits.args[0]: must not hold a NUL character, got "a\\u0000b"'],
    [changed("traits.promptDelivery", "stdn"), 'traits.promptDelivery: expected one of stdin, argument, got "stdn"; did you mean "stdin"?'],
    [changed("traits.output.payload", "ndjson"), "traits.output.payload: expected one of single-object, jsonl, text, got \"ndjson\""],
    [changed("traits.output.resultWhen", { pth: ["type"], equals: "x" }), "traits.output.resultWhen.path: is required; traits.output.resultWhen.pth: unknown key; did you mean \"path\"?"],
    [changed("traits.output.resultWhen", { path: ["type"], equal: "x" }), 'traits.output.resultWhen.equal: unknown key; did you mean "equals"?'],
    [changed("traits.output.resultWhen", { all: [{ path: ["a"], exists: true }, { not: { path: "a", exists: true } }] }), 'traits.output.resultWhen.all[1].not.path: expected a list, got "a"'],
    [changed("traits.output.resultWhen", "x"), 'traits.output.resultWhen: expected a condition: an object with path, all, any or not, got "x"'],
    [changed("traits.output.resultWhen", { path: ["a"], equals: [1] }), "traits.output.resultWhen.equals: expected a string, a number, true, false or null, got [1]"],
    [changed("traits.output.resultWhen", { path: ["a"], matches: "(" }), 'traits.output.resultWhen.matches: must be a regular expression, got "("'],
    [changed("traits.output.events", [{ emit: "tool_cal", fields: {} }]), /^traits\.output\.events\[0\]\.emit: expected one of agent_message_chunk, .*, got "tool_cal"; did you mean "tool_call"\?$/],
    [changed("traits.output.events", [{ emit: "warning", fields: { message: { constant: 3 } } }]), "traits.output.events[0].fields.message.constant: expected a string, got 3"],
    [changed("traits.output.events", [{ emit: "warning", fields: { message: 3 } }]), "traits.output.events[0].fields.message: expected a path (a list of names), or an object with path or constant, got 3"],
    [changed("traits.exitGraceMs", -1), "traits.exitGraceMs: must be at least 0, got -1"],
    [changed("traits.exitGraceMs", 1e9), "traits.exitGraceMs: must be at most 600000, got 1000000000"],
    [changed("traits.exitGraceMs", 1.5), "traits.exitGraceMs: expected a whole number, got 1.5"],
    [changed("options", { model: { args: ["--model"] } }), 'options.model.args: must hold {value} or {json}, where the option\'s value goes, got ["--model"]'],
    [changed("options", { mcpServers: { args: ["--mcp"], each: { stdio: [] } } }), /^options\.mcpServers: must hold \{json\} or \{file\} in args, or \{name\} in the arguments of each transport/],
    [changed("options", { mcpServers: { each: {} } }), /^options\.mcpServers: must hold/],
    [changed("options", { mcpServers: { args: ["{json}"], each: { stdio: [], ftp: [] } } }), "options.mcpServers.each.ftp: unknown key; the keys are stdio, http, sse"],
    [changed("options", { disallowTools: { args: ["--no"] } }), 'options.disallowTools.args: must hold {value}, where a tool\'s name goes, got ["--no"]'],
    [changed("options", { disallowTools: { args: ["{value}"], known: "(" } }), 'options.disallowTools.known: must be a regular expression, got "("'],
    [changed("options", { access: { "readonly": { args: [] } } }), 'options.access.readonly: unknown key; did you mean "read-only"?'],
    [changed("availability", { platforms: ["darwn"] }), /^availability\.platforms\[0\]: expected one of .* got "darwn"; did you mean "darwin"\?$/],
    [changed("id", "../evil"), /^id: must be letters, digits, .*, got "\.\.\/evil"$/],
  ])("is refused: %#", (json, problem) => {
    if (typeof problem === "string") expect(problemsOf(json)).toBe(problem);
    else expect(problemsOf(json)).toMatch(problem);
  });

  it.each([
    ["another id than its executor's", changed("id", "other"), 'traits.executorId: must be the record\'s id ("other")'],
    ["a path that is empty", changed("traits.output.resultPath", []), "traits.output.resultPath: must name at least one property"],
    ["a prefix without a status path", changed("traits.output.errorStatusPrefix", "error"), "traits.output.errorStatusPrefix: needs output.statusPath, or it never matches"],
    ["a usage sum without bounds", changed("traits.output.usagePaths", [["a"]]), "traits.output.usageWhen: is required: a sum needs a bounded set of records"],
  ])("is refused for what its types cannot say: %s", (_what, json, problem) => {
    expect(problemsOf(json)).toBe(problem);
  });

  it("is refused for a forbidden key and for endless nesting, instead of running out of stack", () => {
    expect(problemsOf(JSON.parse('{"__proto__": {"id": "x"}}'))).toBe('has at $ the forbidden key "__proto__"');
    let deep: Json = { path: ["a"], exists: true };
    for (let depth = 0; depth < 5000; depth += 1) deep = { not: deep };
    expect(problemsOf(changed("traits.output.resultWhen", deep))).toBe("is nested more than 32 levels deep");
  });
});
