import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LOWEST_NODE_VERSION, checkAgents, checkNode, checkPlatform, checkProxies } from "../../../src/commands/doctor-checks.js";
import { runDoctorCommand } from "../../../src/commands/doctor.js";
import { makeTempTree, type TempTree } from "../config/temp-tree.js";
import { writeFakeProgram } from "./fake-program.js";
import { recordIo, type RecordedIo } from "./recorded-io.js";

interface SetUp extends TempTree, RecordedIo {
  readonly bin: string;
}

function setUp(extraEnv: Readonly<Record<string, string>> = {}): SetUp {
  const tree = makeTempTree();
  const bin = tree.folder("home/bin");
  return { ...tree, bin, ...recordIo({ cwd: tree.project, env: { ...tree.env, PATH: bin, ...extraEnv } }) };
}

/** The checks with a name, as `--json` prints them. */
function listChecks(json: string, name: string): readonly unknown[] {
  const report: unknown = JSON.parse(json);
  if (typeof report !== "object" || report === null || !("checks" in report) || !Array.isArray(report.checks)) throw new TypeError("no checks");
  return report.checks.filter((check: unknown) => typeof check === "object" && check !== null && "name" in check && check.name === name);
}

describe("the exit code of doctor", () => {
  it("is 2 where no backend can be used", async () => {
    const { io, takeStdout } = setUp();
    expect(await runDoctorCommand({}, io)).toBe(2);
    expect(takeStdout()).toMatch(/^problem {2}backends +none that asks a model can be used\n +install one/m);
  });

  it.skipIf(process.platform === "win32")("is 0 where one can (a shell script stands for it)", async () => {
    const { io, bin, takeStdout } = setUp();
    writeFakeProgram(bin, "copilot", "echo 1.0.102");
    expect(await runDoctorCommand({}, io)).toBe(0);
    expect(takeStdout()).toMatch(/\n\nnothing is wrong\n$/);
  });

  it.each([
    ["a broken file", "home/.jlgcli.json", "{", /is not valid JSON/],
    ["a wrong value", "home/.jlgcli.json", { verbosity: 9 }, /verbosity: expected/],
    ["an unknown backend", "home/.jlgcli.json", { backend: "nobody" }, /'nobody' is not known/],
    ["a broken record", "home/.jlgcli/backends/mine.json", {}, /traits: is required/],
    ["a store of trusted folders that cannot be read", "home/.jlgcli/trusted.json", "{", /trust/],
  ])("is 78 for %s, also while no backend can be used", async (_name, path, content, message) => {
    const { io, write, takeStdout } = setUp();
    write("project/.jlgcli.json", {});
    write(path, content);
    expect(await runDoctorCommand({}, io)).toBe(78);
    expect(takeStdout()).toMatch(message);
  });
});

