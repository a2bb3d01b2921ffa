import { describe, expect, it } from "vitest";
import { runCommandsCommand, type CommandsArgs } from "../../../src/commands/commands.js";
import { JlgcliError } from "../../../src/errors.js";
import { makeTempProject, type TempProject } from "./temp-project.js";

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(temp: TempProject, args: CommandsArgs, { stdoutIsTty = false, trusted = true } = {}): Promise<Printed> {
  let [stdout, stderr] = ["", ""];
  const env = { ...temp.env, ...(trusted ? { JLGCLI_TRUST: "1" } : {}) };
  const io = { env, cwd: temp.project, stdout: (text: string) => void (stdout += text), stderr: (text: string) => void (stderr += text), stdoutIsTty, stderrIsTty: false };
  return { code: await runCommandsCommand(args, io), stdout, stderr };
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

describe("jlgcli commands", () => {
  it("lists every command with its source", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "---\ndescription: Fix it\n---\nT" });
    const { code, stdout, stderr } = await run(temp, { action: "list" });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`This project\n  /fix`);
    expect(stdout).toContain(`Fix it [Custom, ${temp.project}/.claude/commands/fix.md]`);
    expect(stdout).toMatch(/\n {2}\/commit-message .*\[Skill, .*skills\/commit-message\/SKILL\.md\]\n/u);
  });

  it("lists what a mode offers", async () => {
    const temp = makeTempProject();
    expect((await run(temp, { action: "list", mode: "interactive" })).stdout).toContain("/quit");
    expect((await run(temp, { action: "list", mode: "non-interactive" })).stdout).not.toContain("/quit");
    expect((await run(temp, { action: "list" })).stdout.match(/\/model/gu)).toHaveLength(1);
    await expect(run(temp, { action: "list", mode: "batch" })).rejects.toThrow(new JlgcliError("USAGE_INVALID", '--mode: expected one of interactive, non_interactive, acp, got "batch"'));
  });

  it("prints JSON with problems and shadowings", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "---\nmodel: opus\n---\nT", "home/.claude/commands/fix.md": "U", "project/.claude/commands/bad.md": "---\nuser-invocable: [\n---\nT" });
    const { stdout, stderr } = await run(temp, { action: "list", json: true });
    expect(stderr).toBe("");
    expect(parseJson(stdout)).toMatchObject({
      schemaVersion: 1,
      commands: expect.arrayContaining([expect.objectContaining({ name: "fix", scope: "project", model: "opus", modes: ["interactive", "non_interactive", "acp"], trusted: true })]) as unknown,
      shadowings: [{ name: "fix", reachableAs: "user:fix" }],
      problems: [{ severity: "error", commandName: "bad", line: 3 }],
    });
  });

  it("lists problems with path, line and reason, and says in a listing that there are some", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/bad.md": "---\nuser-invocable: [\n---\nT", "project/.mcp.json": '{ "mcpServers": { "s": { "command": 5 } }' });
    const { stdout } = await run(temp, { action: "list", problems: true });
    expect(stdout).toContain(`error: ${temp.project}/.claude/commands/bad.md:3: front matter: `);
    expect(stdout).toContain(`error: ${temp.project}/.mcp.json: MCP servers: line 1: CloseBraceExpected`);
    expect((await run(temp, { action: "list" })).stderr).toContain("2 problems, see `jlgcli commands --problems`");
    expect((await run(makeTempProject(), { action: "list", problems: true })).stdout).toBe("No problems.\n");
  });

  it("says what a project's servers wait for where it is not trusted", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.mcp.json": '{ "mcpServers": { "s": { "command": "x" } } }' });
    expect((await run(temp, { action: "list", problems: true }, { trusted: false })).stdout).toContain("the MCP server s is not started: its folder is not trusted");
  });

  it("prints for a model what it may call, and when", async () => {
    const temp = makeTempProject();
    temp.write({
      "project/.claude/commands/fix.md": "---\ndescription: Fix it\nargument-hint: <file>\nwhen_to_use: When broken.\n---\nT",
      "project/.claude/commands/mine.md": "---\ndisable-model-invocation: true\n---\nT",
    });
    const { stdout } = await run(temp, { action: "list", forModel: true });
    expect(stdout).toMatch(/^Commands that can be called by name/u);
    expect(stdout).toContain("\n- /fix <file>: Fix it When broken.\n");
    expect(stdout).not.toMatch(/mine|help/u);
  });
});

describe("jlgcli commands show", () => {
  it("tells all about a command, with its raw and its expanded text, and runs nothing", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "---\ndescription: Fix it\nargument-hint: <file>\nallowed-tools: Read\n---\nFix $0: !`touch ran`" });
    const { code, stdout } = await run(temp, { action: "show", name: "/fix", args: "a.ts" });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "/fix <file>: Fix it",
        "Also called: /project:fix, /project:claude:fix, /project:claude:command:fix",
        "Arguments: <file>",
        "Source: Custom",
        `File: ${temp.project}/.claude/commands/fix.md`,
        "Written for: claude",
        "Works in: interactive, non_interactive, acp",
        "Tools it asks for: Read",
        "",
        "--- Text ---",
        "Fix $0: !`touch ran`",
        "",
        "--- Expanded ---",
        "Fix a.ts: !`touch ran`",
        "",
      ].join("\n"),
    );
  });

  it("says why a text cannot be expanded", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.codex/prompts/fix.md": "Fix $FILE" });
    expect((await run(temp, { action: "show", name: "fix" })).stdout).toContain("--- Expanded ---\n(not possible: /fix: missing argument FILE)");
  });

  it("describes a built-in without running it, in whichever mode it lives", async () => {
    const { stdout } = await run(makeTempProject(), { action: "show", name: "model", args: "gpt-5", json: true });
    expect(parseJson(stdout)).toMatchObject({ command: { name: "model", type: "local", modes: ["non_interactive", "acp"] }, rawText: null, expandedText: null });
  });

  it("does not let a file steer the reader's terminal", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": "\u001b[2Jgone" });
    expect((await run(temp, { action: "show", name: "x" }, { stdoutIsTty: true })).stdout).not.toContain("\u001b");
    expect((await run(temp, { action: "show", name: "x" })).stdout).toContain("--- Text ---\n\u001b[2Jgone");
  });

  it("of an unknown name is a usage error with a guess", async () => {
    await expect(run(makeTempProject(), { action: "show", name: "reveiw" })).rejects.toMatchObject({ code: "USAGE_INVALID", message: "there is no command /reveiw", hint: "did you mean /review?" });
  });
});
