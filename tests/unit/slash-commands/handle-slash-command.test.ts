import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SlashCommandConfig, SlashCommandSettings } from "../../../src/slash-commands/config.js";
import { getAvailableCommands } from "../../../src/slash-commands/get-available-commands.js";
import { handleSlashCommand } from "../../../src/slash-commands/handle-slash-command.js";
import type { ExecutionMode, SlashCommandAnswer } from "../../../src/slash-commands/types.js";
import { plainSpawner } from "./plain-spawner.js";
import { makeTempProject, type TempProject } from "./temp-project.js";

interface Options {
  readonly mode?: ExecutionMode;
  readonly trusted?: boolean;
  readonly settings?: SlashCommandSettings;
  readonly services?: NonNullable<SlashCommandConfig["services"]>;
  readonly cwd?: string;
  readonly controller?: AbortController;
}

function configOf(temp: TempProject, { trusted = true, services = {}, cwd = temp.project }: Options): SlashCommandConfig {
  return { cwd, env: temp.env, isTrusted: () => trusted, loadSpawner: () => Promise.resolve(plainSpawner), services };
}

async function type(temp: TempProject, text: string, options: Options = {}): Promise<SlashCommandAnswer> {
  return handleSlashCommand(text, options.controller ?? new AbortController(), configOf(temp, options), options.settings ?? {}, options.mode ?? "non_interactive");
}

describe("text that is no command", () => {
  it.each(["hello", "/usr/bin/x", "// comment", "/* comment */", "", "/"])("%j goes through", async (text) => {
    expect(await type(makeTempProject(), text)).toEqual({ type: "no_command" });
  });
});

describe("a prompt command", () => {
  it("becomes the prompt, with what its file asks for", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "---\nallowed-tools: Bash(git diff:*), Read\ndisallowed-tools: WebFetch\nmodel: opus\n---\nFix $ARGUMENTS" });
    expect(await type(temp, "/fix a  b\nc")).toEqual({
      type: "submit_prompt",
      prompt: "Fix a  b\nc",
      allowedTools: ["Bash(git diff:*)", "Read"],
      disallowedTools: ["WebFetch"],
      model: "opus",
      notices: [],
      command: { name: "fix", kind: "file", source: "skill-dir-command", sourceLabel: "Custom", dialect: "claude", filePath: path.join(temp.project, ".claude/commands/fix.md") },
    });
  });

  it("of a skill tells where its other files lie", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.agents/skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nRun it", "project/.agents/skills/b/SKILL.md": "---\nname: b\ndescription: d\n---\nRun it", "project/.agents/skills/b/scripts/x.sh": "" });
    expect(await type(temp, "/a")).toMatchObject({ prompt: "Run it" });
    expect(await type(temp, "/b")).toMatchObject({ prompt: `Run it\n\nThe files that belong to these instructions lie in ${path.join(temp.project, ".agents/skills/b")}.` });
  });

  it("tells which others wanted its name", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": "P", "home/.claude/commands/x.md": "U" });
    const answer = await type(temp, "/x");
    expect(answer).toMatchObject({ prompt: "P", notices: [`/x is ${temp.project}/.claude/commands/x.md; ${temp.home}/.claude/commands/x.md is /user:x`] });
    expect(await type(temp, "/user:x")).toMatchObject({ prompt: "U", notices: [] });
  });

  it("that expands to nothing is an error", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.codex/prompts/x.md": "$1" });
    expect(await type(temp, "/x")).toMatchObject({ type: "error", status: "invalid-data", message: "/x expands to an empty prompt" });
  });

  it("with missing arguments names them and how to call it", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.codex/prompts/x.md": "$FILE $WHY" });
    expect(await type(temp, "/x FILE=a")).toEqual({ type: "error", name: "x", status: "usage", message: "/x: missing argument WHY", hint: 'call it as /x FILE="…" WHY="…"' });
  });
});

