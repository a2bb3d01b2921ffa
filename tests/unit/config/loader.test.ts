import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cosmiconfig } from "cosmiconfig";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { explainConfig, loadConfig, loadConfigWithSources } from "../../../src/config/loader.js";
import { JlgcliError } from "../../../src/errors.js";
import { makeTempTree, messageOf, rejectionOf } from "./temp-tree.js";

const TRUST = { JLGCLI_TRUST: "1" };

describe("the layers of the configuration", () => {
  it("is empty where nobody has set anything: defaults are applied where they are used", async () => {
    const { project, env } = makeTempTree();
    expect(await loadConfig({ cwd: project, env })).toEqual({});
  });

  it("takes the environment over the project, and the project over the user", async () => {
    const { project, env, write } = makeTempTree();
    write("home/.jlgcli.json", { backend: "claude", model: "user-model", verbosity: 3 });
    write("project/.jlgcli.json", { backend: "codex", model: "project-model" });
    const config = await loadConfig({ cwd: project, env: { ...env, JLGCLI_BACKEND: "copilot" } });
    expect(config).toEqual({ backend: "copilot", model: "project-model", verbosity: 3 });
  });

  it.each([
    ["JLGCLI_BACKEND", "codex", { backend: "codex" }],
    ["JLGCLI_MODEL", "gpt-5", { model: "gpt-5" }],
    ["JLGCLI_EFFORT", "high", { effort: "high" }],
    ["JLGCLI_ACCESS", "full", { access: "full" }],
    ["JLGCLI_OUTPUT", "stream-json", { output: "stream-json" }],
    ["JLGCLI_VERBOSITY", "2", { verbosity: 2 }],
    ["JLGCLI_TIMEOUT", "5m", { timeout: "5m" }],
    ["JLGCLI_IDLE_TIMEOUT", "0", { idleTimeout: "0" }],
    ["JLGCLI_FIRST_BYTE_TIMEOUT", "90", { firstByteTimeout: "90" }],
    ["JLGCLI_SYSTEM_PROMPT", "Be brief.", { systemPrompt: "Be brief." }],
    ["JLGCLI_APPEND_SYSTEM_PROMPT", "- a list", { appendSystemPrompt: "- a list" }],
  ])("reads %s=%s", async (name, value, expected) => {
    const { project, env } = makeTempTree();
    expect(await loadConfig({ cwd: project, env: { ...env, [name]: value } })).toEqual(expected);
  });

  it("takes an empty variable for one that is not set, and leaves foreign ones alone", async () => {
    const { project, env } = makeTempTree();
    expect(await loadConfig({ cwd: project, env: { ...env, JLGCLI_BACKEND: "", JLGCLI_RUN_ID: "x", JLGCLI_BACKENDS: "y" } })).toEqual({});
  });

  it("merges env and backends by name, so that a project adds to what the user has", async () => {
    const { project, env, write } = makeTempTree();
    write("home/.jlgcli.json", { env: { A: "user", B: "user" }, backends: { mine: { id: "mine" } }, backendArgs: ["--user"] });
    write("project/.jlgcli.json", { env: { B: "project" }, backends: { ours: { id: "ours" } }, backendArgs: ["--project"] });
    expect(await loadConfig({ cwd: project, env: { ...env, ...TRUST } })).toEqual({
      env: { A: "user", B: "project" },
      backends: { mine: { id: "mine" }, ours: { id: "ours" } },
      backendArgs: ["--project"],
    });
  });

  it("tells of each value where it comes from", async () => {
    const { project, home, env, write } = makeTempTree();
    write("home/.jlgcli.json", { model: "m", env: { A: "1", B: "1" } });
    write("project/.jlgcli.json", { env: { B: "2" }, timeout: 5 });
    const { entries } = await explainConfig({ cwd: project, env: { ...env, ...TRUST, JLGCLI_OUTPUT: "json" } });
    const [userFile, projectFile] = [join(home, ".jlgcli.json"), join(project, ".jlgcli.json")];
    expect(entries).toEqual(
      expect.arrayContaining([
        { key: "backend", value: "copilot", source: "default", file: null, variable: null },
        { key: "model", value: "m", source: "user", file: userFile, variable: null },
        { key: "output", value: "json", source: "environment", file: null, variable: "JLGCLI_OUTPUT" },
        { key: "timeout", value: 5, source: "project", file: projectFile, variable: null },
        { key: "env.A", value: "1", source: "user", file: userFile, variable: null },
        { key: "env.B", value: "2", source: "project", file: projectFile, variable: null },
        { key: "systemPrompt", value: undefined, source: null, file: null, variable: null },
      ]),
    );
  });
});

