import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, createPlaceWithCodex, FIXTURES, parseObject, runCli, runForResult, type Place } from "./support/cli.js";

let place: Place | undefined;
const containing = (text: string): unknown => expect.stringContaining(text);
const withCodex = (scenario = "success", env: Record<string, string> = {}): Place => (place = createPlaceWithCodex(scenario, env));

/** codex, and a claude that is signed in and answers. */
function withBoth(scenario: string, env: Record<string, string> = {}): Place {
  const both = withCodex(scenario, { ANTHROPIC_API_KEY: "test-key", ...env });
  symlinkSync(join(FIXTURES, "agents/claude-streaming.mjs"), join(both.bin, "claude"));
  return both;
}

/** A codex whose successive starts play these scenarios. */
function withTurns(...scenarios: readonly string[]): Place {
  const here = withCodex();
  here.env["FAKE_TURNS"] = join(here.home, "turns.json");
  writeFileSync(here.env["FAKE_TURNS"], JSON.stringify(scenarios));
  return here;
}

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const run = (here: Place, ...args: readonly string[]) => runCli(here, ["run", "--backend", "codex", ...args]);

describe("--output-file", () => {
  it("gets the answer, readable by the user alone, and stdout has it too", async () => {
    const here = withCodex();
    expect(await run(here, "--output-file", "answer.md", "hello")).toMatchObject({ exitCode: 0, stdout: "heard: hello\n" });
    const file = join(here.cwd, "answer.md");
    expect(readFileSync(file, "utf8")).toBe("heard: hello\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(here.cwd)).toEqual(["answer.md"]);
  });

  it("gets the JSON, of a failure too", async () => {
    const here = withCodex("unauthenticated");
    const ended = await runForResult(here, ["--backend", "codex", "--output-file", "result.json", "hello"]);
    expect(parseObject(readFileSync(join(here.cwd, "result.json"), "utf8"))).toEqual(ended.result);
    expect(ended.exitCode).toBe(6);
  });

  it("keeps what stood there, and its mode, when there is no answer", async () => {
    const here = withCodex("unauthenticated");
    writeFileSync(join(here.cwd, "answer.md"), "earlier");
    expect(await run(here, "--output-file", "answer.md", "hello")).toMatchObject({ exitCode: 6 });
    expect(readFileSync(join(here.cwd, "answer.md"), "utf8")).toBe("earlier");
  });

  it("keeps the mode of a file that is there", async () => {
    const here = withCodex();
    writeFileSync(join(here.cwd, "answer.md"), "earlier");
    chmodSync(join(here.cwd, "answer.md"), 0o640);
    await run(here, "--output-file", "answer.md", "hello");
    expect(readFileSync(join(here.cwd, "answer.md"), "utf8")).toBe("heard: hello\n");
    expect(statSync(join(here.cwd, "answer.md")).mode & 0o777).toBe(0o640);
  });

  it("is written to where it is a pipe, and does not take its place", async () => {
    const here = withCodex();
    const script = `mkfifo pipe && { cat pipe >got & } && '${process.execPath}' '${CLI}' run -q --backend codex --output-file pipe hello; echo $?; wait`;
    expect(spawnSync("bash", ["-c", script], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 })).toMatchObject({ stdout: "heard: hello\n0\n", stderr: "" });
    expect(readFileSync(join(here.cwd, "got"), "utf8")).toBe("heard: hello\n");
    expect(statSync(join(here.cwd, "pipe")).isFIFO()).toBe(true);
  });

  it("that cannot be created is 73, and the answer is still printed", async () => {
    const ended = await run(withCodex(), "--output-file", "no/such/folder/answer.md", "hello");
    expect(ended).toMatchObject({ exitCode: 73, stdout: "heard: hello\n" });
    expect(ended.stderr).toContain("answer.md: cannot be created");
    expect(ended.stderr).not.toContain("heard: hello");
  });

  it("that cannot be created is 73 in the JSON, with the answer beside it", async () => {
    const { result, exitCode } = await runForResult(withCodex(), ["--backend", "codex", "--output-file", "no/such/folder/x", "hello"]);
    expect(result).toMatchObject({ exitCode: 73, status: "cannot-create", partialText: "heard: hello" });
    expect(exitCode).toBe(73);
  });
});

