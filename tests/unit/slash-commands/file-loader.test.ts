import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CommandFailure } from "../../../src/slash-commands/command-failure.js";
import { CommandService } from "../../../src/slash-commands/command-service.js";
import { expandTemplate } from "../../../src/slash-commands/expand.js";
import { FileCommandLoader } from "../../../src/slash-commands/loaders/file.js";
import type { SlashCommand } from "../../../src/slash-commands/types.js";
import { makeTempProject, type TempProject } from "./temp-project.js";

const signal = new AbortController().signal;

async function load(temp: TempProject, { trusted = true, cwd = temp.project, env = temp.env } = {}): Promise<CommandService> {
  return CommandService.create([new FileCommandLoader({ cwd, env, isTrusted: () => trusted })], signal);
}

function find(service: CommandService, name: string): SlashCommand | undefined {
  const lookup = service.find(name, "non_interactive");
  return lookup.type === "found" ? lookup.command : undefined;
}

const SKILL = "---\nname: NAME\ndescription: a skill\n---\nSkill text\n";

describe("the places on disk", () => {
  const PLACES: readonly (readonly [string, string, string, string])[] = [
    ["project/.jlgcli/commands/a.md", "T", "a", "jlgcli"],
    ["project/.jlgcli/commands/b.toml", 'prompt = "T"', "b", "jlgcli"],
    ["project/.jlgcli/skills/c/SKILL.md", SKILL, "c", "jlgcli"],
    ["project/.claude/commands/d.md", "T", "d", "claude"],
    ["project/.claude/commands/front/end/e.md", "T", "front:end:e", "claude"],
    ["project/.claude/skills/f/SKILL.md", SKILL, "f", "claude"],
    ["project/.gemini/commands/git/g.toml", 'prompt = "T"', "git:g", "gemini"],
    ["project/.qwen/commands/h.md", "T", "h", "qwen"],
    ["project/.qwen/commands/i.toml", 'prompt = "T"', "i", "qwen"],
    ["project/.qwen/skills/j/SKILL.md", SKILL, "j", "qwen"],
    ["project/.github/prompts/k.prompt.md", "T", "k", "vscode"],
    ["project/.github/skills/l/SKILL.md", SKILL, "l", "copilot"],
    ["project/.agents/skills/deep/er/m/SKILL.md", SKILL, "m", "agents"],
    ["home/.jlgcli/commands/n.md", "T", "n", "jlgcli"],
    ["home/.jlgcli/skills/o/SKILL.md", SKILL, "o", "jlgcli"],
    ["home/.claude/commands/p.md", "T", "p", "claude"],
    ["home/.claude/skills/q/SKILL.md", SKILL, "q", "claude"],
    ["home/.gemini/commands/r.toml", 'prompt = "T"', "r", "gemini"],
    ["home/.qwen/commands/s.md", "T", "s", "qwen"],
    ["home/.qwen/skills/t/SKILL.md", SKILL, "t", "qwen"],
    ["home/.codex/prompts/u.md", "T", "u", "codex"],
    ["home/.codex/skills/v/SKILL.md", SKILL, "v", "agents"],
    ["home/.agents/skills/w/SKILL.md", SKILL, "w", "agents"],
    ["home/.copilot/skills/x/SKILL.md", SKILL, "x", "copilot"],
  ];

  it.each(PLACES)("%s", async (file, content, name, dialect) => {
    const temp = makeTempProject();
    temp.write({ [file]: content.replace("NAME", name) });
    const service = await load(temp);
    expect(service.getProblems()).toEqual([]);
    const isProject = file.startsWith("project/");
    const isSkill = file.endsWith("SKILL.md");
    expect(service.getCommands()).toMatchObject([
      {
        name,
        scope: isProject ? "project" : "user",
        kind: isSkill ? "skill" : "file",
        source: "skill-dir-command",
        sourceLabel: "Custom",
        modelInvocable: true,
        template: { dialect, filePath: path.join(temp.root, file) },
      },
    ]);
    expect(find(service, `${isProject ? "project" : "user"}:${name}`)?.name).toBe(name);
  });

  it("of the user move with the variables that vendors have for that", async () => {
    const temp = makeTempProject();
    temp.write({ "codex-home/prompts/a.md": "T", "claude-home/commands/b.md": "T", "home/.codex/prompts/c.md": "T", "home/.claude/commands/d.md": "T" });
    const env = { ...temp.env, CODEX_HOME: path.join(temp.root, "codex-home"), CLAUDE_CONFIG_DIR: path.join(temp.root, "claude-home") };
    const service = await load(temp, { env });
    expect(service.getCommands().map((command) => command.name)).toEqual(["b", "a"]);
    expect(find(service, "prompts:a")?.name).toBe("a");
  });

  it("other files and folders are none", async () => {
    const temp = makeTempProject();
    temp.write({
      "project/.claude/commands/notes.txt": "T",
      "project/.claude/commands/node_modules/x/readme.md": "T",
      "project/.gemini/commands/a.md": "T",
      "project/.github/prompts/readme.md": "T",
      "project/.github/prompts/nested/b.prompt.md": "T",
      "project/.claude/skills/a/OTHER.md": "T",
      "project/.claude/skills/b/SKILL.md": SKILL.replace("NAME", "b"),
      "project/.claude/skills/b/assets/c/SKILL.md": SKILL.replace("NAME", "c"),
      "home/.codex/prompts/nested/d.md": "T",
    });
    expect((await load(temp)).getCommands().map((command) => command.name)).toEqual(["b"]);
  });

  it("are looked for from the working directory up to the repository, the nearest first, and not above", async () => {
    const temp = makeTempProject();
    temp.write({
      ".claude/commands/above.md": "T",
      "project/.claude/commands/x.md": "root",
      "project/.claude/commands/root.md": "T",
      "project/pkg/app/.claude/commands/x.md": "near",
    });
    const service = await load(temp, { cwd: path.join(temp.project, "pkg/app") });
    expect(service.getCommands().map((command) => command.name)).toEqual(["x", "root", "project:claude:command:x2"]);
    expect(find(service, "x")?.template?.text).toBe("near");
    expect(find(service, "project:x")?.template?.text).toBe("near");
    expect(find(service, "project:claude:command:x2")?.template?.text).toBe("root");
  });

  it("of the home folder are the user's, also when it is a repository or the working directory", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.git/HEAD": "", "home/.claude/commands/a.md": "T" });
    const service = await load(temp, { cwd: temp.home });
    expect(service.getCommands()).toMatchObject([{ name: "a", scope: "user" }]);
  });
});

