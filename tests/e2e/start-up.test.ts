import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hook = path.join(root, "tests/fixtures/hooks/list-loaded-files.cjs");
const importHook = path.join(root, "tests/fixtures/hooks/list-imported-files.mjs");
const HEAVY_LIBRARIES = ["lib-cosmiconfig.cjs", "lib-execa.cjs", "lib-zod.cjs"];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "jlgcli-start-up-"));
  for (const name of ["home", "work", "bin"]) mkdirSync(path.join(folder, name));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("what a start loads", () => {
  it("finds each heavy library in a chunk of its own", () => {
    for (const name of HEAVY_LIBRARIES) expect(existsSync(path.join(root, "dist/chunks", name))).toBe(true);
  });

  it.each(["--version", "--help", "run --help", "backends --help"])("loads no heavy library for %s", (args) => {
    const start = runCli(args.split(" "));
    expect(start.status).toBe(0);
    expect(start.stdout).not.toBe("");
    expect(start.loaded).toContain("lib-commander.cjs");
    expect(HEAVY_LIBRARIES.filter((name) => start.loaded.includes(name))).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("loads execa alone for a run without config files (the fake backend is a shell script)", () => {
    installCodex();
    const start = runCli(["run", "--backend", "codex", "hello"]);
    expect(start).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(HEAVY_LIBRARIES.filter((name) => start.loaded.includes(name))).toEqual(["lib-execa.cjs"]);
  });

  it.skipIf(process.platform === "win32")("loads nothing of slash commands for a run without one (the fake backend is a shell script)", () => {
    installCodex();
    mkdirSync(path.join(folder, "work/.claude/commands"), { recursive: true });
    writeFileSync(path.join(folder, "work/.claude/commands/say.md"), "Say: $ARGUMENTS");
    const SLASH = /slash|command|mcp|server|yaml|toml|jsonc|dist/u;
    const without = runCli(["run", "--backend", "codex", "/usr/bin/x is a path"]);
    expect(without).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(without.loaded.filter((name) => SLASH.test(name) && name !== "is-slash-command.cjs" && name !== "lib-commander.cjs")).toEqual([]);
    const withOne = runCli(["run", "--backend", "codex", "/say hello"]);
    expect(withOne).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(withOne.loaded).toContain("slash-prompt.cjs");
    // files are read without parsers where they can be, and no server is looked for when the name is found
    expect(withOne.loaded.filter((name) => /mcp|list-servers|yaml|toml|jsonc/u.test(name))).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("loads nothing of editors, chats and MCP for a run (the fake backend is a shell script)", () => {
    installCodex();
    const OTHER_MODES = /^acp|agentclientprotocol|^chat|conversation|^lib-(?:ink|react)|^ink|^react|mcp/u;
    const run = runCli(["run", "--backend", "codex", "hello"]);
    expect(run).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(run.loaded.filter((name) => OTHER_MODES.test(name))).toEqual([]);
    const editor = runCli(["acp"]);
    expect(editor).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(editor.loaded).toEqual(expect.arrayContaining(["acp.cjs", "lib-agentclientprotocol.cjs"]));
    expect(editor.loaded.filter((name) => /^chat|^lib-(?:ink|react)/u.test(name))).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("loads zod once a config file has to be checked (the fake backend is a shell script)", () => {
    installCodex();
    writeFileSync(path.join(folder, "work/.jlgcli.json"), JSON.stringify({ verbosity: 1 }));
    const start = runCli(["run", "--backend", "codex", "hello"]);
    expect(start).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(start.loaded).toContain("lib-zod.cjs");
  });

  it.skipIf(process.platform === "win32")("loads of what a run leaves behind only the ledger, and nothing to read it (the fake backend is a shell script)", () => {
    const sinks = ["usage-ledger.cjs", "artifacts.cjs", "budget-check.cjs", "summarise-usage.cjs", "usage.cjs", "runs.cjs", "redact.cjs", "cassette-writer.cjs"];
    for (const name of sinks) expect(existsSync(path.join(root, "dist/chunks", name)), name).toBe(true);
    installCodex();
    const { loaded } = runCli(["run", "--backend", "codex", "hello"]);
    expect(sinks.filter((name) => loaded.includes(name))).toEqual(["usage-ledger.cjs"]);
  });

  it.skipIf(process.platform === "win32")("starts the backend once for a run and asks it nothing before (the fake backend is a shell script)", () => {
    installCodex();
    expect(runCli(["run", "--backend", "codex", "hello"]).status).toBe(0);
    expect(readFileSync(path.join(folder, "starts"), "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("keeps compiled code in a folder of the user's own, never among the temporary files of all", () => {
    const [home, tmp] = [path.join(folder, "home"), path.join(folder, "work")];
    const start = spawnSync(process.execPath, [path.join(root, "dist/cli.cjs"), "--version"], { env: { HOME: home, USERPROFILE: home, TMPDIR: tmp, TEMP: tmp }, encoding: "utf8" });
    expect(start.status).toBe(0);
    expect(readdirSync(tmp)).toEqual([]);
    const hasCompileCache = Number(process.versions.node.split(".")[0]) >= 22;
    expect(existsSync(path.join(home, ".cache/jlgcli"))).toBe(hasCompileCache);
  });
});

describe("what belongs to a chat alone", () => {
  it("stands in one ES module of its own, and no chunk has anything of React", () => {
    const bundle = readFileSync(path.join(root, "dist/chat-ui.mjs"), "utf8");
    // not the text itself, which would be the message
    expect({ hasReact: REACT.test(bundle), hasDebugger: /(?:from|import\(|require\()\s*["'`]react-devtools/.test(bundle) }).toEqual({ hasReact: true, hasDebugger: false });
    const chunks = readdirSync(path.join(root, "dist/chunks")).map((name) => path.join(root, "dist/chunks", name));
    for (const file of [path.join(root, "dist/cli.cjs"), ...chunks]) expect(REACT.test(readFileSync(file, "utf8")), file).toBe(false);
  });

  it("is seen when it is imported", () => {
    const importing = `import(${JSON.stringify(pathToFileURL(path.join(root, "dist/chat-ui.mjs")).href)}).then((m) => console.log(typeof m.runScreen))`;
    const { stdout, imported } = runWatched(["-e", importing]);
    expect(stdout).toBe("function\n");
    expect(imported).toContain("chat-ui.mjs");
  });

  it.each(["--version", "--help", "chat --help", "chat --list", "backends --help"])("is not loaded for %s", (args) => {
    const { status, imported } = runWatched([path.join(root, "dist/cli.cjs"), ...args.split(" ")]);
    expect(status).toBe(0);
    expect(imported.filter((name) => name.endsWith(".mjs"))).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("is not loaded for a run (the fake backend is a shell script)", () => {
    installCodex();
    const { status, stdout, imported } = runWatched([path.join(root, "dist/cli.cjs"), "run", "--backend", "codex", "hello"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "hello\n" });
    expect(imported.filter((name) => name.endsWith(".mjs"))).toEqual([]);
  });
});

/** What only React and the layout engine of Ink say. */
const REACT = /Symbol\.for\(["'`]react\.|YGNode|yoga/;

/** The names of the ES modules that a process imports. */
function runWatched(args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly imported: readonly string[] } {
  const report = path.join(folder, "imported");
  writeFileSync(report, "");
  const { status, stdout } = spawnSync(process.execPath, ["--import", pathToFileURL(importHook).href, ...args], {
    cwd: path.join(folder, "work"),
    env: { ...toEnv(), IMPORTED_FILES_REPORT: report },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  return { status, stdout, imported: readFileSync(report, "utf8").split("\n").map((url) => path.basename(url)) };
}

interface Start {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Names of the files that were loaded. */
  readonly loaded: readonly string[];
}

function runCli(args: readonly string[]): Start {
  const report = path.join(folder, "loaded.json");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-r", hook, path.join(root, "dist/cli.cjs"), ...args], {
    cwd: path.join(folder, "work"),
    env: { ...toEnv(), LOADED_FILES_REPORT: report },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  return { status, stdout, stderr, loaded: loadNames(report) };
}

function toEnv(): NodeJS.ProcessEnv {
  return {
    PATH: [path.join(folder, "bin"), "/usr/bin", "/bin"].join(path.delimiter),
    HOME: path.join(folder, "home"),
    USERPROFILE: path.join(folder, "home"),
    // Without it Node does not start on Windows.
    SystemRoot: process.env["SystemRoot"],
    CODEX_API_KEY: "not-a-key",
  };
}

function loadNames(report: string): readonly string[] {
  const files: unknown = JSON.parse(readFileSync(report, "utf8"));
  if (!Array.isArray(files)) throw new TypeError("the report is no list");
  return files.map((file) => path.basename(String(file)));
}

/** A `codex` that notes each start and answers at once, in the words of the real one. */
function installCodex(): void {
  const program = path.join(folder, "bin/codex");
  const records = [
    { type: "thread.started", thread_id: "00000000-0000-7000-8000-000000000001" },
    { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "hello" } },
    { type: "turn.completed", usage: { input_tokens: 20, cached_input_tokens: 5, output_tokens: 2, reasoning_output_tokens: 0 } },
  ];
  const lines = records.map((record) => `'${JSON.stringify(record)}'`).join(" ");
  writeFileSync(program, `#!/bin/sh\necho "$*" >> '${path.join(folder, "starts")}'\nprintf '%s\\n' ${lines}\n`);
  chmodSync(program, 0o755);
}