describe("what stderr tells", () => {
  const SUMMARY = /^jlgcli: codex: success in \d+\.\d s, 22 tokens\n$/;

  it.each([
    [["-q"], /^$/],
    [["--verbosity", "0"], /^$/],
    [[], SUMMARY],
    [["--verbosity", "1"], SUMMARY],
    [["-v"], SUMMARY],
    [["--json"], /^$/],
    [["--json", "--verbosity", "1"], SUMMARY],
  ])("with %j is what its level says", async (flags, expected) => {
    expect((await run(withCodex(), ...flags, "hello")).stderr).toMatch(expected);
  });

  it("are the steps from level 2", async () => {
    const ended = await run(withCodex("acts-then-unauthenticated"), "-v", "hello");
    expect(ended.stderr).toContain("jlgcli: execute: touch made\n");
    expect((await run(withCodex("acts-then-unauthenticated"), "hello")).stderr).not.toContain("touch made");
  });

  it.each([["-vv"], ["--verbosity=3"]])("is the prompt, every event and the technical detail with %s", async (flag) => {
    const { stderr } = await run(withCodex(), flag, "say it");
    expect(stderr).toContain("jlgcli: the prompt has 6 characters:\n  say it\n");
    expect(stderr).toContain('jlgcli: event {"type":"agent_message_chunk"');
    expect(stderr).toMatch(/exit code 0, the backend's own 0, session thread-1, run [0-9a-f-]{36}\n$/);
  });

  it("comes from the configuration where no flag says it", async () => {
    const here = withCodex();
    writeFileSync(join(here.home, ".jlgcli.json"), '{"verbosity":0}');
    expect((await run(here, "hello")).stderr).toBe("");
    expect((await run(here, "-v", "hello")).stderr).toMatch(SUMMARY);
  });

  it("of a failure is its sentence and why, whatever the level", async () => {
    expect((await run(withCodex("overloaded"), "-q", "hello")).stderr).toBe("jlgcli: codex failed: unexpected status 529 Overloaded\n");
    expect((await run(withCodex("overloaded"), "hello")).stderr).toMatch(/\njlgcli: codex: unavailable \(overloaded\) in \d+\.\d s\n$/);
  });

  it("is refused with 64 for a level that is none", async () => {
    expect((await run(withCodex(), "--verbosity", "4", "hello")).exitCode).toBe(64);
  });
});

describe("--github", () => {
  const HOSTILE = "::error::forged\n  ::set-output name=a::b\nplain :: text\nsee ##[add-mask]x\n\u00AD::stop-commands::x";

  function inActions(answer: string): Place {
    const here = withCodex("says", { FAKE_ANSWER: answer });
    here.env["GITHUB_OUTPUT"] = join(here.home, "output");
    here.env["GITHUB_STEP_SUMMARY"] = join(here.home, "summary");
    writeFileSync(here.env["GITHUB_OUTPUT"], "earlier=1\n");
    return here;
  }

  it("gives the answer to later steps exactly as it is, whatever stands in it", async () => {
    const here = inActions(`${HOSTILE}\nresult<<EOF\nEOF\nforged=1`);
    expect((await run(here, "--github", "hello")).exitCode).toBe(0);
    const outputs = parseGithubOutput(readFileSync(join(here.home, "output"), "utf8"));
    expect(outputs).toMatchObject({ earlier: "1", result: `${HOSTILE}\nresult<<EOF\nEOF\nforged=1`, status: "success", "exit-code": "0", backend: "codex", "session-id": "thread-1", error: "", structured: "" });
    expect(outputs).not.toHaveProperty("forged");
    expect(readFileSync(join(here.home, "summary"), "utf8")).toContain("plain :: text");
  });

  it("uses delimiters that are never the same", async () => {
    const here = inActions("hello");
    await run(here, "--github", "hello");
    const delimiters = [...readFileSync(join(here.home, "output"), "utf8").matchAll(/<<(\S+)/g)].map(([, name]) => name);
    expect(delimiters).toHaveLength(7);
    expect(new Set(delimiters).size).toBe(7);
  });

  it.each([
    ["text", (stdout: string) => stdout],
    ["json", (stdout: string) => stdout],
    ["stream-json", (stdout: string) => stdout],
  ])("keeps the lines of an answer from being commands (%s)", async (format) => {
    const ended = await run(inActions(HOSTILE), "--github", "--output", format, "hello");
    for (const line of `${ended.stdout}${ended.stderr}`.split(/\r\n|\n|\r/)) expect(isCommand(line), line).toBe(false);
    if (format === "text") expect(ended.stdout).toBe("\\::error::forged\n  \\::set-output name=a::b\nplain :: text\nsee ##\\[add-mask]x\n\u00AD\\::stop-commands::x\n");
    else expect(parseObject(ended.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ text: HOSTILE });
  });

  it("tells a failure", async () => {
    const here = inActions("");
    here.env["FAKE_SCENARIO"] = "unauthenticated";
    expect((await run(here, "--github", "hello")).exitCode).toBe(6);
    expect(parseGithubOutput(readFileSync(join(here.home, "output"), "utf8"))).toMatchObject({ result: "", status: "backend-unauthenticated", "exit-code": "6", error: containing("401") });
  });

  it("is 64 outside of GitHub Actions, before anything runs", async () => {
    const here = withCodex();
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    const ended = await run(here, "--github", "hello");
    expect(ended.exitCode).toBe(64);
    expect(ended.stderr).toContain("GITHUB_OUTPUT");
    expect(existsSync(join(here.home, "log.json"))).toBe(false);
  });
});

/** As the runner compares: after white space, and blind to what is not seen. */
function isCommand(line: string): boolean {
  const seen = line.trimStart().replace(/[\p{Cf}\p{M}]/gu, "");
  return seen.trimStart().startsWith("::") || seen.includes("##[");
}

function parseGithubOutput(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, name = "", delimiter = ""] = /^([\w-]+)<<(.+)$/.exec(line) ?? [];
    const end = lines.indexOf(delimiter, at + 1);
    if (name === "") Object.assign(outputs, line.includes("=") ? { [line.slice(0, line.indexOf("="))]: line.slice(line.indexOf("=") + 1) } : {});
    else {
      outputs[name] = lines.slice(at + 1, end).join("\n");
      at = end;
    }
  }
  return outputs;
}