describe("extensions and plugins", () => {
  it("bring commands under their name, closed to the model", async () => {
    const temp = makeTempProject();
    const plugin = path.join(temp.root, "plugin");
    temp.write({
      "home/.claude/plugins/installed_plugins.json": JSON.stringify({
        version: 2,
        plugins: { "acme@market": [{ scope: "user", installPath: plugin }], "off@market": [{ scope: "user", installPath: plugin }], "other@market": [{ scope: "project", projectPath: "/elsewhere", installPath: plugin }] },
      }),
      "home/.claude/settings.json": JSON.stringify({ enabledPlugins: { "acme@market": true, "off@market": false } }),
      "plugin/.claude-plugin/plugin.json": JSON.stringify({ name: "acme", commands: ["./more", "../../outside"] }),
      "plugin/commands/ship.md": "Root: ${CLAUDE_PLUGIN_ROOT}",
      "plugin/more/extra.md": "T",
      "plugin/skills/audit/SKILL.md": SKILL.replace("NAME", "audit"),
      "outside/evil.md": "T",
      "home/.gemini/extensions/deploy/gemini-extension.json": JSON.stringify({ name: "deploy" }),
      "home/.gemini/extensions/deploy/commands/go.toml": 'prompt = "T"',
      "home/.gemini/extensions/hidden/gemini-extension.json": JSON.stringify({ name: "hidden" }),
      "home/.gemini/extensions/hidden/commands/no.toml": 'prompt = "T"',
      "home/.gemini/extensions/extension-enablement.json": JSON.stringify({ hidden: { overrides: [`!${temp.root}/*`] } }),
      "home/.qwen/extensions/q/qwen-extension.json": JSON.stringify({ name: "q", commands: "cmds" }),
      "home/.qwen/extensions/q/cmds/ask.md": "T",
    });
    const service = await load(temp);
    expect(service.getCommands().map(({ name, source, sourceLabel, modelInvocable }) => [name, source, sourceLabel, modelInvocable])).toEqual([
      ["acme:audit", "plugin-command", "Plugin: acme", false],
      ["acme:ship", "plugin-command", "Plugin: acme", false],
      ["acme:extra", "plugin-command", "Plugin: acme", false],
      ["go", "plugin-command", "Plugin: deploy", false],
      ["ask", "plugin-command", "Plugin: q", false],
    ]);
    expect(find(service, "deploy:go")?.name).toBe("go");
    expect(service.getModelInvocableCommands()).toEqual([]);
  });
});

