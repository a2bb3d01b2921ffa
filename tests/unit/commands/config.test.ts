import { existsSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runConfigCommand } from "../../../src/commands/config.js";
import { makeTempTree, rejectionOf, type TempTree } from "../config/temp-tree.js";
import { recordIo, type RecordedIo } from "./recorded-io.js";

function setUp(extraEnv: Readonly<Record<string, string>> = {}, cwd?: string): TempTree & RecordedIo {
  const tree = makeTempTree();
  return { ...tree, ...recordIo({ cwd: cwd === undefined ? tree.project : join(tree.root, cwd), env: { ...tree.env, ...extraEnv } }) };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

describe("config set", () => {
  it("makes the user's file, private, and the value holds from then on", async () => {
    const { home, io, takeStdout, takeStderr } = setUp();
    const file = join(home, ".jlgcli.json");
    expect(await runConfigCommand({ action: "set", key: "backend", value: "codex" }, io)).toBe(0);
    expect(takeStdout()).toBe(`backend is set in ${file}\n`);
    expect(takeStderr()).toBe("");
    expect(readFileSync(file, "utf8")).toBe('{\n  "backend": "codex"\n}\n');
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    await runConfigCommand({ action: "get", key: "backend" }, io);
    expect(takeStdout()).toBe("codex\n");
  });

  it("keeps the other keys, their order, the indentation and a symbolic link", async () => {
    const { home, io, write } = setUp();
    const dotfile = write("dotfiles/jlgcli.json", '{\n\t"$schema": "x",\n\t"model": "m",\n\t"verbosity": 2\n}\n');
    symlinkSync(dotfile, join(home, ".jlgcli.json"));
    await runConfigCommand({ action: "set", key: "model", value: "n" }, io);
    await runConfigCommand({ action: "set", key: "timeout", value: "5m" }, io);
    expect(readFileSync(dotfile, "utf8")).toBe('{\n\t"$schema": "x",\n\t"model": "n",\n\t"verbosity": 2,\n\t"timeout": "5m"\n}\n');
    expect(lstatSync(join(home, ".jlgcli.json")).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(home))).toEqual([".jlgcli.json"]);
  });

  it.each([
    ["verbosity", "2", { verbosity: 2 }],
    ["timeout", "90", { timeout: "90" }],
    ["systemPrompt", "{not json", { systemPrompt: "{not json" }],
    ["backendArgs", '["--a", "b"]', { backendArgs: ["--a", "b"] }],
    ["env", '{"A": "1"}', { env: { A: "1" } }],
    ["env.A", "1", { env: { A: "1" } }],
    ["env.A", '"quoted"', { env: { A: '"quoted"' } }],
    ["backends.mine", '{"id": "mine"}', { backends: { mine: { id: "mine" } } }],
  ])("understands %s %s", async (key, value, expected) => {
    const { home, io } = setUp();
    await runConfigCommand({ action: "set", key, value }, io);
    expect(readJson(join(home, ".jlgcli.json"))).toEqual(expected);
  });

  it.each([
    ["modle", "x", /"modle" is no key of the configuration/, /did you mean "model"/],
    ["model.x", "x", /"model.x" is no key/, /the keys are/],
    ["env.__proto__", "x", /is no key/, /the keys are/],
    ["access", "ful", /^access: expected one of read-only, workspace-write, full, got "ful" on the command line$/, /did you mean "full"/],
    ["verbosity", "high", /^verbosity: expected a whole number from 0 to 3, got "high"/, undefined],
    ["timeout", "600h", /^timeout: expected a duration .* at most 24 days/, undefined],
    ["backendArgs", "--a", /^backendArgs: expected a list of strings, got "--a"/, undefined],
    ["backend", "", /^backend: expected a name/, undefined],
  ])("refuses %s %j as a usage error and writes nothing", async (key, value, message, hint) => {
    const { home, io } = setUp();
    const error = await rejectionOf(runConfigCommand({ action: "set", key, value }, io));
    expect(error).toMatchObject({ code: "USAGE_INVALID", exitCode: 64 });
    expect(error instanceof Error && error.message).toMatch(message);
    if (hint !== undefined) expect((error as { hint?: string }).hint).toMatch(hint);
    expect(existsSync(join(home, ".jlgcli.json"))).toBe(false);
  });

  it("adds nothing to a file that jlgcli refuses to read", async () => {
    const { io, write } = setUp();
    const file = write("home/.jlgcli.json", { nonsense: 1 });
    expect(await rejectionOf(runConfigCommand({ action: "set", key: "model", value: "m" }, io))).toMatchObject({ exitCode: 78 });
    expect(readJson(file)).toEqual({ nonsense: 1 });
  });

  it("does not rewrite YAML, whose comments would be lost", async () => {
    const { io, write } = setUp();
    const file = write("home/.jlgclirc.yaml", "# mine\nmodel: m\n");
    expect(await rejectionOf(runConfigCommand({ action: "set", key: "model", value: "n" }, io))).toMatchObject({
      exitCode: 73,
      message: `${file} is not JSON, and only JSON is edited`,
    });
    expect(readFileSync(file, "utf8")).toBe("# mine\nmodel: m\n");
  });

  it("writes a project's file at the root of its repository, and says that it does not count before it is trusted", async () => {
    const { project, io, takeStderr } = setUp({}, "project/src");
    await runConfigCommand({ action: "set", key: "effort", value: "high", project: true }, io);
    expect(readJson(join(project, ".jlgcli.json"))).toEqual({ effort: "high" });
    expect(takeStderr()).toContain(`effort in ${join(project, ".jlgcli.json")} is ignored: this folder is not trusted`);
  });

  it("edits the project's package.json where the configuration stands there", async () => {
    const { project, io, write } = setUp();
    write("project/package.json", '{\n    "name": "x",\n    "jlgcli": { "model": "m" },\n    "private": true\n}\n');
    await runConfigCommand({ action: "set", key: "model", value: "n", project: true }, io);
    expect(readFileSync(join(project, "package.json"), "utf8")).toBe(
      '{\n    "name": "x",\n    "jlgcli": {\n        "model": "n"\n    },\n    "private": true\n}\n',
    );
  });

  it.each([
    ["codx", 'no backend has the id "codx" yet; did you mean "codex"?\n'],
    ["aider", /^no backend has the id "aider" yet; there are copilot, codex, claude/],
    ["mine", ""],
    ["claude", ""],
  ])("says so where no backend has the id %s", async (value, note) => {
    const { io, write, takeStderr } = setUp();
    write("home/.jlgcli.json", { backends: { mine: {} } });
    await runConfigCommand({ action: "set", key: "backend", value }, io);
    if (typeof note === "string") expect(takeStderr()).toBe(note);
    else expect(takeStderr()).toMatch(note);
  });

  it("says where another layer wins over the value", async () => {
    const { io, write, project, takeStderr } = setUp();
    write("project/.jlgcli.json", { model: "project" });
    await runConfigCommand({ action: "set", key: "model", value: "mine" }, io);
    expect(takeStderr()).toBe(`model is also set in ${join(project, ".jlgcli.json")}, which wins here\n`);
  });

  it("knows no project in the home folder", async () => {
    const { io } = setUp({}, "home");
    expect(await rejectionOf(runConfigCommand({ action: "set", key: "model", value: "m", project: true }, io))).toMatchObject({ exitCode: 64 });
  });
});