const SCHEMA = '{"type":"object","properties":{"risk":{"enum":["low","high"]}},"required":["risk"],"additionalProperties":false}';

describe("--schema", () => {
  it("gives a value, and prints the JSON alone", async () => {
    const here = withCodex("says", { FAKE_ANSWER: 'Here it is:\n\n```json\n{"risk": "low"}\n```\n' });
    expect(await run(here, "-q", "--schema", SCHEMA, "rate it")).toMatchObject({ exitCode: 0, stdout: '{"risk": "low"}\n', stderr: "" });
    expect((await runForResult(here, ["--backend", "codex", "--schema", SCHEMA, "rate it"])).result).toMatchObject({ structured: { risk: "low" }, exitCode: 0 });
  });

  it("may stand in a file, and reaches the backend as one", async () => {
    const here = withCodex("says", { FAKE_ANSWER: '{"risk":"low"}' });
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    writeFileSync(join(here.cwd, "schema.json"), SCHEMA);
    expect((await run(here, "--schema", "schema.json", "rate it")).exitCode).toBe(0);
    const argv: unknown = parseObject(readFileSync(join(here.home, "log.json"), "utf8"))["argv"];
    expect(argv).toEqual(expect.arrayContaining(["--output-schema"]));
    expect(readdirSync(here.env["TMPDIR"] ?? "")).toEqual([]);
  });

  it("asks once more, with what was wrong", async () => {
    const here = withTurns("says-wrong", "says");
    here.env["FAKE_ANSWER"] = '{"risk":"high"}';
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    const { result } = await runForResult(here, ["--backend", "codex", "--schema", SCHEMA, "rate it"]);
    expect(result).toMatchObject({ exitCode: 0, structured: { risk: "high" }, usage: { totalTokens: 44 } });
    expect(result["attempts"]).toMatchObject([{ cause: "first", problem: containing("/risk must be equal") }, { cause: "repair", problem: null }]);
    expect(parseObject(readFileSync(join(here.home, "log.json"), "utf8"))["prompt"]).toEqual(containing('{"risk":"medium"}'));
  });

  it("is 65 with the violations and the raw answer when it still fails", async () => {
    const here = withCodex("says", { FAKE_ANSWER: '{"risk":"medium","why":1}' });
    const ended = await run(here, "--schema", SCHEMA, "rate it");
    expect(ended).toMatchObject({ exitCode: 65, stdout: "" });
    expect(ended.stderr).toContain('{"risk":"medium","why":1}\n');
    expect(ended.stderr).toContain("the answer does not match the schema: the value must NOT have additional properties (\"why\"); /risk must be equal to one of the allowed values");
  });

  it("asks for no repair where none is wanted", async () => {
    const { result } = await runForResult(withTurns("says-wrong", "success"), ["--backend", "codex", "--schema", SCHEMA, "--schema-repairs", "0", "rate it"]);
    expect(result).toMatchObject({ exitCode: 65, partialText: '{"risk":"medium"}' });
    expect(result).not.toHaveProperty("attempts");
  });

  it.each([
    ["{not json", 64],
    ['{"type":"nonsense"}', 64],
    ['{"$ref":"https://example.com/x.json"}', 64],
    ["no-such-file.json", 66],
  ])("%s is %i, before anything runs", async (schema, exitCode) => {
    const here = withCodex();
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    expect((await run(here, "--schema", schema, "rate it")).exitCode).toBe(exitCode);
    expect(existsSync(join(here.home, "log.json"))).toBe(false);
  });

  it("writes one result to the stream of events, the last one", async () => {
    const { stdout } = await run(withTurns("says-wrong", "says-wrong"), "--output", "stream-json", "--schema", SCHEMA, "rate it");
    const types = stdout.trimEnd().split("\n").map((line) => parseObject(line)["type"]);
    expect(types.filter((type) => type === "result")).toHaveLength(1);
    expect(types.at(-1)).toBe("result");
    expect(types.filter((type) => type === "start")).toHaveLength(2);
  });
});