describe("the search for a project's file", () => {
  it.each([
    [".jlgcli.json", '{"model": "found"}'],
    [".jlgclirc", "model: found"],
    [".jlgclirc", '{"model": "found"}'],
    [".jlgclirc.json", '{"model": "found"}'],
    [".jlgclirc.yaml", "# a comment\nmodel: found\n"],
    [".jlgclirc.yml", "model: 'found'"],
    ["package.json", '{"name": "x", "jlgcli": {"model": "found"}}'],
    [".jlgcli.json", '\uFEFF{"$schema": "./jlgcli.schema.json", "model": "found"}'],
  ])("reads %s: %s", async (name, text) => {
    const { project, env, write } = makeTempTree();
    write(`project/${name}`, text);
    expect(await loadConfig({ cwd: project, env })).toEqual({ model: "found" });
  });

  it.each([[".jlgcli.json", " \n"], [".jlgclirc.yaml", "# nothing yet\n"], [".jlgcli.json", "{}"]])("takes an empty %s for a file that sets nothing", async (name, text) => {
    const { env, write, folder } = makeTempTree();
    write("project/.jlgcli.json", { model: "above" });
    write(`project/sub/${name}`, text);
    expect(await loadConfig({ cwd: folder("project/sub"), env })).toEqual({});
  });

  it("climbs from the run's folder to the nearest file, past a package.json that has nothing of ours", async () => {
    const { env, write, folder } = makeTempTree();
    write("project/.jlgcli.json", { model: "root" });
    write("project/packages/.jlgclirc.yaml", "model: nearest");
    write("project/packages/a/package.json", { name: "jlgcli", dependencies: { jlgcli: "1" } });
    expect(await loadConfig({ cwd: folder("project/packages/a/src/deep"), env })).toEqual({ model: "nearest" });
  });

  it("does not climb above the root of the git repository", async () => {
    const { project, env, write } = makeTempTree();
    write(".jlgcli.json", { model: "outside" });
    expect(await loadConfig({ cwd: project, env })).toEqual({});
  });

  it("takes a worktree's .git file for a root too", async () => {
    const { env, write, folder } = makeTempTree();
    write(".jlgcli.json", { model: "outside" });
    write("worktree/.git", "gitdir: elsewhere");
    expect(await loadConfig({ cwd: folder("worktree/src"), env })).toEqual({});
  });

  it("climbs on where there is no repository", async () => {
    const { env, write, folder } = makeTempTree();
    write(".jlgcli.json", { model: "above" });
    expect(await loadConfig({ cwd: folder("plain/folder"), env })).toEqual({ model: "above" });
  });

  it.each([["home"], ["home/code/app"]])("never takes the user's own file for a project's when the run is in %s", async (cwd) => {
    const { root, env, write, folder } = makeTempTree();
    write("home/.jlgcli.json", { effort: "high", access: "full" });
    write(".jlgcli.json", { model: "above home" });
    folder(cwd);
    const loaded = await loadConfigWithSources({ cwd: join(root, cwd), env });
    expect(loaded.config).toEqual({ effort: "high", access: "full" });
    expect(loaded.projectTrusted).toBeNull();
    expect(loaded.warnings).toEqual([]);
  });

  it("never takes the user's own file for a project's when the home folder is a repository or a symbolic link", async () => {
    const { root, home, write, folder } = makeTempTree();
    write("home/.jlgcli.json", { effort: "high" });
    folder("home/.git");
    folder("home/code");
    symlinkSync(home, join(root, "link"));
    const loaded = await loadConfigWithSources({ cwd: join(home, "code"), env: { HOME: join(root, "link"), USERPROFILE: join(root, "link") } });
    expect(loaded.config).toEqual({ effort: "high" });
    expect(loaded.projectTrusted).toBeNull();
  });

  it("does not count a link to the user's own file as a project's", async () => {
    const { project, env, write } = makeTempTree();
    symlinkSync(write("home/.jlgcli.json", { effort: "high" }), join(project, ".jlgcli.json"));
    expect(await loadConfigWithSources({ cwd: project, env })).toMatchObject({ config: { effort: "high" }, projectTrusted: null, warnings: [] });
  });

  it("says which of two files in one folder does not count", async () => {
    const { project, env, write } = makeTempTree();
    write("project/.jlgcli.json", { model: "first" });
    const other = write("project/.jlgclirc.yaml", "model: second");
    const { config, warnings } = await loadConfigWithSources({ cwd: project, env });
    expect(config).toEqual({ model: "first" });
    expect(warnings).toEqual([{ key: null, file: other, message: `${other} is ignored: ${join(project, ".jlgcli.json")} comes first` }]);
  });

  it("passes over a folder of that name, and a cwd that is not there", async () => {
    const { root, env, folder } = makeTempTree();
    const cwd = folder("project/sub");
    mkdirSync(join(cwd, ".jlgclirc"));
    expect(await loadConfig({ cwd, env })).toEqual({});
    expect(await loadConfig({ cwd: join(root, "project/not/there"), env })).toEqual({});
  });
});