describe("names", () => {
  it("are kept in NFC, other alphabets too; what cannot stand in a name is replaced", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/re\u0301sume\u0301.md": "T", "project/.claude/commands/日本語.md": "T", "project/.claude/commands/a b:c.md": "T" });
    expect((await load(temp)).getCommands().map((command) => command.name).sort()).toEqual(["a-b_c", "r\u00e9sum\u00e9", "日本語"]);
  });

  it("of a skill come from its front matter; its folder's name is an alias", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/skills/folder/SKILL.md": SKILL.replace("NAME", "proper") });
    const service = await load(temp);
    expect(find(service, "proper")?.altNames).toEqual(["folder"]);
    expect(find(service, "folder")?.name).toBe("proper");
  });

  it("that many places share go to the first, and every shadowing is told", async () => {
    const temp = makeTempProject();
    temp.write({
      "project/.claude/commands/x.md": "claude command",
      "project/.claude/skills/x/SKILL.md": SKILL.replace("NAME", "x"),
      "project/.gemini/commands/x.toml": 'prompt = "gemini"',
      "home/.claude/commands/x.md": "user",
    });
    const service = await load(temp);
    expect(find(service, "x")?.kind).toBe("skill");
    expect(find(service, "project:x")?.kind).toBe("skill");
    expect(find(service, "project:claude:command:x")?.template?.text).toBe("claude command");
    expect(find(service, "project:gemini:x")?.template?.text).toBe("gemini");
    expect(find(service, "user:x")?.template?.text).toBe("user");
    expect(service.getShadowings()).toHaveLength(3);
  });
});

describe("links", () => {
  it("to files and folders are followed, circles are cut and told", async () => {
    const temp = makeTempProject();
    temp.write({ "shared/a.md": "A", "shared/sub/b.md": "B", "project/.claude/commands/own.md": "O" });
    temp.link(path.join(temp.root, "shared/a.md"), "project/.claude/commands/linked.md");
    temp.link(path.join(temp.root, "shared"), "project/.claude/commands/shared");
    temp.link(path.join(temp.root, "shared"), "project/.claude/commands/again");
    temp.link("..", "shared/sub/up");
    temp.link("nowhere.md", "project/.claude/commands/dangling.md");
    const service = await load(temp);
    expect(service.getCommands().map((command) => command.name).sort()).toEqual(["again:a", "again:sub:b", "linked", "own", "shared:a", "shared:sub:b"]);
    expect(service.getProblems().map(({ severity, reason }) => [severity, reason]).sort()).toEqual([
      ["error", "is a link that leads nowhere"],
      ["warning", "is a link back to a folder above and is not followed"],
      ["warning", "is a link back to a folder above and is not followed"],
    ]);
  });

  it("from one tool's folder to another's give each command once", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.agents/skills/a/SKILL.md": SKILL.replace("NAME", "a") });
    temp.link("../.agents/skills", "project/.claude/skills");
    const service = await load(temp);
    expect(service.getCommands().map((command) => command.name)).toEqual(["a"]);
    expect(service.getShadowings()).toEqual([]);
  });
});

describe("what cannot be loaded is listed with path, line and reason", () => {
  it.each([
    ["broken front matter", "bad.md", "---\nx: 1\ndisallowed-tools: [a\n---\nT", 4, /front matter: /u],
    ["a huge file", "huge.md", "x".repeat(1024 * 1024 + 1), null, /1048577 bytes, the limit is 1048576/u],
    ["a binary file", "bin.md", new Uint8Array([0x41, 0, 0x42]), null, /is binary/u],
    ["another encoding", "latin.md", new Uint8Array([0x63, 0xe9]), null, /is not UTF-8 text/u],
    ["an empty file", "empty.md", "\n\n", null, /the prompt is empty/u],
  ] as const)("%s", async (_title, name, content, line, reason) => {
    const temp = makeTempProject();
    temp.write({ [`project/.claude/commands/${name}`]: content, "project/.claude/commands/good.md": "T" });
    const service = await load(temp);
    expect(service.getCommands().map((command) => command.name)).toEqual(["good"]);
    const [problem] = service.getProblems();
    expect(problem).toMatchObject({ severity: "error", path: path.join(temp.project, ".claude/commands", name), commandName: name.replace(".md", "") });
    expect(problem?.reason).toMatch(reason);
    if (line !== null) expect(problem?.line).toBe(line);
  });

  it("an unreadable TOML file has its line", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.gemini/commands/bad.toml": 'description = "d"\nprompt = "open\n' });
    expect((await load(temp)).getProblems()).toMatchObject([{ line: 2, commandName: "bad" }]);
  });

  it("a FIFO does not hang the load", async ({ skip }) => {
    const { spawnSync } = await import("node:child_process");
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/good.md": "T" });
    if (spawnSync("mkfifo", [path.join(temp.project, ".claude/commands/pipe.md")]).status !== 0) skip("this system has no mkfifo");
    expect((await load(temp)).getCommands().map((command) => command.name)).toEqual(["good"]);
  });
});

