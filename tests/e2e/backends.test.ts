import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPlace, findLeftOvers, runCli, type Place } from "./support/cli.js";

let place: Place;

beforeEach(() => {
  place = createPlace();
  // Nothing but what a test installs: this machine may have a real backend in /usr/bin.
  place.env["PATH"] = place.bin;
});

afterEach(() => place.cleanUp());

function install(name: string, script: string): void {
  place.install(name, `#!/bin/sh\n${script}\n`);
}

function write(path: string, content: unknown): string {
  const file = join(place.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function parseList(json: string): readonly Record<string, unknown>[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw new TypeError(`no list: ${json}`);
  return list.map((item: unknown) => ({ ...Object(item) }) as Record<string, unknown>);
}

const echo = {
  id: "echo",
  displayName: "Echo",
  traits: { executorId: "echo", command: "echo-it", args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: [] } },
};

describe("jlgcli backends", () => {
  it("is 2 and tells what to install on a machine without any, in text and in JSON", async () => {
    const text = await runCli(place, ["backends"]);
    expect(text).toMatchObject({ exitCode: 2 });
    expect(text.stdout).toContain("copilot   install it with: npm install -g @github/copilot\n");
    const json = await runCli(place, ["backends", "--json"]);
    expect(json.exitCode).toBe(2);
    expect(parseList(json.stdout).map(({ id, status, kind, version }) => [id, status, kind, version])).toEqual([
      ["copilot", "missing", "real", null],
      ["codex", "missing", "real", null],
      ["claude", "missing", "real", null],
      ["gemini", "missing", "real", null],
      ["opencode", "missing", "real", null],
      ["qwen", "missing", "real", null],
      ["pi", "missing", "real", null],
      ["replay", "available", "simulated", null],
    ]);
  });

  it("tells version, program and login of what is installed", async () => {
    install("codex", 'case "$*" in "login status") echo "Not logged in"; exit 1;; --version) echo "codex-cli 0.171.3";; esac');
    install("claude", 'case "$*" in "auth status") exit 0;; --version) echo "2.1.197 (Claude Code)";; esac');
    install("copilot", 'echo "GitHub Copilot CLI 9.0.0."');
    const { exitCode, stdout, stderr } = await runCli(place, ["backends", "--json"]);
    expect(exitCode).toBe(0);
    expect(parseList(stdout).slice(0, 3)).toMatchObject([
      { id: "copilot", status: "available", version: "9.0.0", versionTested: false, program: join(place.bin, "copilot"), isDefault: true },
      { id: "codex", status: "unauthenticated", version: "0.171.3", versionTested: true, nextStep: "codex login" },
      { id: "claude", status: "available", version: "2.1.197", versionTested: true, nextStep: null },
    ]);
    expect(stderr).toBe("jlgcli: copilot 9.0.0 is no version that this jlgcli was tested with (from 1.0.102, below 1.1.0)\n");
  });

  it("asks nobody for the login where there is a sign of one", async () => {
    install("codex", `echo "$*" >> '${place.home}/asked'; [ "$*" = --version ] && echo codex-cli 0.171.0`);
    place.env["CODEX_API_KEY"] = "k";
    expect((await runCli(place, ["backends"])).exitCode).toBe(0);
    expect(readFileSync(join(place.home, "asked"), "utf8")).toBe("--version\n");
  });

  it("waits for nobody: programs that hang are ended, and what they did not say is told as unknown", async () => {
    for (const name of ["codex", "claude", "copilot"]) install(name, "trap '' TERM INT HUP; /bin/sleep 60 & /bin/sleep 60");
    const { exitCode, stdout, durationMs } = await runCli(place, ["backends", "--json"]);
    expect(exitCode).toBe(0);
    expect(durationMs).toBeLessThan(20_000);
    expect(parseList(stdout).slice(0, 3)).toMatchObject([
      { id: "copilot", status: "available", version: null, details: null },
      { id: "codex", status: "available", version: null, details: expect.stringContaining("'codex login status' did not answer in time") as string },
      { id: "claude", status: "available", version: null },
    ]);
    if (process.platform === "linux") expect(findLeftOvers(place)).toEqual([]);
  });

  it.each([
    ["a version command that fails", "echo 1.0.102; exit 3"],
    ["a version that is none", "echo hello"],
    ["a flood", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"],
    ["an interpreter that is missing", ""],
  ])("knows no version after %s", async (_what, script) => {
    if (script === "") place.install("copilot", "#!/nowhere/interpreter\n");
    else install("copilot", script);
    const { stdout } = await runCli(place, ["backends", "--json"]);
    expect(parseList(stdout)[0]).toMatchObject({ id: "copilot", version: null, versionTested: null, program: join(place.bin, "copilot") });
  });

  it("lists a record of the user's own, which a run then uses", async () => {
    install("echo-it", "/bin/cat");
    write(".jlgcli/backends/echo.json", echo);
    write(".jlgcli.json", { backend: "echo" });
    const listed = await runCli(place, ["backends"]);
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(listed.stdout).toMatch(/^\* {2}echo +available +unknown +\S+echo-it$/m);
    expect(await runCli(place, ["run", "hello"])).toMatchObject({ exitCode: 0, stdout: "hello\n" });
  });

  it("shows a record that cannot be used, with the reason and the command that tells more", async () => {
    const file = write(".jlgcli/backends/bad.json", { ...echo, id: "bad" });
    const { exitCode, stdout } = await runCli(place, ["backends"]);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^ {3}bad +invalid/m);
    expect(stdout).toContain("traits.executorId: must be the record's id");
    expect(stdout).toContain(`jlgcli backends check ${file}`);
  });

  it("is 78 where the configuration cannot be read", async () => {
    write(".jlgcli.json", "{");
    expect(await runCli(place, ["backends"])).toMatchObject({ exitCode: 78, stdout: "" });
  });
});

describe("jlgcli backends check", () => {
  it("is 0 for a good record and tells what it would run, without running it", async () => {
    install("echo-it", `: > '${place.home}/ran'`);
    const { exitCode, stdout, stderr } = await runCli(place, ["backends", "check", write("echo.json", echo)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("printf %s hello | echo-it\n");
    expect(stdout).toContain(`program  ${join(place.bin, "echo-it")}\n`);
    expect(existsSync(join(place.home, "ran"))).toBe(false);
  });

  it("is 78 for a record with faults and names each", async () => {
    const { exitCode, stdout, stderr } = await runCli(place, ["backends", "check", write("bad.json", { ...echo, displayName: 1, extra: true })]);
    expect(exitCode).toBe(78);
    expect(stdout.split("\n").sort()).toEqual(["", "displayName: expected a string, got 1", expect.stringMatching(/^extra: unknown key/)]);
    expect(stderr).toContain("2 problems");
  });

  it("is 78 for what is no JSON and tells line and column", async () => {
    const { exitCode, stderr } = await runCli(place, ["backends", "check", write("bad.json", '{\n  "id": "x",\n}')]);
    expect(exitCode).toBe(78);
    expect(stderr).toContain("line 3, column 1: expected a name in double quotes");
  });

  it("is 66 for a file that is not there, and 64 for none", async () => {
    expect((await runCli(place, ["backends", "check", "nowhere.json"])).exitCode).toBe(66);
    expect((await runCli(place, ["backends", "check"])).exitCode).toBe(64);
  });
});