describe("a name that leads nowhere", () => {
  it("is told, with names that are close", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/deploy.md": "T" });
    expect(await type(temp, "/deplyo now")).toEqual({
      type: "unknown",
      name: "deplyo",
      suggestions: ["deploy"],
      message: "there is no command /deplyo",
      hint: "did you mean /deploy? --literal sends the text as it is",
    });
    expect(await type(temp, "/Deploy")).toMatchObject({ type: "unknown", suggestions: ["deploy"] });
  });

  it("because its file is broken says which file and why, and runs no other in its place unasked", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": "---\nuser-invocable: [a\n---\nT" });
    expect(await type(temp, "/x")).toMatchObject({ type: "error", status: "usage", message: expect.stringContaining(`${temp.project}/.claude/commands/x.md:3: front matter`) as string });
    temp.write({ "home/.claude/commands/x.md": "U" });
    expect(await type(temp, "/x")).toMatchObject({ type: "submit_prompt", prompt: "U", notices: [expect.stringContaining("another /x cannot be loaded") as string] });
  });
});

describe("modes", () => {
  it("a command of other modes is told and never becomes text", async () => {
    expect(await type(makeTempProject(), "/backend", { mode: "non_interactive" })).toEqual({
      type: "unsupported",
      name: "backend",
      mode: "non_interactive",
      supportedModes: ["acp", "interactive"],
      message: "/backend works only in editors (ACP) and the interactive mode, not in one-shot runs",
    });
    expect(await type(makeTempProject(), "/quit", { mode: "acp" })).toMatchObject({ type: "unsupported", supportedModes: ["interactive"], message: "/quit works only in the interactive mode, not in editors (ACP)" });
  });

  it.each(["model", "backend", "access", "sessions", "usage", "help"])("/%s opens its dialog where there is a screen", async (dialog) => {
    expect(await type(makeTempProject(), `/${dialog}`, { mode: "interactive" })).toMatchObject({ type: "dialog", dialog, command: { name: dialog } });
  });

  it("a command with a dialog does without it when it has an argument", async () => {
    expect(await type(makeTempProject(), "/help review", { mode: "interactive" })).toMatchObject({ type: "message", content: expect.stringContaining("/review") as string });
    const set: string[] = [];
    const services = { backend: { show: async () => "codex.", set: async (id: string) => (set.push(id), `${id} from now on.`) } };
    expect(await type(makeTempProject(), "/backend claude", { mode: "interactive", services })).toMatchObject({ type: "message", content: "claude from now on." });
    expect(await type(makeTempProject(), "/backend", { mode: "acp", services })).toMatchObject({ type: "message", content: "codex." });
    expect(set).toEqual(["claude"]);
    expect(await type(makeTempProject(), "/access full", { mode: "acp" })).toMatchObject({ type: "message", messageType: "error" });
  });

  it("a new conversation and leaving are for a screen alone", async () => {
    expect(await type(makeTempProject(), "/new", { mode: "interactive" })).toMatchObject({ type: "clear" });
    expect(await type(makeTempProject(), "/exit", { mode: "interactive" })).toMatchObject({ type: "quit" });
  });

  it("a command that is switched off is told", async () => {
    expect(await type(makeTempProject(), "/review x", { settings: { disabledCommands: ["Review"] } })).toMatchObject({ type: "disabled", message: "/review is switched off by the configuration" });
  });

  it("a command that only the model may call is told", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/skills/x/SKILL.md": "---\nname: x\ndescription: d\nuser-invocable: false\n---\nT" });
    expect(await type(temp, "/x")).toMatchObject({ type: "error", status: "usage", message: expect.stringContaining("is for the model alone") as string });
  });

  it("an interrupted call says so", async () => {
    const temp = makeTempProject();
    const controller = new AbortController();
    controller.abort("SIGINT");
    expect(await type(temp, "/review", { controller })).toMatchObject({ type: "error", status: "interrupted" });
  });
});

