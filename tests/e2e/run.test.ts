import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, createPlaceWithCodex, findLeftOvers, parseObject, runCli, runForResult, type Place } from "./support/cli.js";

let place: Place | undefined;
/** `expect` gives `any` for a matcher. */
const containing = (text: string): unknown => expect.stringContaining(text);
const withCodex = (scenario = "success", env: Record<string, string> = {}): Place => (place = createPlaceWithCodex(scenario, env));

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

describe("the end of a run", () => {
  it.each([
    ["success", 0, "success", "heard: hello"],
    ["success-then-exit-3", 0, "success", "done"],
    ["reconnects-then-succeeds", 0, "success", "after all"],
    ["turn-failed", 69, "unavailable", "codex failed: the model is at capacity"],
    ["unauthenticated", 6, "backend-unauthenticated", "codex failed: unexpected status 401 Unauthorized: invalid x-api-key"],
    ["rate-limited", 69, "rate-limited", "codex failed: exceeded retry limit, last status: 429 Too Many Requests"],
    ["overloaded", 69, "unavailable", "codex failed: unexpected status 529 Overloaded"],
    ["blank-answer", 1, "error", "codex ended without an answer"],
    ["no-terminal", 1, "error", "codex ended before it said that it had finished"],
    ["exit-0-silent", 1, "error", "codex ended before it said that it had finished"],
    ["exit-1-stderr", 1, "error", "codex exited with code 1: something broke"],
  ])("of a backend that does '%s' is %i, %s", async (scenario, exitCode, status, text) => {
    const ended = await runForResult(withCodex(scenario), ["--backend", "codex", "hello"]);
    expect(ended.result).toMatchObject({ exitCode, status, text, backend: "codex", sessionId: "thread-1" });
    expect(ended.exitCode).toBe(exitCode);
  });

  it.each([{}, { CI: "true" }, { FORCE_COLOR: "1" }])("names the line of a broken configuration with %j too", async (env) => {
    const here = withCodex("success", env);
    writeFileSync(join(here.cwd, ".jlgcli.json"), '{\n  "model": "x",\n  oops\n}');
    expect(await runCli(here, ["run", "hello"])).toMatchObject({ exitCode: 78, stdout: "", stderr: containing("is not valid JSON (line 3, column 3)") });
  });

  it("comes soon after the answer, though the backend never exits", async () => {
    const ended = await runForResult(withCodex("success-then-hang"), ["--backend", "codex", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 0, text: "done" });
    expect(ended.durationMs).toBeLessThan(10_000);
    expect(findLeftOvers(place as Place)).toEqual([]);
  });

  it("does not wait for retries that will not heal", async () => {
    const ended = await runForResult(withCodex("hopeless-retries"), ["--backend", "codex", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", reason: "unauthenticated" });
    expect(ended.durationMs).toBeLessThan(15_000);
  });

  it.each([
    ["total", ["--timeout", "500ms"], "tool-then-hang", "did not finish within 0.5 s"],
    ["idle", ["--idle-timeout", "500ms"], "tool-then-hang", "gave no sign of life within 0.5 s"],
    ["total, though it goes on talking,", ["--timeout", "1s", "--idle-timeout", "500ms"], "chatter", "did not finish within 1 s"],
  ])("is 75 when the %s deadline passes, and nothing is left running", async (_name, flags, scenario, text) => {
    const ended = await runForResult(withCodex(scenario), ["--backend", "codex", ...flags, "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout", text: containing(text) });
    expect(ended.durationMs).toBeLessThan(15_000);
    expect(findLeftOvers(place as Place)).toEqual([]);
  });

  it("keeps what was answered before a timeout", async () => {
    const { result } = await runForResult(withCodex("tool-then-hang"), ["--backend", "codex", "--timeout", "1s", "hello"]);
    expect(result["partialText"]).toBe("working on it");
  });
});

describe("a backend that cannot be asked", () => {
  it("is 2 with one sentence and the install command when it is not installed", async () => {
    place = createPlace();
    const ended = await runCli(place, ["run", "hi"]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ended.stderr).toContain("the backend 'copilot' is not installed");
    expect(ended.stderr).toContain("npm install -g @github/copilot");
  });

  it("is 64 with a suggestion when nobody knows it", async () => {
    place = createPlace();
    const { result, exitCode } = await runForResult(place, ["--backend", "codxe", "hi"]);
    expect(result).toMatchObject({ status: "backend-unknown", details: containing("did you mean 'codex'?") });
    expect(exitCode).toBe(64);
  });

  it("is 6 when it is not signed in", async () => {
    place = createPlace();
    place.install("codex", "#!/bin/sh\necho 'Not logged in' >&2\nexit 1\n");
    const { result } = await runForResult(place, ["--backend", "codex", "hi"]);
    expect(result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", details: "sign in with: codex login" });
  });
});

describe("stdout and stderr", () => {
  it("have the answer alone and nothing at all when it is quiet", async () => {
    expect(await runCli(withCodex(), ["run", "-q", "--backend", "codex", "hello"])).toMatchObject({ stdout: "heard: hello\n", stderr: "", exitCode: 0 });
  });

  it("carry one event per line with stream-json, the last one the result", async () => {
    const { stdout } = await runCli(withCodex(), ["run", "--output", "stream-json", "--backend", "codex", "hello"]);
    const events = stdout.trimEnd().split("\n").map(parseObject);
    expect(events.map((event) => event["type"])).toEqual(["start", "agent_message_chunk", "usage_update", "result"]);
    expect(events.at(-1)).toMatchObject({ exitCode: 0, text: "heard: hello", usage: { totalTokens: 22, reasoningTokens: 4 } });
  });

  it("carry one result with --json also for a mistake on the command line", async () => {
    place = createPlace();
    const { result, exitCode } = await runForResult(place, ["--no-such-flag", "hi"]);
    expect(result).toMatchObject({ status: "usage", exitCode: 64 });
    expect(exitCode).toBe(64);
  });

  it("give a 16 MiB answer whole", async () => {
    const bytes = 16 * 1024 * 1024;
    const ended = await runCli(withCodex("big", { FAKE_BYTES: String(bytes) }), ["run", "--backend", "codex", "hello"]);
    expect(ended.stdout.length).toBe(Math.floor(bytes / 10) * 10 + 1);
    expect(ended.exitCode).toBe(0);
  });
});

describe("the prompt", () => {
  it.each([
    [["hello", "world"], undefined, "hello world"],
    [["--", "-x", "--json"], undefined, "-x --json"],
    [["review this", "-"], "the diff\n", "review this\n\nthe diff\n"],
    [["-"], "from a pipe", "from a pipe"],
    [[], "from a pipe", "from a pipe"],
    [["--file", "-"], "from a pipe", "from a pipe"],
    [["naïve “quotes” 'and' $HOME `x`\nnew line"], undefined, "naïve “quotes” 'and' $HOME `x`\nnew line"],
  ])("of %j with stdin %j is %j", async (words, stdin, prompt) => {
    const log = withCodex();
    const file = join(log.home, "log.json");
    log.env["FAKE_LOG"] = file;
    const ended = await runCli(log, ["run", "-q", "--backend", "codex", ...words], stdin === undefined ? {} : { stdin });
    expect(ended.stderr).toBe("");
    expect(parseObject(readFileSync(file, "utf8"))["prompt"]).toBe(prompt);
  });

  it("does not read stdin when it stands among the arguments", async () => {
    const ended = await runCli(withCodex(), ["run", "--backend", "codex", "hello"], { stdin: null });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard: hello\n" });
    expect(ended.durationMs).toBeLessThan(10_000);
  });

  it("may have 10 MiB from stdin", async () => {
    const prompt = "x".repeat(10 * 1024 * 1024);
    const ended = await runCli(withCodex(), ["run", "--backend", "codex"], { stdin: prompt });
    expect(ended.stdout).toBe(`heard: ${prompt}\n`);
  });

  it.each([
    [["run", "--file", "missing.md"], "", 66, "missing.md"],
    [["run", ""], "", 64, "the prompt is empty"],
    [["run"], "  \n", 64, "the prompt is empty"],
    [["run", "--timeout", "soon", "hi"], "", 64, "--timeout"],
    [["run", "--access", "everything", "hi"], "", 64, "read-only, workspace-write, full"],
    [["run", "--env", "nonsense", "hi"], "", 64, "NAME=VALUE"],
    [["rum"], "", 64, "did you mean run? see jlgcli --help"],
    [["config", "set", "backend"], "", 64, "see jlgcli config set --help"],
    [["config"], "", 64, "see jlgcli config --help"],
  ])("of %j with stdin %j is refused with %i and says %j", async (args, stdin, exitCode, words) => {
    place = createPlace();
    const ended = await runCli(place, args, { stdin });
    expect(ended).toMatchObject({ exitCode, stdout: "" });
    expect(ended.stderr).toContain(words);
  });

  it("is refused with 65 when it has a NUL or is not UTF-8", async () => {
    const here = withCodex();
    writeFileSync(join(here.cwd, "latin1.md"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    writeFileSync(join(here.cwd, "nul.md"), "a\0b");
    expect(await runCli(here, ["run", "--backend", "codex", "--file", "latin1.md"])).toMatchObject({ exitCode: 65, stderr: containing("not valid UTF-8") });
    expect(await runCli(here, ["run", "--backend", "codex", "--file", "nul.md"])).toMatchObject({ exitCode: 65, stderr: containing("NUL") });
  });
});

describe("the working directory", () => {
  it.each([
    ["missing", "does not exist"],
    ["file.txt", "is not a directory"],
  ])("'%s' is refused with 66", async (name, words) => {
    const here = withCodex();
    writeFileSync(join(here.cwd, "file.txt"), "");
    const { result } = await runForResult(here, ["--backend", "codex", "--cwd", name, "hi"]);
    expect(result).toMatchObject({ exitCode: 66, status: "no-input", text: containing(words) });
  });

  it("is the backend's, with a true PWD", async () => {
    const here = withCodex();
    const file = join(here.home, "log.json");
    mkdirSync(join(here.cwd, "sub"));
    Object.assign(here.env, { FAKE_LOG: file, PWD: "/somewhere/else" });
    await runCli(here, ["run", "--backend", "codex", "--cwd", "sub", "hi"]);
    const log = parseObject(readFileSync(file, "utf8"));
    expect(log["cwd"]).toBe(join(here.cwd, "sub"));
    expect(log["env"]).toMatchObject({ PWD: join(here.cwd, "sub") });
  });
});

describe("--dry-run", () => {
  it("prints a line that a shell runs to the same effect, and spawns nothing", async () => {
    const here = withCodex();
    const file = join(here.home, "log.json");
    here.env["FAKE_LOG"] = file;
    const dry = await runCli(here, ["run", "--backend", "codex", "--model", "o'model", "--dry-run", "it's\nme"]);
    expect(() => readFileSync(file)).toThrow();
    here.install("try.sh", `#!/bin/sh\n${dry.stdout}`);
    const { spawnSync } = await import("node:child_process");
    spawnSync(join(here.bin, "try.sh"), { env: here.env, cwd: "/" });
    const log = parseObject(readFileSync(file, "utf8"));
    expect(log).toMatchObject({ prompt: "it's\nme", cwd: here.cwd });
    expect(log["argv"]).toContain("o'model");
  });
});

describe("interruption", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s ends the backend and what it started, then us by the same signal", async (signal) => {
    const ended = await runCli(withCodex("tool-then-hang"), ["run", "--output", "stream-json", "--backend", "codex", "hello"], {
      onStart: (child) => child.stdout.once("data", () => setTimeout(() => child.kill(signal), 300)),
    });
    expect(ended.signal).toBe(signal);
    expect(parseObject(ended.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ type: "result", status: "interrupted" });
    expect(ended.durationMs).toBeLessThan(15_000);
    expect(findLeftOvers(place as Place)).toEqual([]);
  });
});