describe("a project that is not trusted", () => {
  it("has its commands, but reads no file that a link leads to outside", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.ssh/id.md": "SECRET", "project/docs/inside.md": "inside", "home/.claude/commands/mine.md": "mine" });
    temp.link(path.join(temp.home, ".ssh/id.md"), "project/.claude/commands/key.md");
    temp.link(path.join(temp.home, ".ssh"), "project/.claude/commands/keys");
    temp.link("../../docs/inside.md", "project/.claude/commands/inside.md");
    const service = await load(temp, { trusted: false });
    expect(service.getCommands().map(({ name, template }) => [name, template?.trusted])).toEqual([
      ["inside", false],
      ["mine", true],
    ]);
    expect(service.getProblems().map((problem) => problem.reason)).toEqual([
      "is a link out of a project that is not trusted and is not read",
      "is a link out of a project that is not trusted and is not read",
    ]);
    expect((await load(temp, { trusted: true })).getCommands().map((command) => command.name).sort()).toEqual(["inside", "key", "keys:id", "mine"]);
  });
});

describe("many files", () => {
  it("a thousand commands load in a time that nobody calls hanging", async () => {
    const temp = makeTempProject();
    temp.write(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`project/.claude/commands/c${String(index)}.md`, `---\ndescription: Number ${String(index)}\nargument-hint: [a] [b]\n---\nT`])));
    const startedAt = performance.now();
    const service = await load(temp);
    const elapsedMs = performance.now() - startedAt;
    expect(service.getCommands()).toHaveLength(1000);
    expect(elapsedMs).toBeLessThan(5000);
  });

  it("a tree without end is cut and told", async () => {
    const temp = makeTempProject();
    fs.mkdirSync(path.join(temp.project, ".claude/commands", ...Array.from({ length: 30 }, () => "d")), { recursive: true });
    expect((await load(temp)).getProblems()).toMatchObject([{ severity: "warning", reason: "lies more than 8 folders deep and is not read" }]);
  });
});

describe("files made to cost time", () => {
  const MEBI = 1024 * 1024 - 64;
  const HOSTILE: readonly (readonly [string, string])[] = [
    ["blanks in front matter", `---\ndescription: ${" ".repeat(60_000)}x\nmodel: a${" ".repeat(4000)}#\n---\nT`],
    ["front matter as long as the file", `---\n${"a: b\n".repeat(200_000)}---\nT`],
    ["brackets without end", `---\nallowed-tools: ${"a(".repeat(15_000)}\n---\nT`],
    ["new lines", `---\ndescription: d\n---\nT${"\n ".repeat(MEBI / 2 - 30)}x`],
    ["fences in a line", "```!".repeat(MEBI / 4)],
    ["fences that never close", "```!\n".repeat(MEBI / 5)],
    ["backticks", "`".repeat(MEBI)],
    ["places", "${input:$ARGUMENTS[".repeat(MEBI / 20)],
    ["mentions", "@a ".repeat(20_000)],
    ["braces", "!{".repeat(MEBI / 2)],
  ];

  it.each(HOSTILE)("%s", async (_title, text) => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": text, "project/.qwen/commands/y.md": text, "project/.github/prompts/z.prompt.md": text });
    const startedAt = performance.now();
    const service = await load(temp);
    for (const command of service.getCommands()) {
      if (command.template === undefined) throw new Error("a file command has a template");
      const invocation = { raw: `/${command.name} v`, name: command.name, args: "v" };
      const config = { cwd: temp.project, env: temp.env };
      await expandTemplate({ template: command.template, invocation, config, settings: { shellBlocks: "show" }, signal }).catch((error: unknown) => {
        if (!(error instanceof CommandFailure)) throw error;
      });
    }
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});