describe("what doctor finds", () => {
  it("which keys each file sets, and what of a project does not count", async () => {
    const { io, write, home, project, takeStdout } = setUp({ JLGCLI_MODEL: "m" });
    write("home/.jlgcli.json", { effort: "low", env: { A: "secret-value" } });
    write("project/.jlgcli.json", { output: "text", systemPrompt: "x" });
    await runDoctorCommand({ json: true }, io);
    const json = takeStdout();
    expect(listChecks(json, "config")).toMatchObject([
      { level: "ok", message: `the environment sets model; ${project}/.jlgcli.json sets output; ${home}/.jlgcli.json sets effort, env` },
      { level: "warning", message: expect.stringContaining("systemPrompt in") as string },
    ]);
    expect(listChecks(json, "trust")).toMatchObject([{ level: "note", nextStep: `jlgcli trust ${project}` }]);
    expect(json).not.toContain("secret-value");
  });

  it.skipIf(process.platform === "win32")("another default, where the default is not installed and another backend is", async () => {
    const { io, bin, takeStdout } = setUp({ CODEX_API_KEY: "k" });
    writeFakeProgram(bin, "codex", "echo codex-cli 0.171.0");
    expect(await runDoctorCommand({ json: true }, io)).toBe(0);
    const json = takeStdout();
    expect(listChecks(json, "backends")).toMatchObject([{ level: "warning", nextStep: "jlgcli config set backend codex" }]);
    expect(listChecks(json, "backend codex")).toMatchObject([{ level: "ok", message: `available, 0.171.0, ${bin}/codex` }]);
  });

  it.each([
    ["v20.19.0", "ok"],
    ["v24.1.0", "ok"],
    ["v20.18.3", "problem"],
    ["v18.0.0", "problem"],
  ])("of Node %s: %s", (version, level) => {
    expect(checkNode(version).level).toBe(level);
  });

  it("the lowest Node that the package names", () => {
    expect(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")).toContain(`"node": ">=${LOWEST_NODE_VERSION}"`);
  });

  it("platforms that are not tested", () => {
    expect(["linux", "darwin", "win32", "sunos"].map((platform) => checkPlatform(platform).level)).toEqual(["ok", "ok", "ok", "warning"]);
  });

  it.each([
    [{}, "ok", "no variables set"],
    [{ https_proxy: "http://u:pw@p" }, "note", "https_proxy set"],
    [{ HTTPS_PROXY: "http://p", NODE_USE_ENV_PROXY: "1" }, "ok", "HTTPS_PROXY set"],
    [{ NO_PROXY: "localhost", no_proxy: "localhost" }, "ok", "NO_PROXY, no_proxy set"],
    [{ http_proxy: "" }, "ok", "no variables set"],
  ])("proxies in %o: %s", (env, level, message) => {
    expect(checkProxies(env)).toMatchObject({ level, message });
  });

  it("the agent that it was started by", () => {
    expect(checkAgents({}).level).toBe("ok");
    expect(checkAgents({ CLAUDECODE: "1", CODEX_CI: "1" })).toMatchObject({ level: "note", message: expect.stringContaining("CLAUDECODE, CODEX_CI set") as string });
  });
});

describe("doctor --report", () => {
  it.skipIf(process.platform === "win32")("has no value of the environment, no home folder and no credential (a shell script stands for a backend)", async () => {
    const { io, bin, home, write, takeStdout } = setUp({
      HTTPS_PROXY: "http://user:pass-word@proxy.example:3128",
      ANTHROPIC_API_KEY: "key-of-nobody-1234",
      JLGCLI_MODEL: "a-model",
      UNRELATED: "nobody's business",
    });
    writeFakeProgram(bin, "codex", "echo codex-cli 0.171.0");
    write("home/.jlgcli/backends/key-of-nobody-1234.json", { id: "ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
    expect(await runDoctorCommand({ report: true }, io)).toBe(78);
    const report = takeStdout();
    for (const hidden of [home, "pass-word", "proxy.example", "key-of-nobody", "a-model", "UNRELATED", "nobody's business", "ghp_"]) {
      expect(report).not.toContain(hidden);
    }
    expect(report).toContain("~/bin/codex");
    expect(report).toContain("`ANTHROPIC_API_KEY`, `HTTPS_PROXY`, `JLGCLI_MODEL`");
    expect(await runDoctorCommand({ report: true, json: true }, io)).toBe(78);
    const json = takeStdout();
    for (const hidden of [home, "pass-word", "key-of-nobody"]) expect(json).not.toContain(hidden);
    expect(listChecks(json, "backend codex")).toMatchObject([{ message: expect.stringContaining("~/bin/codex") as string }]);
  });

  it("is a table that nothing in it can break", async () => {
    const { io, write, takeStdout } = setUp();
    write("home/.jlgcli/backends/a|b`c.json", {});
    await runDoctorCommand({ report: true }, io);
    const rows = takeStdout().split("\n").filter((line) => line.startsWith("|"));
    expect(new Set(rows.map((row) => row.replaceAll(/\\./g, "").split("|").length))).toEqual(new Set([5, 8]));
  });
});
