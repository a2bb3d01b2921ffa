import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adapterFromRecord, toAdapterResult } from "../../../src/adapters/from-record.js";
import type { BackendRecord } from "../../../src/adapters/record.js";
import type { AdapterRunOnceArgs } from "../../../src/adapters/types.js";
import { createFakeSpawner, type FakeBehaviour } from "./fake-spawner.js";
import { codexAnswer, codexUsage, toLines } from "./foreign-records.js";
import { containing } from "./run-fake.js";

const RECORD: BackendRecord = {
  id: "agent",
  displayName: "Agent",
  traits: {
    executorId: "agent",
    command: "agent-cli",
    args: ["go", "--json", "-c", "quiet=true"],
    promptDelivery: "stdin",
    promptGuard: { when: "^/", prefix: " " },
    env: { set: { AGENT_QUIET: "1" }, remove: ["AGENT_TRACE"] },
    output: { payload: "jsonl", resultPath: ["item", "text"], failureReasons: [{ reason: "unauthenticated", stderr: "who are you" }] },
  },
  options: {
    model: { args: ["-m", "{value}"] },
    effort: { args: ["-c", "effort={json}"], values: ["low", "high"] },
    resume: { args: ["resume", "{value}"] },
    access: {
      "read-only": { args: ["--safe"], env: { set: { SAFE: "1" }, remove: ["ALLOW_ALL"] } },
      full: { args: ["--unsafe"] },
    },
    repeatableArgs: ["-c"],
    reservedArgs: ["-p", "--config", "-c secret"],
  },
  availability: {
    platforms: [process.platform],
    install: "npm install -g agent-cli",
    login: "agent-cli login",
    evidence: { env: ["AGENT_KEY"], files: ["~/.agent/login.json", "$AGENT_HOME/login.json"] },
    statusCommand: { args: ["whoami"], loggedOutExitCode: 7 },
  },
};

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ANSWERS: FakeBehaviour = { outcome: { stdout: toLines(codexAnswer, codexUsage) } };

async function run(args: Partial<AdapterRunOnceArgs> = {}, behaviour: FakeBehaviour = ANSWERS, record = RECORD) {
  const spawner = createFakeSpawner(behaviour);
  const adapter = adapterFromRecord(record, { spawner });
  const result = await adapter.runOnce({ prompt: "hello", cwd: folder, env: {}, ...args });
  return { result, call: spawner.calls[0], calls: spawner.calls };
}

