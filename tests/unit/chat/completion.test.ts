import { describe, expect, it } from "vitest";
import { findCompletions } from "../../../src/chat/completion.js";
import { createEditorState } from "../../../src/chat/editor.js";
import { CommandKind, type SlashCommand } from "../../../src/slash-commands/types.js";

const command = (name: string, fields: Partial<SlashCommand> = {}): SlashCommand => ({ name, description: `does ${name}`, kind: CommandKind.BUILT_IN, sourceLabel: "Built-in", ...fields });

const COMMANDS: readonly SlashCommand[] = [
  command("help", { argumentHint: "[command]" }),
  command("model"),
  command("clear", { altNames: ["new"] }),
  command("review", { kind: CommandKind.FILE, sourceLabel: "Custom" }),
  command("git:commit", { kind: CommandKind.FILE, sourceLabel: "Custom", completionPriority: 1 }),
  command("remote", { completionPriority: 5, subCommands: [command("add"), command("remove")] }),
  command("secret", { hidden: true }),
  command("for-models", { userInvocable: false }),
];
const FILES = ["README.md", "src/cli.ts", "src/chat/controller.ts", "docs/a guide.md", "odd\u001b[31m.txt", 'quo"te.txt'];

async function complete(marked: string): Promise<string[]> {
  const cursor = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = await findCompletions({ ...createEditorState(text), cursor }, { commands: COMMANDS, listFiles: () => Promise.resolve(FILES) });
  return found.map((each) => text.slice(0, each.from) + each.text + text.slice(each.to));
}

describe("commands", () => {
  it.each([
    { typed: "/he|", first: "/help " },
    { typed: "/HE|", first: "/help " },
    { typed: "  /mo|", first: "  /model " },
    { typed: "/new|", first: "/clear " },
    { typed: "/com|", first: "/git:commit " },
    { typed: "/rvw|", first: "/review " },
    { typed: "/re|", first: "/remote " },
    { typed: "/he|lp me", first: "/help me" },
    { typed: "/remote re|", first: "/remote remove " },
  ])("completes $typed to $first", async ({ typed, first }) => {
    expect((await complete(typed))[0]).toBe(first);
  });

  it("stand together by their source, that of the best first", async () => {
    const found = await findCompletions(createEditorState("/re"), { commands: COMMANDS, listFiles: () => Promise.resolve([]) });
    expect(found.map(({ label, group }) => `${group} ${label}`)).toEqual(["Built-in /remote", "Custom /review"]);
    const all = await findCompletions(createEditorState("/"), { commands: COMMANDS, listFiles: () => Promise.resolve([]) });
    expect(all.map(({ label }) => label)).toEqual(["/remote", "/clear", "/help", "/model", "/git:commit", "/review"]);
    expect(all.find(({ label }) => label === "/help")?.hint).toBe("[command]  does help");
  });

  it.each(["hello|", "see /he|", "/usr/b|", "/help |", "|/help", "me@example.org|", "/zzz|"])("offers nothing for %s", async (typed) => {
    expect(await complete(typed)).toEqual([]);
  });
});

describe("files", () => {
  it.each([
    { typed: "look at @con|", first: "look at src/chat/controller.ts " },
    { typed: "@./src/cl|", first: "src/cli.ts " },
    { typed: "@src/ch|", first: "src/chat/ " },
    { typed: "@gui|", first: '"docs/a guide.md" ' },
    { typed: '@"a gui|', first: '"docs/a guide.md" ' },
    { typed: "@rdm| please", first: "README.md please" },
    { typed: "/review @read|", first: "/review README.md " },
    { typed: "a\n@cli|", first: "a\nsrc/cli.ts " },
  ])("completes $typed to $first", async ({ typed, first }) => {
    expect((await complete(typed))[0]).toBe(first);
  });

  it("puts what lies at the top first, and offers no name that would steer a terminal", async () => {
    expect(await complete("@|")).toEqual(["README.md ", "docs/ ", "src/ ", '"docs/a guide.md" ', "src/chat/ ", "src/cli.ts ", "src/chat/controller.ts "]);
  });

  it("are not listed where none is asked for", async () => {
    let asked = 0;
    await findCompletions(createEditorState("/he"), { commands: COMMANDS, listFiles: () => Promise.resolve((asked++, [])) });
    await findCompletions(createEditorState("hello"), { commands: COMMANDS, listFiles: () => Promise.resolve((asked++, [])) });
    expect(asked).toBe(0);
  });

  it("copes with many", async () => {
    const many = Array.from({ length: 50_000 }, (_file, index) => `packages/p${String(index % 500)}/src/file-${String(index)}.ts`);
    const found = await findCompletions(createEditorState("@file-49999"), { commands: [], listFiles: () => Promise.resolve(many) });
    expect(found[0]?.text).toBe("packages/p499/src/file-49999.ts ");
    expect(found.length).toBeLessThanOrEqual(50);
  });
});
