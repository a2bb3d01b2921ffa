import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, createPlace, findLeftOvers, parseObject, runCli, runForResult, type Place } from "../support/cli.js";
import { createAgentPlace, endsOf, setSteps } from "./agent-place.js";
import type { Step } from "./faults.js";

let place: Place | undefined;

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const ANSWER: readonly Step[] = [
  { record: { type: "item.completed", item: { id: "i", type: "agent_message", text: "done" } } },
  { record: { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } } },
];
const withAnswer = (): Place => (place = createAgentPlace(ANSWER));

describe("a program that cannot be started", () => {
  it("is 2 when it is not installed", async () => {
    place = createPlace({ CODEX_API_KEY: "x" });
    const { result, exitCode } = await runForResult(place, ["--backend", "codex", "hi"]);
    expect(exitCode).toBe(endsOf("missing-program"));
    expect(result).toMatchObject({ status: "backend-missing" });
    expect(result["details"]).toContain("npm install -g @openai/codex");
  });

  it.each([["empty", { PATH: "" }], ["missing", undefined], ["only relative", { PATH: ".:bin" }]])("is 2 when PATH is %s", async (_name, path) => {
    const here = withAnswer();
    const { PATH: _path, ...env } = here.env;
    const { exitCode } = await runForResult({ ...here, cwd: here.bin, env: { ...env, ...path } }, ["--backend", "codex", "hi"]);
    expect(exitCode).toBe(endsOf("empty-path"));
  });

  it("is 1, never 2, when it is a script whose interpreter is missing", async () => {
    place = createPlace({ CODEX_API_KEY: "x" });
    place.install("codex", "#!/nonexistent/interpreter\n");
    const { result, exitCode } = await runForResult(place, ["--backend", "codex", "hi"]);
    expect(exitCode).toBe(endsOf("missing-interpreter"));
    expect(result["text"]).toContain("its interpreter does not: /nonexistent/interpreter");
  });
});

describe("the working directory", () => {
  it.each([
    ["missing-cwd", "nowhere", "does not exist"],
    ["cwd-is-file", "file.txt", "is not a directory"],
  ])("is refused with 66 (%s)", async (id, name, words) => {
    const here = withAnswer();
    writeFileSync(join(here.cwd, "file.txt"), "");
    const { result, exitCode } = await runForResult(here, ["--backend", "codex", "--cwd", name, "hi"]);
    expect(exitCode).toBe(endsOf(id));
    expect(result["text"]).toContain(words);
  });

  it("need not be a git repository", async () => {
    expect((await runCli(withAnswer(), ["run", "--backend", "codex", "hi"])).exitCode).toBe(endsOf("cwd-no-git"));
  });

  it("is 66 when it was removed under us", () => {
    const here = withAnswer();
    const gone = join(here.cwd, "gone");
    mkdirSync(gone);
    here.install("from-gone.sh", `#!/bin/sh\ncd '${gone}' && rmdir '${gone}' && exec "$@"\n`);
    const ended = spawnSync(join(here.bin, "from-gone.sh"), [process.execPath, CLI, "run", "--backend", "codex", "hi"], { env: here.env, encoding: "utf8", timeout: 25_000 });
    expect(ended.status, ended.stderr).toBe(66);
    expect(ended.stderr).not.toContain("    at ");
  });
});

describe("HOME", () => {
  it.each([
    ["does not exist", (here: Place) => join(here.home, "nowhere")],
    ["is a file", (here: Place) => join(here.home, "script.json")],
    ["is a device", () => "/dev/null"],
    ["is a folder of the system that takes no files", () => "/proc"],
  ])("costs nothing but the record of the run when it %s", async (_name, toHome) => {
    const here = withAnswer();
    const ended = await runCli({ ...here, env: { ...here.env, HOME: toHome(here) } }, ["run", "--backend", "codex", "hi"]);
    expect(ended, ended.stderr).toMatchObject({ exitCode: endsOf("home-missing"), stdout: "done\n" });
  });

  it("may be read-only", async () => {
    const here = withAnswer();
    chmodSync(here.home, 0o555);
    try {
      expect(await runCli(here, ["run", "-q", "--backend", "codex", "hi"])).toMatchObject({ exitCode: endsOf("home-read-only"), stdout: "done\n", stderr: "" });
    } finally {
      chmodSync(here.home, 0o755);
    }
  });

  it("may be unset", async () => {
    const here = withAnswer();
    // The script lies in the home folder, which stays where it is.
    const { HOME: _home, ...env } = here.env;
    // The user's own home would take the record then: a container's root has none that counts.
    const ended = await runCli({ ...here, env: { ...env, USERPROFILE: here.home } }, ["run", "--backend", "codex", "hi"]);
    expect(ended.exitCode, ended.stderr).toBe(0);
  });
});

describe("the backend's environment", () => {
  it("has no marks of an agent around us and no colour forcing, but the proxies, the CA files and a true PWD", async () => {
    const here = withAnswer();
    const log = join(here.home, "log.json");
    setSteps(here, [{ log }, ...ANSWER]);
    const kept = { https_proxy: "http://proxy:1", NO_PROXY: "localhost", NODE_EXTRA_CA_CERTS: "/ca.pem", SSL_CERT_FILE: "/ca.pem", REQUESTS_CA_BUNDLE: "/ca.pem", MY_OWN: "value" };
    const gone = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", CODEX_SANDBOX: "seatbelt", GEMINI_CLI: "1", CURSOR_AGENT: "1", FORCE_COLOR: "3", CLICOLOR_FORCE: "1" };
    Object.assign(here.env, kept, gone, { PWD: "/a/lie", JLGCLI_RUN_ID: "an-outer-run" });
    const ended = await runCli(here, ["run", "--backend", "codex", "hi"]);
    expect(ended.exitCode).toBe(endsOf("nested"));
    const logged = parseObject(readFileSync(log, "utf8"));
    const env = parseObject(JSON.stringify(logged["env"]));
    expect(env).toMatchObject({ ...kept, HTTPS_PROXY: "http://proxy:1", no_proxy: "localhost", NO_COLOR: "1", PWD: here.cwd, HOME: here.home });
    expect(Object.keys(env).filter((name) => name in gone)).toEqual([]);
    expect(env["JLGCLI_RUN_ID"]).not.toBe("an-outer-run");
    expect(findLeftOvers(here)).toEqual([]);
  });
});

describe("temporary files", () => {
  it("need no TMPDIR that exists", async () => {
    const here = withAnswer();
    rmSync(here.env["TMPDIR"] ?? "", { recursive: true });
    setSteps(here, [{ record: { type: "result", subtype: "success", is_error: false, result: "done" } }]);
    expect(await runCli(here, ["run", "--backend", "claude", "hi"])).toMatchObject({ exitCode: 0, stdout: "done\n" });
    mkdirSync(here.env["TMPDIR"] ?? "");
  });
});
