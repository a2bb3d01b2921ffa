import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { runCompletionCommand } from "../../../src/commands/completion.js";
import { SHELLS, toCompletionTree } from "../../../src/commands/completion-tree.js";
import { recordIo } from "./recorded-io.js";

function makeProgram(): Command {
  const program = new Command("jlgcli").helpCommand(false);
  program
    .command("run")
    .argument("[prompt...]")
    .option("-b, --backend <id>", "a backend")
    .option("--env <pair>", "a variable (repeatable)")
    .addOption(new Option("--level <level>", "a level").choices(["low", "high"]))
    .addOption(new Option("--secret", "not shown").hideHelp());
  program.command("look").command("at").argument("<file>", "a file").description("it's [a] \"test\": $HOME `x` \\");
  return program;
}

describe("toCompletionTree", () => {
  it("has every command, option and value that the help shows", () => {
    const [run, look] = toCompletionTree(makeProgram()).commands;
    expect(run).toMatchObject({
      path: ["run"],
      args: [{ isVariadic: true, value: { name: "prompt", kind: "free" } }],
      options: [
        { names: ["-b", "--backend"], value: { kind: "words", words: expect.arrayContaining(["codex", "replay"]) as string[] }, isRepeatable: false },
        { names: ["--env"], value: { kind: "free" }, isRepeatable: true },
        { names: ["--level"], value: { kind: "words", words: ["low", "high"] } },
        { names: ["-h", "--help"], value: null },
      ],
    });
    expect(look?.commands.map(({ path, args }) => [path, args[0]?.value.kind])).toEqual([
      [["look", "at"], "files"],
      [["look", "help"], "words"],
    ]);
  });
});

describe("completion", () => {
  it.each(SHELLS)("prints a script for %s with every command", (shell) => {
    const { io, takeStdout } = recordIo({ cwd: "/", env: {} });
    expect(runCompletionCommand(shell, makeProgram(), io)).toBe(0);
    const script = takeStdout();
    for (const word of ["run", "look", "backend", "level"]) expect(script).toContain(word);
    expect(script).not.toContain("secret");
  });

  it.each([
    ["powershell", "for instance: jlgcli completion bash"],
    ["bsh", 'did you mean "bash"?'],
    ["toString", "for instance: jlgcli completion bash"],
  ])("names the shells that there are where %s is asked for", (shell, hint) => {
    const { io, takeStdout } = recordIo({ cwd: "/", env: {} });
    expect(() => runCompletionCommand(shell, makeProgram(), io)).toThrow(expect.objectContaining({ code: "USAGE_INVALID", exitCode: 64, message: expect.stringContaining("expected bash, zsh, fish") as string, hint }));
    expect(takeStdout()).toBe("");
  });
});