describe("config unset", () => {
  it("takes a key out and leaves the rest", async () => {
    const { io, write, takeStdout } = setUp();
    const file = write("home/.jlgcli.json", { model: "m", env: { A: "1", B: "2" } });
    await runConfigCommand({ action: "unset", key: "model" }, io);
    await runConfigCommand({ action: "unset", key: "env.A" }, io);
    expect(readJson(file)).toEqual({ env: { B: "2" } });
    await runConfigCommand({ action: "unset", key: "env.B" }, io);
    expect(readJson(file)).toEqual({});
    takeStdout();
    await runConfigCommand({ action: "unset", key: "model" }, io);
    expect(takeStdout()).toBe(`model is not set in ${file}\n`);
  });

  it("takes out a key that jlgcli does not know, so that a file can be mended", async () => {
    const { io, write } = setUp();
    const file = write("home/.jlgcli.json", { modle: "m", model: "m" });
    await runConfigCommand({ action: "unset", key: "modle" }, io);
    expect(readJson(file)).toEqual({ model: "m" });
    expect(await rejectionOf(runConfigCommand({ action: "unset", key: "modle" }, io))).toMatchObject({ exitCode: 64 });
  });

  it("makes no file where there is none", async () => {
    const { home, io } = setUp();
    await runConfigCommand({ action: "unset", key: "model" }, io);
    expect(existsSync(join(home, ".jlgcli.json"))).toBe(false);
  });
});

