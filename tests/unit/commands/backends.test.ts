import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runBackendsCommand } from "../../../src/commands/backends.js";
import { makeTempTree, type TempTree } from "../config/temp-tree.js";
import { writeFakeProgram } from "./fake-program.js";
import { recordIo, type RecordedIo } from "./recorded-io.js";

// The fake programs are shell scripts.
const posix = describe.skipIf(process.platform === "win32");

interface SetUp extends TempTree, RecordedIo {
  readonly bin: string;
}

/** A machine where only the programs are installed that the test writes. */
function setUp(extraEnv: Readonly<Record<string, string>> = {}): SetUp {
  const tree = makeTempTree();
  const bin = tree.folder("bin");
  return { ...tree, bin, ...recordIo({ cwd: tree.project, env: { ...tree.env, PATH: bin, ...extraEnv } }) };
}

function textRecord(id: string, command: string): object {
  return { id, displayName: id, traits: { executorId: id, command, args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: [] } } };
}

describe("backends", () => {
  it("says what to install where nothing is, and gives 2 though the simulated backend is there", async () => {
    const { io, takeStdout, takeStderr } = setUp();
    expect(await runBackendsCommand({}, io)).toBe(2);
    expect(takeStdout()).toBe(
      [
        "   BACKEND   STATUS     VERSION  PROGRAM",
        "*  copilot   missing    -        -",
        "   codex     missing    -        -",
        "   claude    missing    -        -",
        "   gemini    missing    -        -",
        "   opencode  missing    -        -",
        "   qwen      missing    -        -",
        "   pi        missing    -        -",
        "   replay    available  -        plays a recording, asks no model",
        "",
        "* the backend of a run that names none",
        "",
        "copilot   install it with: npm install -g @github/copilot",
        "codex     install it with: npm install -g @openai/codex",
        "claude    install it with: npm install -g @anthropic-ai/claude-code",
        "gemini    install it with: npm install -g @google/gemini-cli",
        "opencode  install it with: npm install -g opencode-ai",
        "qwen      install it with: npm install -g @qwen-code/qwen-code",
        "pi        install it with: npm install -g @mariozechner/pi-coding-agent",
        "",
      ].join("\n"),
    );
    expect(takeStderr()).toContain("jlgcli run --backend replay hello");
  });

  it("warns of a configured backend that does not exist", async () => {
    const { io, write, takeStderr } = setUp();
    write("home/.jlgcli.json", { backend: "codx" });
    await runBackendsCommand({}, io);
    expect(takeStderr()).toContain("the configured backend 'codx' is not known; did you mean 'codex'?");
  });

  it("lists the user's own records, and those that cannot be used with the reason", async () => {
    const { io, write, home, takeStdout } = setUp();
    write("home/.jlgcli.json", { backend: "conf", backends: { conf: textRecord("conf", "nowhere"), other: textRecord("another", "x") } });
    write("home/.jlgcli/backends/mine.json", textRecord("mine", process.execPath));
    write("home/.jlgcli/backends/bad.json", { id: "bad" });
    write("home/.jlgcli/backends/broken.json", "{");
    write("home/.jlgcli/backends/not an id.json", {});
    expect(await runBackendsCommand({ json: true }, io)).toBe(0);
    const backends: unknown = JSON.parse(takeStdout());
    const file = (name: string): string => join(home, ".jlgcli/backends", name);
    expect(backends).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: "mine", origin: "user", source: file("mine.json"), status: "available", program: process.execPath, kind: "real" }),
        expect.objectContaining({ id: "conf", source: "backends.conf of the configuration", status: "missing", isDefault: true, nextStep: null }),
        expect.objectContaining({ id: "other", status: "invalid", kind: null, details: expect.stringContaining("expected 'other'") as string }),
        expect.objectContaining({ id: "bad", status: "invalid", details: expect.stringContaining("traits: is required") as string, nextStep: `jlgcli backends check ${file("bad.json")}` }),
        expect.objectContaining({ id: "broken", status: "invalid" }),
        expect.objectContaining({ id: "not an id", status: "invalid", nextStep: `jlgcli backends check '${file("not an id.json")}'` }),
      ]),
    );
  });

  it("says that a record does not count whose id is taken, or stands in the configuration too", async () => {
    const { io, write, takeStdout, takeStderr } = setUp();
    write("home/.jlgcli/backends/codex.json", textRecord("codex", "x"));
    write("home/.jlgcli/backends/mine.json", textRecord("mine", "x"));
    write("home/.jlgcli.json", { backends: { replay: {}, mine: textRecord("mine", "y") } });
    await runBackendsCommand({ json: true }, io);
    const lines = takeStderr().split("\n");
    expect(lines).toContainEqual(expect.stringMatching(/codex\.json does not count: 'codex' comes with jlgcli/));
    expect(lines).toContainEqual(expect.stringMatching(/backends\.replay of the configuration does not count/));
    expect(lines).toContainEqual(expect.stringMatching(/mine\.json does not count: backends\.mine of the configuration comes first/));
    const backends: unknown = JSON.parse(takeStdout());
    expect(backends).toContainEqual(expect.objectContaining({ id: "codex", origin: "built-in", warnings: [expect.stringContaining("does not count")] }));
  });

  it("goes on where the folder of records is no folder", async () => {
    const { io, write, takeStderr } = setUp();
    write("home/.jlgcli/backends", "a file");
    expect(await runBackendsCommand({}, io)).toBe(2);
    expect(takeStderr()).toContain("the backend records in");
  });

  it("does not count what a project brings that is not trusted, and says so", async () => {
    const { io, write, takeStdout, takeStderr } = setUp();
    write("project/.jlgcli.json", { backends: { evil: textRecord("evil", process.execPath) } });
    expect(await runBackendsCommand({}, io)).toBe(2);
    expect(takeStdout()).not.toContain("evil");
    expect(takeStderr()).toContain("is ignored: this folder is not trusted");
  });
});

