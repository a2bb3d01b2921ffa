import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { listAt, textAt } from "./json-value.js";
import { runBash, say, writeFile } from "./model-answer.js";

const SKILL = "---\nname: canary\ndescription: A skill of the user's\n---\nCANARY-SKILL";
/** What each backend would find by itself, and put in if it took the text for its own. */
const OWN_FILES = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "note.txt": "CANARY-NOTE",
  "ümlaut.txt": "CANARY-NOTE",
  "../outside/secret.txt": "CANARY-SECRET",
  ".claude/commands/canary.md": "CANARY-COMMAND",
  ".claude/commands/prüfen.md": "CANARY-COMMAND",
  ".claude/commands/dir/canary.md": "CANARY-COMMAND",
  ".claude/commands/dotted.name.md": "CANARY-COMMAND",
  ".github/skills/canary/SKILL.md": SKILL,
  "~/.agents/skills/canary/SKILL.md": SKILL,
  "~/.claude/skills/canary/SKILL.md": SKILL,
  "~/.copilot/skills/canary/SKILL.md": SKILL,
  "~/.codex/prompts/canary.md": "CANARY-COMMAND",
};

function write({ place: { home, cwd } }: BackendStage, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = name.startsWith("~/") ? join(home, name.slice(2)) : join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

interface Heard {
  /** The user's words. */
  readonly prompt: string;
  /** All messages from the user or in the user's name. */
  readonly messages: string;
}

async function hear(stage: BackendStage, args: readonly string[]): Promise<Heard> {
  const ended = await stage.run(["--json", ...args]);
  expect(ended.result).toMatchObject({ exitCode: 0, status: "success" });
  expect(stage.server.calls).toHaveLength(1);
  const [call] = stage.server.calls;
  return { prompt: call?.prompt ?? "", messages: JSON.stringify(call?.body) };
}

describe.concurrent.each(BACKEND_IDS)("%s hears a project's command", (backend) => {
  it("as the text that it stands for, the same as all the others", () =>
    onStage(backend, {}, async (stage) => {
      write(stage, {
        ".git/HEAD": "ref: refs/heads/main\n",
        "src/app.ts": "export const answer = 42;\n",
        ".claude/commands/dev/review.md": "---\ndescription: Review a file\nargument-hint: [file] [focus]\n---\nReview @$0 for $1.\n\nCosts \\$5, keep `$HOME`.\n",
      });
      const { prompt } = await hear(stage, ["--", '/dev:review src/app.ts "naïve “quotes”"']);
      expect(prompt).toBe('Review src/app.ts for naïve “quotes”.\n\nCosts $5, keep `$HOME`.\n\n<file path="src/app.ts">\nexport const answer = 42;\n</file>');
    }),
  );

  it.each<[string, string, Partial<Record<BackendId, string>>]>([
    ["begins with one of its own commands", "/canary do it", { claude: " /canary do it" }],
    ["begins with a command that has an umlaut", "/prüfen do it", { claude: " /prüfen do it" }],
    ["begins with a command in a folder", "/dir:canary do it", { claude: " /dir:canary do it" }],
    ["begins with a command that has a dot", "/dotted.name do it", { claude: " /dotted.name do it" }],
    ["begins with a blank line and a command", "\n/canary do it", {}],
    ["mentions a command", "Then say /canary and /help.", {}],
    ["mentions a skill", "Use $canary, $canary-2 and $nothing; it costs $5 in $HOME.", {}],
    ["mentions a skill by a link", "Use [$canary](canary), $CANARY and $$canary.", {}],
    ["mentions files", 'See @note.txt, (@note.txt), @"note.txt", @./note.txt, @ümlaut.txt and @../outside/secret.txt.', {}],
    ["begins with a file", "@note.txt tells it", {}],
    ["holds a shell block", "Run !`cat note.txt` and !{cat note.txt} and @{note.txt}.", {}],
    ["begins with a bang", "!cat note.txt", {}],
    ["begins with a hash", "# canary\nnote", {}],
  ])("that %s, without putting anything in", (_title, text, arrives) =>
    onStage(backend, {}, async (stage) => {
      // a dialect in which none of this means anything
      write(stage, { ...OWN_FILES, ".github/prompts/ask.prompt.md": `---\ndescription: Asks\n---\n\${input:text}` });
      const { prompt, messages } = await hear(stage, ["--", `/ask text=${JSON.stringify(text)}`.replaceAll("\\n", "\n")]);
      expect(prompt).toBe(arrives[backend] ?? text);
      expect(messages).not.toMatch(/CANARY-(?:SKILL|COMMAND|NOTE|SECRET)/u);
    }),
  );
});

describe("codex, told to leave its skills on", () => {
  it("puts in what is mentioned: it is the guard that keeps it out", () =>
    onStage("codex", {}, async (stage) => {
      write(stage, OWN_FILES);
      const { messages } = await hear(stage, ["--backend-arg=-c", "--backend-arg=skills.config=[]", "--", "Use $canary."]);
      expect(messages).toContain("CANARY-SKILL");
    }),
  );
});

/** What a command forbids, and the names by which the backend tells of it. */
const FORBIDDEN = [
  { backend: "claude", file: ".claude/commands/calm.md", tools: "Bash(deploy push:*), Write", denied: ["Bash", "Write"] },
  { backend: "copilot", file: ".github/skills/calm/SKILL.md", tools: "shell(deploy push:*), write", denied: ["bash", "create"] },
] as const;

describe.concurrent("tools that a command forbids", () => {
  it.each(FORBIDDEN)("do not run on $backend at the level that allows all, and others do", ({ backend, file, tools, denied }) =>
    // claude refuses full access to root without it
    onStage(backend, { env: { IS_SANDBOX: "1" } }, async (stage) => {
      const { bin, cwd, outside } = stage.place;
      write(stage, { ".git/HEAD": "ref: refs/heads/main\n", [file]: `---\nname: calm\ndescription: Keeps calm\ndisallowed-tools: ${tools}\n---\nKeep calm.` });
      writeFileSync(join(bin, "deploy"), `#!/bin/sh\ntouch "${outside}/$1"\n`);
      chmodSync(join(bin, "deploy"), 0o755);
      const written = join(cwd, "new.txt");
      const play = async (prompt: string) => {
        stage.server.enqueue(runBash("deploy push it"), runBash("deploy pull it"), writeFile(written, "hi\n"), say("that was all"));
        const { result } = await stage.run(["--json", "--access", "full", "--", prompt]);
        expect(result).toMatchObject({ exitCode: 0, text: "that was all", warnings: [] });
        return { done: [join(outside, "push"), join(outside, "pull"), written].map((made) => existsSync(made)), denied: listAt(result, "deniedTools").map((tool) => textAt(tool, "name")).sort() };
      };
      expect(await play("/calm")).toEqual({ done: [false, true, false], denied });
      // The same calls, where nobody forbids them: what was missing above was not missing by chance.
      expect(await play("Keep calm.")).toEqual({ done: [true, true, true], denied: [] });
    }),
  );
});