describe("a configuration that cannot be used", () => {
  it.each([
    ["an unknown key", ".jlgcli.json", { modle: "x" }, /^modle: unknown key in FILE$/, /did you mean "model"\?.*the keys are backend, fallback/],
    ["a value that is none of the allowed ones", ".jlgcli.json", { access: "ful" }, /^access: expected one of read-only, workspace-write, full, got "ful" in FILE$/, /did you mean "full"\?/],
    ["a value of the wrong type", ".jlgcli.json", { backend: 3 }, /^backend: expected a name that does not begin with "-", got 3 in FILE$/, null],
    ["a name that looks like a flag", ".jlgcli.json", { model: "--yolo" }, /^model: expected a name .* got "--yolo" in FILE$/, null],
    ["a number out of range", ".jlgcli.json", { verbosity: 4 }, /^verbosity: expected a whole number from 0 to 3, got 4 in FILE$/, null],
    ["a duration above 24 days", ".jlgcli.json", { timeout: "600h" }, /^timeout: expected a duration .*at most 24 days.* got "600h" in FILE$/, null],
    ["a null", ".jlgcli.json", { model: null }, /^model: expected .* got null in FILE$/, null],
    ["several faults at once", ".jlgcli.json", { output: "xml", verbosity: "2" }, /^output: expected .*; verbosity: expected .*, got "2" in FILE$/, null],
    ["a wrong element", ".jlgcli.json", { backendArgs: ["a", 1] }, /^backendArgs: expected a list of strings, got a number at "backendArgs.1" in FILE$/, null],
    ["something else than an object", ".jlgcli.json", [1], /^expected an object of keys, got \[1\] in FILE$/, null],
    ["broken JSON", ".jlgcli.json", '{\n  "model": "x",\n  oops\n}', /^FILE is not valid JSON \(line 3, column 3\)$/, /config path/],
    ["broken YAML", ".jlgclirc.yaml", "model: x\n  oops: [", /^FILE is not valid YAML \(line 2, column 7\): /, null],
    ["YAML that JSON cannot say", ".jlgclirc.yaml", "model: 2020-01-01", /^FILE has at \$\.model a value that JSON cannot say$/, null],
    ["a forbidden key", ".jlgcli.json", '{"__proto__": {"access": "full"}}', /^FILE has at \$ the forbidden key "__proto__"$/, null],
    ["a forbidden key further down", ".jlgclirc", "env:\n  __proto__: x", /^FILE has at \$\.env the forbidden key "__proto__"$/, null],
    ["bytes that are not UTF-8", ".jlgclirc", Buffer.from([0x6d, 0xff, 0xfe]), /^FILE is not UTF-8 text$/, null],
    ["a file that is too big", ".jlgcli.json", " ".repeat(1024 * 1024 + 1), /^FILE has 1048577 bytes; a configuration file has at most 1048576$/, null],
    ["deep nesting", ".jlgcli.json", `{"backends": ${"[".repeat(50)}${"]".repeat(50)}}`, /^FILE is nested more than 32 levels deep$/, null],
  ])("is refused with its file for %s", async (_what, name, content, message, hint) => {
    const { project, env } = makeTempTree();
    const file = join(project, name);
    writeFileSync(file, typeof content === "string" || content instanceof Buffer ? content : JSON.stringify(content));
    const error = await rejectionOf(loadConfig({ cwd: project, env }));
    expect(error).toMatchObject({ name: "JlgcliError", code: "CONFIG_INVALID", exitCode: 78 });
    expect(error instanceof Error && error.message.replaceAll(file, "FILE")).toMatch(message);
    if (hint !== null) expect(error instanceof JlgcliError && error.hint).toMatch(hint);
  });

  it("is refused at once for YAML whose aliases mean billions of values", async () => {
    const { project, env, write } = makeTempTree();
    const lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]", ...Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]`)];
    write("project/.jlgclirc.yaml", lines.join("\n"));
    const startedAt = Date.now();
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/holds more than 20000 values$/);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it("names the variable where the environment is wrong", async () => {
    const { project, env } = makeTempTree();
    expect(await messageOf(loadConfig({ cwd: project, env: { ...env, JLGCLI_IDLE_TIMEOUT: "soon" } }))).toMatch(
      /^JLGCLI_IDLE_TIMEOUT: expected a duration .* got "soon" in the environment$/,
    );
  });

  it("never prints a value of env, which may be a secret, nor a line of a broken file", async () => {
    const { project, env, write } = makeTempTree();
    write("project/.jlgcli.json", { env: { API_KEY: { nested: "hunter2" } } });
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/^env: expected an object .* got an object at "env.API_KEY" in /);
    write("project/.jlgcli.json", '{"env": {"API_KEY": "hunter2" oops}}');
    expect(await messageOf(loadConfig({ cwd: project, env }))).not.toContain("hunter2");
  });

  it("cannot steer the terminal with a key's name", async () => {
    const { project, env, write } = makeTempTree();
    write("project/.jlgcli.json", { "\u001b[2Jx\u009b1m": 1 });
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/^\\u001b\[2Jx\\u009b1m: unknown key/);
  });

  it("is refused where the file is a pipe, instead of waiting for a writer", async ({ skip }) => {
    skip(process.platform === "win32", "Windows has no pipes in its file system");
    const { project, env } = makeTempTree();
    execFileSync("mkfifo", [join(project, ".jlgcli.json")]);
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/\.jlgcli\.json is not a regular file$/);
  });

  it("is refused where the file may not be read", async ({ skip }) => {
    skip(process.platform === "win32", "a mode of 000 does not keep anybody from reading on Windows");
    const { project, env, write } = makeTempTree();
    const path = join(project, ".jlgcli.json");
    // The superuser may read every file; what Linux then still refuses is its own memory at address 0.
    if (process.getuid?.() === 0) symlinkSync("/proc/self/mem", path);
    else chmodSync(write("project/.jlgcli.json", { model: "x" }), 0o000);
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/\.jlgcli\.json cannot be read: E(ACCES|IO)/);
  });
});