posix("backends that are installed", () => {
  it("shows version, program and login, and warns of a version that was not tested", async () => {
    const { io, bin, write, takeStdout, takeStderr } = setUp();
    writeFakeProgram(bin, "codex", 'case "$*" in "login status") exit 1;; --version) echo codex-cli 0.999.1;; esac');
    writeFakeProgram(bin, "claude", 'case "$*" in "auth status") exit 0;; --version) echo "2.1.199 (Claude Code)";; esac');
    write("home/.jlgcli.json", { backend: "claude" });
    expect(await runBackendsCommand({}, { ...io, stdoutIsTty: true, env: { ...io.env, NO_COLOR: "1" } })).toBe(0);
    const lines = takeStdout().split("\n");
    expect(lines).toContainEqual(expect.stringMatching(/^ {3}codex +unauthenticated +0\.999\.1 \(!\) +\S+codex$/));
    expect(lines).toContainEqual(expect.stringMatching(/^\* {2}claude +available +2\.1\.199 +\S+claude$/));
    expect(lines).toContainEqual("codex     sign in with: codex login");
    expect(takeStderr()).toBe("jlgcli: codex 0.999.1 is no version that this jlgcli was tested with (from 0.171.0, below 0.172.0)\n");
  });

  it("keeps every line of the table within 80 columns on a terminal, and cuts nothing for a pipe", async () => {
    const { io, folder, takeStdout } = setUp();
    const deep = folder(`bin/${"deep/".repeat(20)}`);
    writeFakeProgram(deep, "codex", "exit 0");
    const env = { ...io.env, PATH: deep, NO_COLOR: "1" };
    await runBackendsCommand({}, { ...io, env });
    expect(takeStdout()).toContain(join(deep, "codex"));
    await runBackendsCommand({}, { ...io, env, stdoutIsTty: true });
    const [table = ""] = takeStdout().split("\n\n");
    expect(table.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(table).toMatch(/…\S*\/codex$/m);
  });

  it("asks as a run would: without the marks of a surrounding agent, in the home folder, with its stdin closed", async () => {
    const { io, bin, home, root, takeStdout } = setUp({ CLAUDECODE: "1", FORCE_COLOR: "1", OWN: "kept" });
    const seen = join(root, "seen");
    writeFakeProgram(bin, "copilot", `[ -z "$(/bin/cat)" ] && echo "$PWD $OWN $CLAUDECODE $FORCE_COLOR $NO_COLOR" > '${seen}'; echo 1.0.102`);
    expect(await runBackendsCommand({ json: true }, io)).toBe(0);
    expect(JSON.parse(takeStdout())).toContainEqual(expect.objectContaining({ id: "copilot", version: "1.0.102", versionTested: true }));
    expect(readFileSync(seen, "utf8")).toBe(`${home} kept   1\n`);
  });

  it("knows variables of the configuration: they may be what a backend signs in with", async () => {
    const { io, bin, write, takeStdout } = setUp();
    writeFakeProgram(bin, "claude", "exit 1");
    write("home/.jlgcli.json", { env: { ANTHROPIC_API_KEY: "k" } });
    expect(await runBackendsCommand({ json: true }, io)).toBe(0);
    expect(JSON.parse(takeStdout())).toContainEqual(expect.objectContaining({ id: "claude", status: "available", version: null }));
  });

  it("does not take a program for available that may not be run", async () => {
    const { io, bin } = setUp();
    chmodSync(writeFakeProgram(bin, "codex", "exit 0"), 0o644);
    expect(await runBackendsCommand({ json: true }, io)).toBe(2);
  });
});