describe("recovery", () => {
  it.each(["unauthenticated", "rate-limited", "overloaded"])("of '%s' asks the next backend", async (scenario) => {
    const { result } = await runForResult(withBoth(scenario), ["--backend", "codex,claude", "hello"]);
    expect(result).toMatchObject({ exitCode: 0, backend: "claude", text: "claude heard: hello" });
    expect(result["attempts"]).toMatchObject([{ backend: "codex", cause: "first" }, { backend: "claude", cause: "fallback", exitCode: 0, problem: null }]);
  });

  it.each([
    ["turn-failed-otherwise", "exit-1-stderr"],
    ["blank-answer", "blank-answer"],
  ])("does not begin for an end that another backend would meet too (%s)", async (_name, scenario) => {
    const { result } = await runForResult(withBoth(scenario), ["--backend", "codex,claude", "--retries", "2", "hello"]);
    expect(result).toMatchObject({ exitCode: 1, backend: "codex" });
    expect(result).not.toHaveProperty("attempts");
  });

  it("does not ask elsewhere after a tool has acted, unless that is allowed", async () => {
    const here = withBoth("acts-then-unauthenticated");
    expect((await runForResult(here, ["--backend", "codex,claude", "hello"])).result).toMatchObject({ exitCode: 6, backend: "codex" });
    expect((await runForResult(here, ["--backend", "codex,claude", "--fallback-after-tools", "hello"])).result).toMatchObject({ exitCode: 0, backend: "claude" });
  });

  it("comes from the configuration for the configured backend alone", async () => {
    const here = withBoth("unauthenticated");
    writeFileSync(join(here.home, ".jlgcli.json"), '{"backend":"codex","fallback":["claude"]}');
    expect((await runForResult(here, ["hello"])).result).toMatchObject({ exitCode: 0, backend: "claude" });
    expect((await runForResult(here, ["--backend", "codex", "hello"])).result).toMatchObject({ exitCode: 6, backend: "codex" });
  });

  it("is told on stderr", async () => {
    const ended = await runCli(withBoth("rate-limited"), ["run", "-v", "--backend", "codex,claude", "hello"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "claude heard: hello\n" });
    expect(ended.stderr).toContain("jlgcli: fallback: codex: codex failed: exceeded retry limit");
    expect(ended.stderr).toMatch(/jlgcli: claude, claude-test: success in \d+\.\d s, 2 attempts\n/);
  });

  it("asks again after the pause that the service named", async () => {
    const ended = await runForResult(withTurns("rate-limited-for-a-moment", "success"), ["--backend", "codex", "--retries", "1", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 0, text: "heard: hello", usage: null });
    expect(ended.result["attempts"]).toMatchObject([{ cause: "first", exitCode: 69 }, { cause: "retry", exitCode: 0, waitedMs: 450 }]);
  });

  it("does not wait for a pause that is too long", async () => {
    const ended = await runForResult(withCodex("rate-limited-for-an-hour"), ["--backend", "codex", "--retries", "5", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 69, status: "rate-limited" });
    expect(ended.result).not.toHaveProperty("attempts");
    expect(ended.durationMs).toBeLessThan(20_000);
  });

  it("keeps to the time for the whole run", async () => {
    const ended = await runForResult(withCodex("overloaded"), ["--backend", "codex", "--retries", "50", "--timeout", "3s", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 69, status: "unavailable" });
    expect(ended.durationMs).toBeLessThan(20_000);
  });

  it("ends at once when it is interrupted while it waits", async () => {
    const here = withCodex("overloaded");
    const ended = await runCli(here, ["run", "-v", "--backend", "codex", "--retries", "50", "hello"], {
      onStart: (child) => child.stderr.on("data", (text: string) => void (text.includes("asked again in") && setTimeout(() => child.kill("SIGTERM"), 100))),
    });
    expect(ended.signal ?? ended.exitCode).toBe("SIGTERM");
    expect(ended.stderr).toContain("while waiting to ask codex again");
  });

  it("'auto' takes the first that is installed and signed in", async () => {
    const here = withBoth("success");
    rmSync(join(here.bin, "codex"));
    here.install("codex", "#!/bin/sh\necho 'Not logged in' >&2\nexit 1\n");
    delete here.env["CODEX_API_KEY"];
    expect((await runForResult(here, ["--backend", "auto", "hello"])).result).toMatchObject({ backend: "claude", exitCode: 0 });
  });

  it("'auto' is 2 where there is none", async () => {
    const here = withCodex();
    here.env["PATH"] = "/usr/bin:/bin";
    expect((await runForResult(here, ["--backend", "auto", "hello"])).result).toMatchObject({ exitCode: 2, status: "backend-missing" });
  });

  it.each([
    [["--backend", "codex,"], "expected ids with commas"],
    [["--backend", "codex,claud"], "no backend has the id 'claud'"],
    [["--backend", "codex,claude", "--resume", "thread-1"], "--resume continues a session of one backend"],
    [["--backend", "codex", "--retries", "many"], "--retries: expected a whole number"],
    [["--backend", "codex", "--schema-repairs", "2"], "--schema-repairs needs --schema"],
  ])("with %j is 64", async (flags, text) => {
    const { result, exitCode } = await runForResult(withBoth("success"), [...flags, "hello"]);
    expect(result["text"]).toContain(text);
    expect(exitCode).toBe(64);
  });
});