describe("a project's file is data, never code", () => {
  it("runs no script that a repository has put where configuration libraries look for one", async () => {
    const { root, project, env, write } = makeTempTree();
    const marker = join(root, "executed");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, ""); module.exports = { model: "evil" };`;
    for (const name of [".config/config.js", ".config/config.cjs", ".jlgclirc.js", ".jlgclirc.cjs", "jlgcli.config.js", "evil.cjs"]) {
      write(`project/${name}`, script);
    }
    write("project/.config/config.json", { cosmiconfig: { searchPlaces: ["evil.cjs"], mergeSearchPlaces: false } });
    write("project/.jlgclirc.yaml", "model: data");
    vi.spyOn(process, "cwd").mockReturnValue(project);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    expect(await loadConfig({ cwd: project, env })).toEqual({ model: "data" });
    expect(existsSync(marker)).toBe(false);

    // The control: the trap works, and would catch a call of cosmiconfig's own search.
    rmSync(join(project, ".config/config.json"));
    cosmiconfig("jlgcli", { searchPlaces: [".jlgclirc.yaml"], stopDir: project });
    await vi.waitFor(() => expect(existsSync(marker)).toBe(true));
  });

  it("imports no other file", async () => {
    const { project, env, write } = makeTempTree();
    write("secret.json", { model: "secret" });
    write("project/.jlgclirc.yaml", "$import: ../secret.json");
    expect(await messageOf(loadConfig({ cwd: project, env }))).toMatch(/^\$import: unknown key/);
  });
});
