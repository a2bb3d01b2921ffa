import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { FIXTURES, findLeftOvers, parseObject, runCli, runForResult } from "./support/cli.js";
import { BACKENDS, createSlashPlace, type SlashPlace } from "./support/slash-place.js";

const EVERYTHING = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")), "dist/index.js");

let place: SlashPlace | undefined;
const setUp = (files: Readonly<Record<string, string | Uint8Array>> = {}, env: Record<string, string> = {}): SlashPlace => {
  // Without the line that sums a run up, stderr tells about commands alone.
  place = createSlashPlace({ JLGCLI_VERBOSITY: "0", ...env });
  place.write(files);
  return place;
};
/** `expect` gives `any` for a matcher. */
const containing = (text: string): unknown => expect.stringContaining(text);

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

describe("a command that is a prompt", () => {
  it.each(BACKENDS)("reaches %s as its expanded text, once", async (backend) => {
    const here = setUp({ "project/.claude/commands/review.md": "---\ndescription: Review\n---\nReview $0 with care.\n" });
    const ended = await runCli(here, ["run", "--backend", backend, "/review src/app.ts"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard\n", stderr: "" });
    expect(here.calls()).toMatchObject([{ name: backend, prompt: "Review src/app.ts with care." }]);
  });

  it.each<[string, Readonly<Record<string, string>>, string, string]>([
    ["Claude Code", { "project/.claude/commands/a/b.md": "All: $ARGUMENTS. First: $0." }, "/a:b one 'two three'", "All: one 'two three'. First: one."],
    ["Claude Code's skills", { "home/.claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: d\narguments: who\n---\nGreet $who." }, "/greet Ada", "Greet Ada."],
    ["Gemini CLI", { "home/.gemini/commands/git/fix.toml": 'prompt = "Fix {{args}} now. See @{notes.txt}"', "project/notes.txt": "the notes" }, "/git:fix the bug", "Fix the bug now. See the notes"],
    ["Qwen Code", { "project/.qwen/commands/ask.md": "---\ndescription: d\n---\nAsk {{args}}" }, "/ask why", "Ask why"],
    ["VS Code", { "project/.github/prompts/form.prompt.md": "---\ndescription: d\n---\nA ${input:kind} named ${input:name:the name}." }, '/form name="My Form" kind=login', "A login named My Form."],
    ["Codex", { "home/.codex/prompts/pr.md": "Open $1 against $2 ($ARGUMENTS)." }, "/pr topic main", "Open topic against main (topic main)."],
    ["Codex, by its old name", { "home/.codex/prompts/pr.md": "Open $BRANCH." }, "/prompts:pr BRANCH='a b'", "Open a b."],
    ["Copilot CLI", { "project/.github/skills/test/SKILL.md": "---\nname: test\ndescription: d\n---\nWrite tests." }, "/test for the parser", "Write tests.\n\nfor the parser"],
    ["Agent Skills", { "project/.agents/skills/plain/SKILL.md": "---\nname: plain\ndescription: d\n---\nCosts $1, says $ARGUMENTS." }, "/plain x", "Costs $1, says $ARGUMENTS.\n\nx"],
    ["jlgcli", { "project/.jlgcli/commands/own.toml": 'prompt = "Own: {{args}}"' }, "/own thing", "Own: thing"],
    ["a Gemini extension", { "home/.gemini/extensions/acme/gemini-extension.json": '{"name":"acme"}', "home/.gemini/extensions/acme/commands/go.toml": 'prompt = "Go {{args}}"' }, "/go on", "Go on"],
  ])("of %s", async (_title, files, typed, prompt) => {
    const here = setUp(files);
    const ended = await runCli(here, ["run", "--backend", "codex", typed]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard\n" });
    expect(here.calls().map((call) => call.prompt)).toEqual([prompt]);
  });

  it("of a Claude plugin is called with the plugin's name", async () => {
    const here = setUp();
    const folder = join(here.home, ".claude/plugins/cache/kit");
    here.write({
      "home/.claude/plugins/installed_plugins.json": JSON.stringify({ version: 2, plugins: { "kit@market": [{ scope: "user", installPath: folder }] } }),
      "home/.claude/plugins/cache/kit/.claude-plugin/plugin.json": '{"name":"kit"}',
      "home/.claude/plugins/cache/kit/commands/build.md": "Build $ARGUMENTS from ${CLAUDE_PLUGIN_ROOT}.",
    });
    await runCli(here, ["run", "--backend", "codex", "/kit:build it"]);
    expect(here.calls().map((call) => call.prompt)).toEqual([`Build it from ${folder}.`]);
  });

  it("may be given by words, by stdin and by a file", async () => {
    const here = setUp({ "project/.claude/commands/say.md": "Say: $ARGUMENTS", "project/prompt.md": "/say from a\n\nfile\n" });
    await runCli(here, ["run", "--backend", "codex", "/say", "two", "words"]);
    await runCli(here, ["run", "--backend", "codex"], { stdin: "/say from stdin\r\n" });
    await runCli(here, ["run", "--backend", "codex", "--file", "prompt.md"]);
    await runCli(here, ["run", "--backend", "codex", "/say this:", "-"], { stdin: "the diff\n" });
    expect(here.calls().map((call) => call.prompt)).toEqual(["Say: two words", "Say: from stdin", "Say: from a\n\nfile", "Say: this:\n\nthe diff"]);
  });

  it("of an MCP server over stdio is asked for once, and nothing of the server is left", async () => {
    const here = setUp();
    here.write({ "home/.claude.json": JSON.stringify({ mcpServers: { everything: { command: "node", args: [EVERYTHING, "stdio"] } } }) });
    const ended = await runCli(here, ["run", "--backend", "codex", '/args-prompt --city="New York" --state NY']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard\n" });
    expect(here.calls().map((call) => call.prompt)).toEqual(["What's weather in New York, NY?"]);
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("is shown by --dry-run, which starts nothing", async () => {
    const here = setUp({ "home/.claude/commands/review.md": "Review $0. !`touch ran`" });
    const text = await runCli(here, ["run", "--backend", "codex", "--allow-shell", "--dry-run", "/review it's"]);
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain("Review it'\\''s. !`touch ran`");
    const { result } = await runForResult(here, ["--backend", "codex", "--dry-run", "/review src/a.ts"]);
    expect(result).toMatchObject({ prompt: "Review src/a.ts. !`touch ran`" });
    expect(here.calls()).toEqual([]);
    expect(existsSync(join(here.cwd, "ran"))).toBe(false);
  });
});

describe("a command that is answered here", () => {
  it("is printed, ends with 0, and calls no backend", async () => {
    const here = setUp({ "home/.claude/commands/mine.md": "Mine" });
    const ended = await runCli(here, ["run", "--backend", "codex", "/help"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^Built-in\n {2}\/backends /u);
    expect(ended.stdout).toContain("/mine");
    expect((await runCli(here, ["run", "--backend", "codex", "/help mine"])).stdout).toContain("Written for: claude");
    expect(here.calls()).toEqual([]);
  });

  it("works where no backend is installed", async () => {
    const here = setUp();
    here.env["PATH"] = "/nowhere";
    expect(await runCli(here, ["run", "/help"])).toMatchObject({ exitCode: 0, stdout: containing("/review") });
    expect(await runForResult(here, ["/model"])).toMatchObject({ exitCode: 0, result: { status: "success", text: "copilot chooses the model itself." } });
  });

  it("sets and shows the model of the configured backend", async () => {
    const here = setUp();
    const ask = async (text: string): Promise<string> => (await runCli(here, ["run", text])).stdout.trim();
    await runCli(here, ["config", "set", "backend", "codex"]);
    expect(await ask("/model")).toBe("codex chooses the model itself.");
    expect(await ask("/model gpt-5-mini")).toBe("The model of codex is gpt-5-mini from now on.");
    expect(await ask("/model")).toBe("gpt-5-mini on codex (user).");
    expect(await ask("hello")).toBe("heard");
    expect(here.calls()[0]?.argv.join(" ")).toContain("-m gpt-5-mini");
    expect((await runCli(here, ["run", "-b", "claude", "/model"])).stdout).toBe("claude chooses the model itself.\n");
    expect((await runForResult(here, ["/model default"])).result).toMatchObject({ exitCode: 0, text: "codex chooses the model again." });
    expect(await ask("/model")).toBe("codex chooses the model itself.");
  });

  it("keeps no model for a backend that would never get it", async () => {
    const here = setUp();
    const { result } = await runForResult(here, ["--backend", "codex", "/model gpt-5-mini"]);
    expect(result).toMatchObject({ exitCode: 64, text: "/model keeps the model of the configured backend, which is copilot, not codex", details: containing("--model") });
    expect(existsSync(join(here.home, ".jlgcli.json"))).toBe(false);
  });

  it("changes nothing in a dry run", async () => {
    const here = setUp();
    const ended = await runCli(here, ["run", "--dry-run", "/model gpt-5-mini"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: containing("dry run") });
    expect((await runCli(here, ["run", "/model"])).stdout).toBe("copilot chooses the model itself.\n");
  });

  it("tells what was used", async () => {
    const here = setUp();
    expect((await runCli(here, ["run", "/usage"])).stdout).toBe("All runs: 0 runs, tokens unknown.\n");
    await runCli(here, ["run", "--backend", "codex", "hello"]);
    expect((await runCli(here, ["run", "/usage"])).stdout).toMatch(/^All runs: 1 run, 2 tokens, 1 input, 1 output.*\.\n {2}codex: 1 run, 2 tokens/u);
  });

  it("lists the backends", async () => {
    const here = setUp();
    const ended = await runCli(here, ["run", "--backend", "codex", "/backends"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^\* codex +Codex: available/mu);
    expect(ended.stdout).toMatch(/^ {2}claude +Claude Code: available/mu);
    expect(here.calls().filter((call) => call.prompt !== "")).toEqual([]);
  });
});

describe("a name that cannot be used", () => {
  it.each<[string, string, string, string, Record<string, string>]>([
    ["is unknown", "/reviw src/a.ts", "there is no command /reviw", "did you mean /review? --literal sends the text as it is", {}],
    ["has the wrong case", "/Review", "there is no command /Review", "did you mean /review?", {}],
    ["is switched off", "/secret", "/secret is switched off by the configuration", "--literal", { "home/.config/jlgcli/config.json": "{}", "home/.claude/commands/secret.md": "S" }],
    ["is for the model alone", "/inner", "/inner is for the model alone", "", { "home/.claude/commands/inner.md": "---\nuser-invocable: no\n---\nInner" }],
    ["is broken", "/bad", "/bad cannot be loaded: ", "correct the file", { "home/.claude/commands/bad.md": "---\ndisallowed-tools: [Bash\n---\nText" }],
    ["lacks an argument", "/pr", "/pr: missing argument BRANCH", 'call it as /pr BRANCH="…"', { "home/.codex/prompts/pr.md": "Open $BRANCH." }],
  ])("because it %s is 64 with a sentence, and calls no backend", async (title, typed, message, hint, files) => {
    const here = setUp(files);
    if (title === "is switched off") await runCli(here, ["config", "set", "disabledCommands", '["SECRET"]']);
    const { result, exitCode, stderr } = await runForResult(here, ["--backend", "codex", typed]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: "" });
    expect(result).toMatchObject({ status: "usage", exitCode: 64, backend: "codex", text: containing(message) });
    if (hint !== "") expect(result["details"]).toContain(hint);
    const text = await runCli(here, ["run", "--backend", "codex", typed]);
    expect(text).toMatchObject({ exitCode: 64, stdout: "", stderr: containing(message) });
    expect(here.calls()).toEqual([]);
  });

  it("is 64 in every output format, as one result", async () => {
    const here = setUp();
    const { stdout, exitCode } = await runCli(here, ["run", "--output", "stream-json", "/nobody-knows"]);
    expect(exitCode).toBe(64);
    const lines = stdout.trimEnd().split("\n").map(parseObject);
    expect(lines.at(-1)).toMatchObject({ type: "result", status: "usage" });
  });
});

describe("odd input", () => {
  const FILES = {
    "home/.claude/commands/sh.md": "Out: !`printf %s $0`",
    "home/.claude/commands/say.md": "Say $ARGUMENTS",
    "home/.claude/commands/-dash.md": "Dash",
    "home/.claude/commands/a b.md": "Blank",
    "home/.claude/commands/u\u0308ber.md": "Umlaut",
    "home/.claude/commands/crlf.md": "\uFEFF---\r\ndescription: d\r\n---\r\nLine 1\r\nLine 2 $0\r\n",
    "home/.claude/commands/.md": "No name",
    "home/.claude/commands/help.md": "My help",
    "home/.claude/commands/x/x.md": "Nested",
    "home/.claude/commands/x.md": "Flat",
  };

  it.each([
    ["/-dash", "Dash"],
    ["/a-b", "Blank"],
    ["/\u00fcber", "Umlaut"],
    ["/u\u0308ber", "Umlaut"],
    ["/crlf z", "Line 1\nLine 2 z"],
    ["/user:help", "My help"],
    ["/x", "Flat"],
    ["/x:x", "Nested"],
    ['/say "a \\"b\\" \'c', 'Say "a \\"b\\" \'c'],
    ["/say $0 $ARGUMENTS {{args}} @/etc/passwd !`id`", "Say $0 $ARGUMENTS {{args}} @/etc/passwd !`id`"],
    ["/say one\r\n\ttwo", "Say one\r\n\ttwo"],
  ])("%j is %j", async (typed, prompt) => {
    const here = setUp(FILES);
    await runCli(here, ["run", "--backend", "codex", typed]);
    expect(here.calls().map((call) => call.prompt)).toEqual([prompt]);
  });

  it.each<[string, string, number, string]>([
    ["a NUL in an argument", "/say a\0b", 65, "NUL"],
    ["a NUL in a shell block's argument", "/sh a\0b", 65, "NUL character"],
    ["an argument that no program takes", `/sh ${"x".repeat(300_000)}`, 65, "longer than the system allows"],
    ["a name of half a megabyte", `/${"x".repeat(500_000)}`, 64, "there is no command /xxx"],
  ])("%s ends with a short sentence", async (_title, typed, exitCode, message) => {
    const here = setUp(FILES);
    const { result, stdout } = await runForResult(here, ["--backend", "codex", "--allow-shell"], { stdin: typed });
    expect(result).toMatchObject({ exitCode, text: containing(message) });
    expect(stdout.length).toBeLessThan(2000);
    expect(here.calls()).toEqual([]);
  });

  it("of three megabytes reaches the backend whole", async () => {
    const here = setUp(FILES);
    await runCli(here, ["run", "--backend", "codex"], { stdin: `/say ${"x".repeat(3_000_000)}` });
    expect(here.calls()[0]?.prompt).toHaveLength(3_000_004);
  });

  it("without a home finds the project's commands", async () => {
    const here = setUp({ "project/.claude/commands/here.md": "Here" });
    here.env["HOME"] = "/nonexistent";
    await runCli(here, ["run", "--backend", "codex", "/here"]);
    expect(here.calls().map((call) => call.prompt)).toEqual(["Here"]);
  });
});

describe("text that only looks like a command", () => {
  it.each([
    ["with --literal", ["--literal", "/review is a name"], "/review is a name"],
    ["that is a path", ["/usr/bin/x explain"], "/usr/bin/x explain"],
    ["that is a comment", ["// explain this"], "// explain this"],
    ["that is a long comment", ["/* explain this */"], "/* explain this */"],
    ["that is a lone slash", ["/ is a slash"], "/ is a slash"],
    ["that has a command further on", ["please /help me"], "please /help me"],
  ])("%s goes through as it is", async (_title, args, prompt) => {
    const here = setUp();
    const ended = await runCli(here, ["run", "--backend", "codex", ...args]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard\n", stderr: "" });
    expect(here.calls().map((call) => call.prompt)).toEqual([prompt]);
  });
});

describe("what the front matter asks for", () => {
  const argvOf = (here: SlashPlace): string => here.calls().at(-1)?.argv.join(" ") ?? "";

  it("is a model: given to the backend whose words it is in, told elsewhere", async () => {
    const here = setUp({ "home/.claude/commands/deep.md": "---\nmodel: opus\n---\nThink.", "home/.jlgcli/commands/any.md": "---\nmodel: m-1\n---\nThink." });
    expect((await runCli(here, ["run", "--backend", "claude", "/deep"])).stderr).toBe("");
    expect(argvOf(here)).toContain("--model opus");
    const elsewhere = await runCli(here, ["run", "--backend", "codex", "/deep"]);
    expect(elsewhere).toMatchObject({ exitCode: 0, stderr: "jlgcli: /deep asks for the model opus of claude: not used on codex\n" });
    expect(argvOf(here)).not.toContain("opus");
    await runCli(here, ["run", "--backend", "codex", "/any"]);
    expect(argvOf(here)).toContain("-m m-1");
    await runCli(here, ["run", "--backend", "claude", "--model", "sonnet", "/deep"]);
    expect(argvOf(here)).toContain("--model sonnet");
    expect(argvOf(here)).not.toContain("opus");
  });

  it("is tools: told, and never more than the access level", async () => {
    const here = setUp({ "home/.claude/commands/push.md": "---\nallowed-tools: Bash(git push:*), Write\n---\nPush." });
    const ended = await runCli(here, ["run", "--backend", "claude", "/push"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: containing("jlgcli: /push asks for tools of its own") });
    expect(argvOf(here)).not.toContain("git push");
  });

  it("is less tools: enforced where the backend knows the words, else told", async () => {
    const here = setUp({ "project/.claude/commands/calm.md": "---\ndisallowed-tools: Bash(git push:*), Write\n---\nCalm.", "home/.copilot/skills/still/SKILL.md": "---\nname: still\ndescription: d\ndisallowed-tools: [shell, bash]\n---\nStill." });
    expect((await runCli(here, ["run", "--backend", "claude", "/calm"])).stderr).toBe("");
    expect(argvOf(here)).toContain("--disallowedTools=Bash(git push:*) --disallowedTools=Write");
    const elsewhere = await runCli(here, ["run", "--backend", "codex", "/calm"]);
    expect(elsewhere).toMatchObject({ exitCode: 0, stderr: "jlgcli: /calm forbids the tools Bash(git push:*), Write of claude: not enforced on codex\n" });
    expect(argvOf(here)).not.toContain("git push");
    const { result } = await runForResult(here, ["--backend", "copilot", "/still"]);
    expect(argvOf(here)).toContain("--deny-tool=shell --deny-tool=bash");
    expect(result["warnings"]).toEqual([containing("was told to forbid bash, but that is no name")]);
  });

  it("is refused where a forbidden tool would be read as an option", async () => {
    const here = setUp({ "project/.claude/commands/evil.md": "---\ndisallowed-tools: [--dangerously-skip-permissions]\n---\nEvil." });
    const { result } = await runForResult(here, ["--backend", "claude", "/evil"]);
    expect(result).toMatchObject({ exitCode: 64, status: "backend-unsupported", text: containing('the forbidden tool "--dangerously-skip-permissions"') });
    expect(here.calls()).toEqual([]);
  });

  it("is told on stderr unless it is quiet", async () => {
    const here = setUp({ "home/.claude/commands/deep.md": "---\nmodel: opus\n---\nThink." });
    expect(await runCli(here, ["run", "-q", "--backend", "codex", "/deep"])).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("names that clash", () => {
  it("go to the project, and the loser stays there under a prefix; the run says so", async () => {
    const here = setUp({ "project/.claude/commands/review.md": "Project", "home/.gemini/commands/review.toml": 'prompt = "Mine"' });
    const ended = await runCli(here, ["run", "--backend", "codex", "/review"]);
    expect(ended.stderr).toBe(`jlgcli: /review is ${here.cwd}/.claude/commands/review.md; ${here.home}/.gemini/commands/review.toml is /user:review\n`);
    await runCli(here, ["run", "--backend", "codex", "/user:review"]);
    await runCli(here, ["run", "--backend", "codex", "/bundled:review"]);
    expect(here.calls().map((call) => call.prompt.slice(0, 7))).toEqual(["Project", "Mine", expect.stringMatching(/^\S/u)]);
    const problems = await runCli(here, ["commands", "--problems"]);
    expect(problems.stdout).toContain("shadowed: /review is ");
  });
});

describe("jlgcli commands", () => {
  const FILES = {
    "project/.claude/commands/fix.md": "---\ndescription: Fix it\nargument-hint: [file]\nwhen_to_use: when it is broken\n---\nFix $0",
    "home/.claude/commands/bad.md": "---\nallowed-tools: x\nno end",
    "home/.claude/commands/quiet.md": "---\ndisable-model-invocation: true\n---\nQuiet",
    "home/.jlgcli/commands/empty.toml": 'prompt = ""',
  };

  it("lists them with their sources, and says that there are problems", async () => {
    const here = setUp(FILES);
    const ended = await runCli(here, ["commands"]);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^This project\n {2}\/fix \[file\] +Fix it \[Custom, .*fix\.md\]$/mu);
    expect(ended.stderr).toBe("jlgcli: 2 problems, see `jlgcli commands --problems`\n");
  });

  it("lists problems with path, line and reason", async () => {
    const here = setUp(FILES);
    const { stdout, exitCode } = await runCli(here, ["commands", "--problems"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`error: ${here.home}/.claude/commands/bad.md:1: front matter: the front matter has no closing ---`);
    expect(stdout).toContain(`error: ${here.home}/.jlgcli/commands/empty.toml: the prompt is empty`);
    expect((await runCli(setUp(), ["commands", "--problems"])).stdout).toBe("No problems.\n");
  });

  it("lists those of one mode, and JSON", async () => {
    const here = setUp(FILES);
    const acp = parseObject((await runCli(here, ["commands", "--mode", "acp", "--json"])).stdout);
    expect(acp["commands"]).toContainEqual(expect.objectContaining({ name: "fix", modes: ["interactive", "non_interactive", "acp"], file: `${here.cwd}/.claude/commands/fix.md`, trusted: false }));
    expect(acp["problems"]).toHaveLength(2);
    expect((await runCli(here, ["commands", "--mode", "non-interactive"])).stdout).not.toContain("/quit");
    expect((await runCli(here, ["commands", "--mode", "interactive"])).stdout).toContain("/quit");
    expect(await runCli(here, ["commands", "--mode", "sometimes"])).toMatchObject({ exitCode: 64, stdout: "", stderr: containing('got "sometimes"') });
  });

  it("tells a model what it may call", async () => {
    const { stdout } = await runCli(setUp(FILES), ["commands", "--for-model"]);
    expect(stdout).toContain("- /fix [file]: Fix it when it is broken\n");
    expect(stdout).toContain("- /review");
    expect(stdout).not.toContain("/quiet");
    expect(stdout).not.toContain("/help");
  });

  it("shows one: source, file, modes, arguments, raw and expanded text", async () => {
    const here = setUp(FILES);
    const { stdout, exitCode } = await runCli(here, ["commands", "show", "/fix", "src/a.ts"]);
    expect(exitCode).toBe(0);
    for (const part of ["/fix [file]: Fix it", "Source: Custom", `File: ${here.cwd}/.claude/commands/fix.md`, "Works in: interactive, non_interactive, acp", "--- Text ---\nFix $0", "--- Expanded ---\nFix src/a.ts"]) {
      expect(stdout).toContain(part);
    }
    expect(parseObject((await runCli(here, ["commands", "show", "fix", "a", "--json"])).stdout)).toMatchObject({ schemaVersion: 1, rawText: "Fix $0", expandedText: "Fix a" });
    expect(await runCli(here, ["commands", "show", "fux"])).toMatchObject({ exitCode: 64, stderr: containing("did you mean /fix?") });
  });
});

describe("shell blocks", () => {
  const FILES = { "home/.claude/commands/branch.md": "On: !`echo main; echo $0 > ran`", "project/.claude/commands/here.md": "Here: !`echo here > ran; pwd`" };
  const ran = (here: SlashPlace): boolean => existsSync(join(here.cwd, "ran"));

  it("of the user's own command run with --allow-shell alone", async () => {
    const here = setUp(FILES);
    const refused = await runForResult(here, ["--backend", "codex", "/branch x"]);
    expect(refused.result).toMatchObject({ exitCode: 64, text: containing("shell blocks are off"), details: "allow them for this run with --allow-shell" });
    expect([ran(here), here.calls().length]).toEqual([false, 0]);
    await runCli(here, ["run", "--backend", "codex", "--allow-shell", "/branch '$(touch pwned)'"]);
    expect(here.calls().map((call) => call.prompt)).toEqual(["On: main"]);
    expect(readFileSync(join(here.cwd, "ran"), "utf8")).toBe("$(touch pwned)\n");
    expect(existsSync(join(here.cwd, "pwned"))).toBe(false);
  });

  it("of a project's command need a trusted folder as well", async () => {
    const here = setUp(FILES);
    const refused = await runForResult(here, ["--backend", "codex", "--allow-shell", "/here"]);
    expect(refused.result).toMatchObject({ exitCode: 64, text: containing("its folder is not trusted") });
    expect(ran(here)).toBe(false);
    await runCli(here, ["trust"]);
    expect((await runForResult(here, ["--backend", "codex", "/here"])).result).toMatchObject({ exitCode: 64, text: containing("shell blocks are off") });
    await runCli(here, ["run", "--backend", "codex", "--allow-shell", "/here"]);
    expect(here.calls().map((call) => call.prompt)).toEqual([`Here: ${here.cwd}`]);
  });

  it("that fail end the run with 65, and no backend is called", async () => {
    const here = setUp({ "home/.claude/commands/fail.md": "!`echo broken >&2; exit 3`" });
    const { result } = await runForResult(here, ["--backend", "codex", "--allow-shell", "/fail"]);
    expect(result).toMatchObject({ exitCode: 65, status: "invalid-data", text: containing("ended with exit code 3: broken") });
    expect(here.calls()).toEqual([]);
  });

  it.each([
    ["a shell block", { "home/.claude/commands/long.md": "!`echo started > started; sleep 300 & setsid sleep 300`" }, ["--allow-shell", "/long"]],
    ["the start of an MCP server", { "home/.claude.json": "{}" }, ["/mute-prompt"]],
  ])("or a server: SIGINT during %s ends with 130 and leaves nothing running", async (title, files, args) => {
    const here = setUp(files);
    const started = join(here.cwd, "started");
    const mute = { command: "sh", args: ["-c", `echo started > ${started}; exec node ${join(FIXTURES, "slash-commands/servers/odd-server.mjs")} mute`] };
    if (title !== "a shell block") writeFileSync(join(here.home, ".claude.json"), JSON.stringify({ mcpServers: { mute } }));
    const ended = await runCli(here, ["run", "--backend", "codex", ...args], {
      onStart: (child) => {
        const timer = setInterval(() => {
          if (!existsSync(started)) return;
          clearInterval(timer);
          child.kill("SIGINT");
        }, 50);
        child.once("close", () => clearInterval(timer));
      },
    });
    expect(ended).toMatchObject({ exitCode: null, signal: "SIGINT", stdout: "" });
    expect(ended.stderr).toContain("interrupted");
    expect(ended.durationMs).toBeLessThan(20_000);
    expect(findLeftOvers(here)).toEqual([]);
    expect(here.calls()).toEqual([]);
  });
});