describe("shell blocks", () => {
  const files = { "project/.claude/commands/x.md": "Now: !`echo ran; echo done > ran.txt`" };

  it("are off unless allowed, and the refusal says how", async () => {
    const temp = makeTempProject();
    temp.write(files);
    expect(await type(temp, "/x")).toMatchObject({ type: "error", status: "usage", hint: "allow them for this run with --allow-shell" });
    expect(fs.existsSync(path.join(temp.project, "ran.txt"))).toBe(false);
  });

  it("run when allowed, in the working directory", async () => {
    const temp = makeTempProject();
    temp.write(files);
    expect(await type(temp, "/x", { settings: { shellBlocks: "run" } })).toMatchObject({ prompt: "Now: ran" });
    expect(fs.existsSync(path.join(temp.project, "ran.txt"))).toBe(true);
  });

  it("stay as text where they are only to be shown", async () => {
    const temp = makeTempProject();
    temp.write(files);
    expect(await type(temp, "/x", { settings: { shellBlocks: "show" } })).toMatchObject({ prompt: "Now: !`echo ran; echo done > ran.txt`" });
    expect(fs.existsSync(path.join(temp.project, "ran.txt"))).toBe(false);
  });

  it("never run from a project that is not trusted, allowed or not", async () => {
    const temp = makeTempProject();
    temp.write(files);
    expect(await type(temp, "/x", { trusted: false, settings: { shellBlocks: "run" } })).toMatchObject({ type: "error", status: "usage", message: expect.stringContaining("not trusted") as string });
    expect(fs.existsSync(path.join(temp.project, "ran.txt"))).toBe(false);
  });

  it.each([
    ["is ended at its deadline", "sleep 300", { shellTimeoutMs: 300 }, /did not end within 0.3 s/u],
    ["is ended when it prints too much", "yes", { shellOutputLimitBytes: 10_000 }, /printed more than 10000 bytes/u],
    ["fails with its code and last words", "echo why >&2; exit 9", {}, /ended with exit code 9: why/u],
    ["that kills itself fails", "kill -9 $$", {}, /was ended by SIGKILL/u],
    ["gets no input to wait for", "cat; exit 4", {}, /ended with exit code 4/u],
  ])("one that %s", async (_title, script, settings, message) => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": `!\`${script}\`` });
    const startedAt = performance.now();
    const answer = await type(temp, "/x", { settings: { shellBlocks: "run", ...settings } });
    expect(answer).toMatchObject({ type: "error", status: "invalid-data" });
    if (answer.type === "error") expect(answer.message).toMatch(message);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("end when the call is interrupted", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": "!`sleep 300`" });
    const controller = new AbortController();
    setTimeout(() => controller.abort("SIGINT"), 200);
    const startedAt = performance.now();
    expect(await type(temp, "/x", { controller, settings: { shellBlocks: "run" } })).toMatchObject({ type: "error", status: "interrupted" });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe("a project that is not trusted", () => {
  it("gives text alone: the tools it asks for are withheld and told", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/x.md": "---\nallowed-tools: Bash\ndisallowed-tools: Edit\n---\nDo $ARGUMENTS" });
    expect(await type(temp, "/x it", { trusted: false })).toMatchObject({ prompt: "Do it", allowedTools: null, disallowedTools: ["Edit"], notices: [expect.stringContaining("asks for the tools Bash") as string] });
  });

  it("reads no file from outside, whether by dots or by a link", async () => {
    const temp = makeTempProject();
    temp.write({ "home/secret.txt": "SECRET", "project/.gemini/commands/dots.toml": 'prompt = "@{../home/secret.txt}"', "project/.gemini/commands/link.toml": 'prompt = "@{innocent.txt}"', "project/.claude/commands/folder.md": "Look at @docs" });
    temp.link(path.join(temp.home, "secret.txt"), "project/innocent.txt");
    temp.link(temp.home, "project/docs");
    for (const name of ["dots", "link", "folder"]) {
      const answer = await type(temp, `/${name}`, { trusted: false });
      expect(answer).toMatchObject({ type: "error", status: "usage", message: expect.stringContaining("outside of") as string });
      expect(JSON.stringify(answer)).not.toContain("SECRET");
    }
  });
});

describe("built-ins", () => {
  it("/help lists what works here and tells about one", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "---\ndescription: Fix things\nargument-hint: [file]\n---\nT" });
    const list = await type(temp, "/help");
    expect(list).toMatchObject({ type: "message", messageType: "info" });
    if (list.type !== "message") return;
    expect(list.content).toMatch(/^Built-in\n/u);
    expect(list.content).toContain("This project\n  /fix [file]");
    expect(list.content).toContain("/review [files, a commit, a range, or what to look at]  Review a change");
    expect(await type(temp, "/help /fix")).toMatchObject({ messageType: "info", content: expect.stringContaining("Arguments: [file]") as string });
    expect(await type(temp, "/? fixx")).toMatchObject({ messageType: "error", content: "There is no command /fixx here. Did you mean /fix?" });
  });

  it("/commands tells where each comes from and can be narrowed", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.gemini/commands/deploy.toml": 'prompt = "T"\ndescription = "Ship it"' });
    const answer = await type(temp, "/commands SHIP");
    expect(answer).toMatchObject({ content: `Yours\n  /deploy  Ship it [Custom, ${temp.home}/.gemini/commands/deploy.toml]` });
    expect(await type(temp, "/commands zzz")).toMatchObject({ content: 'No command speaks of "zzz".' });
  });

  it("/backends, /model and /usage ask the program, and say so where nobody answers", async () => {
    const temp = makeTempProject();
    const chosen: (string | null)[] = [];
    const usage = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 1234 };
    const services: Options["services"] = {
      backends: () => Promise.resolve([{ id: "codex", displayName: "Codex", status: "available", isSelected: true }, { id: "claude", displayName: "Claude Code", status: "missing", nextStep: "npm i -g x", isSelected: false }]),
      model: {
        show: () => Promise.resolve({ backend: "codex", model: null, source: "default" }),
        set: (model) => {
          chosen.push(model);
          return Promise.resolve(`Set to ${String(model)}.`);
        },
      },
      usage: () => Promise.resolve({ period: "this session", runs: 2, usage, byBackend: [{ backend: "codex", runs: 1, usage: null }] }),
    };
    expect(await type(temp, "/backends", { services })).toMatchObject({ content: "* codex   Codex: available\n  claude  Claude Code: missing; npm i -g x" });
    expect(await type(temp, "/model", { services })).toMatchObject({ content: "codex chooses the model itself." });
    expect(await type(temp, "/model gpt-5", { services })).toMatchObject({ content: "Set to gpt-5." });
    expect(await type(temp, "/model default", { services })).toMatchObject({ messageType: "info" });
    expect(await type(temp, "/model two words", { services })).toMatchObject({ messageType: "error" });
    expect(chosen).toEqual(["gpt-5", null]);
    expect(await type(temp, "/usage", { services })).toMatchObject({ content: "This session: 2 runs, 1,234 tokens, 1,200 input, 34 output.\n  codex: 1 run, tokens unknown" });
    for (const name of ["backends", "model", "usage"]) expect(await type(temp, `/${name}`)).toMatchObject({ type: "message", messageType: "error" });
  });

  it("/init and /summary are prompts, with what was typed", async () => {
    const temp = makeTempProject();
    for (const name of ["init", "summary"]) {
      const answer = await type(temp, `/${name} the  parser`);
      expect(answer).toMatchObject({ type: "submit_prompt", command: { kind: "built-in" } });
      if (answer.type === "submit_prompt") expect(answer.prompt).toMatch(/\nthe {2}parser$/u);
    }
  });

  it("keep their names against every file, which stays reachable", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/help.md": "mine" });
    expect(await type(temp, "/help")).toMatchObject({ type: "message" });
    expect(await type(temp, "/project:help")).toMatchObject({ type: "submit_prompt", prompt: "mine" });
  });
});

describe("getAvailableCommands", () => {
  it("gives what an editor shows, for the editor's mode by default", async () => {
    const temp = makeTempProject();
    temp.write({ "project/.claude/commands/fix.md": "T", "project/.claude/commands/secret.md": "---\nuser-invocable: false\n---\nT" });
    const available = await getAvailableCommands(configOf(temp, {}), new AbortController().signal);
    expect(available.map((command) => command.name)).toEqual(["help", "commands", "backends", "model", "backend", "access", "usage", "init", "summary", "fix", "commit-message", "explain", "review", "write-tests"]);
    const interactive = await getAvailableCommands(configOf(temp, {}), new AbortController().signal, "interactive");
    expect(interactive.filter((command) => command.name === "model")).toMatchObject([{ commandType: "local-jsx" }]);
  });
});