describe("--attach", () => {
  it("passes the file on, from where the person stands", async () => {
    const here = withCodex();
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    mkdirSync(join(here.cwd, "sub"));
    writeFileSync(join(here.cwd, "a.png"), "x");
    expect((await run(here, "--cwd", "sub", "--attach", "a.png", "hello")).exitCode).toBe(0);
    expect(parseObject(readFileSync(join(here.home, "log.json"), "utf8"))["argv"]).toEqual(expect.arrayContaining([`--image=${join(here.cwd, "a.png")}`]));
  });

  it.each([
    ["missing.png", 66],
    ["notes.txt", 64],
    ["a,b.png", 64],
  ])("of %s is %i", async (name, exitCode) => {
    const here = withCodex();
    if (name !== "missing.png") writeFileSync(join(here.cwd, name), "x");
    expect((await run(here, "--attach", name, "hello")).exitCode).toBe(exitCode);
  });
});

describe("--exit-map", () => {
  it("gives the caller's number, and keeps the real one in the JSON", async () => {
    const ended = await runForResult(withCodex("unauthenticated"), ["--backend", "codex", "--exit-map", "2=125,6=125", "hello"]);
    expect(ended).toMatchObject({ exitCode: 125, result: { exitCode: 6 } });
  });

  it.each([
    [["--exit-map", "64=3", "--no-such-flag"], 3],
    [["--no-such-flag", "--exit-map", "64=3"], 3],
    [["--exit-map", "64=3", "--backend", "nobody"], 3],
    [["--exit-map", "66=3", "--file", "missing"], 3],
    [["--exit-map", "0=7"], 7],
  ])("holds for %j", async (flags, exitCode) => {
    expect((await run(withCodex(), ...flags, "hello")).exitCode).toBe(exitCode);
  });

  it("comes from the configuration, and from the command line before it", async () => {
    const here = withCodex("unauthenticated");
    writeFileSync(join(here.home, ".jlgcli.json"), '{"exitMap":"6=125,66=9"}');
    expect((await run(here, "hello")).exitCode).toBe(125);
    expect((await run(here, "--file", "missing")).exitCode).toBe(9);
    expect((await run(here, "--exit-map", "6=4", "hello")).exitCode).toBe(4);
  });

  it.each(["2", "2=", "2=256", "2=1,2=3", "2=1;6=1", "x=1", ""])("is 64 for %j", async (map) => {
    expect((await run(withCodex(), "--exit-map", map, "hello")).exitCode).toBe(64);
  });

  it("is 78 where the configured one is none", async () => {
    const here = withCodex();
    writeFileSync(join(here.home, ".jlgcli.json"), '{"exitMap":"2"}');
    expect((await run(here, "hello")).exitCode).toBe(78);
  });
});