describe("config get and show", () => {
  it.each([
    ["backend", "copilot\n"],
    ["verbosity", "3\n"],
    ["env", '{"A":"1"}\n'],
    ["env.A", "1\n"],
    ["backendArgs", '["--x"]\n'],
  ])("prints the value of %s that holds", async (key, expected) => {
    const { io, write, takeStdout } = setUp();
    write("home/.jlgcli.json", { verbosity: 3, env: { A: "1" }, backendArgs: ["--x"] });
    await runConfigCommand({ action: "get", key }, io);
    expect(takeStdout()).toBe(expected);
  });

  it("prints nothing on stdout for a key that is not set, and null as JSON", async () => {
    const { io, takeStdout, takeStderr } = setUp();
    expect(await runConfigCommand({ action: "get", key: "model" }, io)).toBe(0);
    expect([takeStdout(), takeStderr()]).toEqual(["", "model is not set\n"]);
    await runConfigCommand({ action: "get", key: "model", json: true }, io);
    expect(takeStdout()).toBe("null\n");
  });

  it("shows of each key its value, its layer and its place, and what is ignored", async () => {
    const { home, project, io, write, takeStdout, takeStderr } = setUp({ JLGCLI_OUTPUT: "json" });
    write("home/.jlgcli.json", { model: "m", env: { API_KEY: "hunter2" } });
    write("project/.jlgcli.json", { timeout: "5m", effort: "high" });
    await runConfigCommand({ action: "show" }, io);
    const lines = takeStdout().split("\n").map((line) => line.split(/ {2,}/));
    expect(lines).toEqual(
      expect.arrayContaining([
        ["backend", "copilot", "default"],
        ["model", "m", "user", join(home, ".jlgcli.json")],
        ["effort", "(not set)"],
        ["output", "json", "environment", "JLGCLI_OUTPUT"],
        ["timeout", "5m", "project", join(project, ".jlgcli.json")],
        ["env.API_KEY", "***", "user", join(home, ".jlgcli.json")],
      ]),
    );
    expect(takeStderr()).toMatch(/^effort in .* is ignored: this folder is not trusted/);

    await runConfigCommand({ action: "show", json: true }, io);
    const shown = takeStdout();
    expect(shown).not.toContain("hunter2");
    expect(JSON.parse(shown)).toMatchObject({ projectTrusted: false, warnings: [{ key: "effort", file: join(project, ".jlgcli.json") }] });
    expect(takeStderr()).toBe("");
  });
});

describe("config path", () => {
  it("names the files, also where one of them is broken", async () => {
    const { home, project, io, write, takeStdout } = setUp();
    await runConfigCommand({ action: "path" }, io);
    expect(takeStdout()).toBe(`user     ${join(home, ".jlgcli.json")} (not there)\nproject  (none)\n`);
    write("home/.jlgclirc.yaml", "a: [");
    write("project/.jlgcli.json", "{");
    await runConfigCommand({ action: "path" }, io);
    expect(takeStdout()).toBe(`user     ${join(home, ".jlgclirc.yaml")}\nproject  ${join(project, ".jlgcli.json")} (folder not trusted)\n`);
    await runConfigCommand({ action: "path", json: true }, io);
    expect(JSON.parse(takeStdout())).toEqual({
      user: { file: join(home, ".jlgclirc.yaml"), exists: true },
      project: { file: join(project, ".jlgcli.json"), trusted: false },
    });
  });
});
