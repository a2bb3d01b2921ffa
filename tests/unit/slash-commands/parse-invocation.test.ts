import { describe, expect, it } from "vitest";
import { isSlashCommand } from "../../../src/slash-commands/is-slash-command.js";
import { parseInvocation, resolveSubCommand } from "../../../src/slash-commands/parse-invocation.js";
import { suggestNames } from "../../../src/slash-commands/suggest-names.js";
import { CommandKind, type SlashCommand } from "../../../src/slash-commands/types.js";

describe("isSlashCommand", () => {
  it.each(["/help", "  /help", "/help me", "/a:b x", "/mcp:server:prompt", "/überprüfen", "/?", "/x\ny", "/a.b-c_d"])(
    "takes %j for a command",
    (text) => {
      expect(isSlashCommand(text)).toBe(true);
    },
  );

  it.each(["", "/", "/ x", "//", "// a comment", "/* a comment */", "/usr/bin/x", "/usr/bin/x --flag", "/etc/", "help", "a /help", "\\help"])(
    "takes %j for text",
    (text) => {
      expect(isSlashCommand(text)).toBe(false);
    },
  );
});

describe("parseInvocation", () => {
  it.each([
    ["/review", "review", ""],
    ["/review  src/a.ts", "review", "src/a.ts"],
    ["/review a  b", "review", "a  b"],
    ["/review a\n\n  b\t c ", "review", "a\n\n  b\t c"],
    ["/explain\n    indented\nflush", "explain", "    indented\nflush"],
    ["/explain\r\ncode\r\nmore", "explain", "code\r\nmore"],
    ["/review\u00a0x", "review", "x"],
    ["/e\u0301tude e\u0301", "\u00e9tude", "e\u0301"],
    ["/a /b /c", "a", "/b /c"],
  ])("splits %j", (text, name, args) => {
    expect(parseInvocation(text)).toEqual({ name, args });
  });

  it("gives null for text", () => {
    expect(parseInvocation("/usr/bin/env node")).toBeNull();
  });
});

describe("resolveSubCommand", () => {
  const leaf = (name: string, fields: Partial<SlashCommand> = {}): SlashCommand => ({ name, description: "", kind: CommandKind.FILE, ...fields });
  const memory = leaf("memory", {
    subCommands: [
      leaf("add", { altNames: ["new"], subCommands: [leaf("global")] }),
      leaf("new-line"),
      leaf("screen", { supportedModes: ["interactive"] }),
    ],
  });

  it.each([
    ["", "memory", ""],
    ["add", "memory add", ""],
    ["new  a  b", "memory add", "a  b"],
    ["add global x", "memory add global", "x"],
    ["ADD x", "memory", "ADD x"],
    ["other add", "memory", "other add"],
    ["screen", "memory", "screen"],
  ])("walks %j to %j with %j", (args, path, rest) => {
    const resolved = resolveSubCommand(memory, args, "acp");
    expect([resolved.path, resolved.args]).toEqual([path, rest]);
  });

  it("reaches a sub-command in the mode it is made for", () => {
    expect(resolveSubCommand(memory, "screen", "interactive").path).toBe("memory screen");
  });

  it("prefers a name over an alias", () => {
    const command = leaf("x", { subCommands: [leaf("one", { altNames: ["two"] }), leaf("two")] });
    expect(resolveSubCommand(command, "two", "acp").path).toBe("x two");
  });
});

describe("suggestNames", () => {
  const names = ["review", "review-diff", "user:review", "commit-message", "explain", "help"];
  it.each([
    ["reveiw", ["review", "user:review"]],
    ["Review", ["review", "review-diff", "user:review"]],
    ["comit-message", ["commit-message"]],
    ["expl", ["explain"]],
    ["zzzzzz", []],
  ])("for %j gives %j", async (typed, expected) => {
    expect(await suggestNames(typed, names)).toEqual(expected);
  });
});