describe("a record's adapter runs", () => {
  it("with the record's id and arguments, at the lowest level", async () => {
    expect(adapterFromRecord(RECORD).id).toBe("agent");
    const { result, call } = await run();
    expect(result).toMatchObject({ status: "success", exitCode: 0, text: "codex says hi" });
    expect(call?.command).toBe("agent-cli");
    expect(call?.args).toEqual(["go", "--json", "-c", "quiet=true", "--safe"]);
  });

  it("with the options as the backend's own arguments", async () => {
    const { call } = await run({ access: "full", model: "m 1", effort: "high", backendArgs: ["--odd", "-c", "x=1"], resume: "s-1" });
    expect(call?.args).toEqual(["go", "--json", "-c", "quiet=true", "--unsafe", "-m", "m 1", "-c", 'effort="high"', "--odd", "-c", "x=1", "resume", "s-1"]);
  });

  it("puts no pattern of an option's value into effect", async () => {
    const { call } = await run({ model: "$& {json} {value}" });
    expect(call?.args).toContain("$& {json} {value}");
  });

  it.each<readonly [string, Partial<AdapterRunOnceArgs>, string]>([
    ["a level that it cannot enforce", { access: "workspace-write" }, "--access workspace-write"],
    ["an option that it does not know", { systemPrompt: "be kind" }, "--system-prompt"],
    ["a value that it does not know", { effort: "extreme" }, "--effort extreme"],
    ["an empty value", { model: " " }, "--model"],
    ["a model that would be read as an option", { model: "--unsafe" }, "--model --unsafe"],
    ["a session that would be read as an option", { resume: "--unsafe" }, "--resume --unsafe"],
    ["an argument that the record sends", { backendArgs: ["--json"] }, "--json"],
    ["an argument with its value", { backendArgs: ["--config=x"] }, "--config"],
    ["a reserved argument", { backendArgs: ["-p"] }, "-p"],
    ["a reserved argument with its value glued to it", { backendArgs: ["-pHello"] }, "-p"],
    ["a level by the back door", { backendArgs: ["--unsafe"] }, "--unsafe"],
    ["a reserved value of an argument that may come twice", { backendArgs: ["-c", "secret=1"] }, "-c"],
    ["a value that the record sets itself", { backendArgs: ["-c", "quiet=false"] }, "-c"],
    ["the end of arguments", { backendArgs: ["--", "x"] }, "--"],
  ])("refuses %s, and spawns nothing", async (_name, args, named) => {
    const spawner = createFakeSpawner();
    const running = adapterFromRecord(RECORD, { spawner }).runOnce({ prompt: "x", cwd: folder, env: {}, ...args });
    await expect(running).rejects.toMatchObject({ code: "BACKEND_OPTION_UNSUPPORTED", exitCode: 64, message: containing(named) });
    expect(spawner.calls).toEqual([]);
  });

  it("in an environment that is complete and the run's own", async () => {
    const { call } = await run({ env: { PATH: "/bin", KEEP: "1", AGENT_TRACE: "1", ALLOW_ALL: "true", CLAUDECODE: "1", PWD: "/lies" }, runId: "r-1" });
    const env = call?.options.env ?? {};
    expect(env).toMatchObject({ PATH: "/bin", KEEP: "1", AGENT_QUIET: "1", SAFE: "1", PWD: folder, JLGCLI_RUN_ID: "r-1" });
    for (const name of ["AGENT_TRACE", "ALLOW_ALL", "CLAUDECODE", "HOME"]) expect(env).not.toHaveProperty(name);
  });

  it("guards a prompt that the backend would take for its own command", async () => {
    expect((await run({ prompt: "/help me" })).call?.child.written).toEqual([" /help me"]);
    expect((await run({ prompt: "help /me" })).call?.child.written).toEqual(["help /me"]);
  });

  it("keeps a backend from putting in what the prompt mentions, without touching the prompt", async () => {
    const traits = { ...RECORD.traits, mentionGuard: { when: String.raw`\$([a-z-]+)`, each: "{name={json},on=false}", args: ["-c", "skills=[{mentions}]"], env: { NO_FILES: "1" } } };
    const guarded = { ...RECORD, traits };
    const mention = await run({ prompt: "use $a, $b-c and $a" }, ANSWERS, guarded);
    expect(mention.call?.child.written).toEqual(["use $a, $b-c and $a"]);
    expect(mention.call?.args.join(" ")).toContain('-c skills=[{name="a",on=false},{name="b-c",on=false}] --safe');
    expect(mention.call?.options.env).toMatchObject({ NO_FILES: "1" });
    const none = await run({ prompt: "costs $5" }, ANSWERS, guarded);
    expect(none.call?.args).toEqual(["go", "--json", "-c", "quiet=true", "--safe"]);
    expect(none.call?.options.env).not.toHaveProperty("NO_FILES");
    const many = await run({ prompt: Array.from({ length: 20_000 }, (_, index) => `$n${"-".repeat(index % 50)}${"x".repeat(index % 401)}`).join(" ") }, ANSWERS, guarded);
    expect(Math.max(...(many.call?.args ?? []).map((arg) => arg.length))).toBeLessThan(110_000);
  });

  it("nowhere, when its directory is none: 66, not a missing program", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    for (const cwd of [join(folder, "gone"), file]) {
      const { result, calls } = await run({ cwd });
      expect(result).toMatchObject({ status: "no-input", exitCode: 66, text: containing(cwd) });
      expect(calls).toEqual([]);
    }
  });

  it("and says what to do next", async () => {
    const missing = await run({}, { outcome: { exitCode: null, spawnErrorMessage: "spawn agent-cli ENOENT" } });
    expect(missing.result).toMatchObject({ exitCode: 2, details: containing("npm install -g agent-cli") });
    const signedOut = await run({}, { outcome: { exitCode: 1, stderr: "Who are you?" } });
    expect(signedOut.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", details: containing("agent-cli login") });
  });

  it("as it says it would", async () => {
    const args = { prompt: "/help", cwd: folder, env: { AGENT_TRACE: "1", KEEP: "1" }, model: "m" };
    const invocation = await adapterFromRecord(RECORD).describeInvocation?.(args);
    const { call } = await run(args);
    expect(invocation).toMatchObject({ command: call?.command, args: call?.args, cwd: folder, prompt: " /help", promptDelivery: "stdin", envRemoved: ["AGENT_TRACE"] });
    expect(invocation?.envSet).toMatchObject({ AGENT_QUIET: "1", SAFE: "1" });
    expect(invocation?.envSet).not.toHaveProperty("KEEP");
  });
});

describe("an envelope of another engine", () => {
  it.each([
    ["ok", 0, "the answer"],
    ["failed", 1, "it broke"],
  ] as const)("becomes a result too: %s", (status, exitCode, text) => {
    const errors = status === "ok" ? [] : [{ message: text }];
    expect(toAdapterResult({ status, data: null, summary: "the answer", errors }, RECORD)).toMatchObject({ exitCode, text });
  });
});

describe("whether a backend can be tried", () => {
  const install = (): string => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "agent-cli"), "#!/bin/sh\n");
    chmodSync(join(bin, "agent-cli"), 0o755);
    return bin;
  };
  const check = async (env: Readonly<Record<string, string>>, exitCode = 0, record = RECORD) => {
    const spawner = createFakeSpawner({ outcome: { exitCode } });
    const availability = await adapterFromRecord(record, { spawner }).isAvailable({ env: { HOME: folder, ...env }, cwd: folder });
    return { ...availability, started: spawner.calls.map(({ args }) => args) };
  };

  it("is missing where its program is not on the PATH, with the command that installs it", async () => {
    expect(await check({ PATH: folder })).toMatchObject({ status: "missing", details: containing("npm install -g agent-cli"), started: [] });
    expect(await check({})).toMatchObject({ status: "missing" });
  });

  it.runIf(process.platform !== "win32")("is available without a start where anything hints at a login", async () => {
    const PATH = ["/nowhere", install()].join(delimiter);
    expect(await check({ PATH, AGENT_KEY: "k" }, 7)).toMatchObject({ status: "available", started: [] });
    mkdirSync(join(folder, ".agent"));
    writeFileSync(join(folder, ".agent/login.json"), "{}");
    expect(await check({ PATH }, 7)).toMatchObject({ status: "available", started: [] });
    expect(await check({ PATH, HOME: "/nowhere", AGENT_HOME: join(folder, ".agent") }, 7)).toMatchObject({ status: "available", started: [] });
  });

  it.runIf(process.platform !== "win32")("is unauthenticated only where nothing hints at a login and its own command says so", async () => {
    const PATH = install();
    expect(await check({ PATH, AGENT_KEY: "" }, 7)).toMatchObject({ status: "unauthenticated", details: containing("agent-cli login"), started: [["whoami"]] });
    for (const exitCode of [0, 1]) expect(await check({ PATH }, exitCode)).toMatchObject({ status: "available" });
  });

  it.runIf(process.platform !== "win32")("is available where there is no such command", async () => {
    const { statusCommand: _status, ...availability } = RECORD.availability ?? {};
    expect(await check({ PATH: install() }, 7, { ...RECORD, availability })).toMatchObject({ status: "available", started: [] });
  });

  it("is unsupported on a platform that its record does not name", async () => {
    expect(await check({ PATH: folder }, 0, { ...RECORD, availability: { ...RECORD.availability, platforms: ["plan9"] } })).toMatchObject({ status: "unsupported", details: containing(process.platform) });
  });
});
