import { describe, expect, it } from "vitest";
import type { Binding } from "../../../src/slash-commands/dialects/dialect.js";
import type { ValueNode } from "../../../src/slash-commands/parse-template.js";
import { toPosixScript, toWindowsScript } from "../../../src/slash-commands/shell-script.js";

const text = (value: string): ValueNode => ({ type: "text", text: value });
const argument: ValueNode = { type: "argument", ref: { kind: "position", index: 0 }, raw: "$0" };

function bind(value: string | null, words?: readonly string[]): Binding {
  return { valueOf: () => value, appendTo: (appended) => appended, ...(words === undefined ? {} : { wordsOf: () => words }) };
}

describe("a script for sh", () => {
  it.each([
    ["alone", "ls ", "", 'ls "${JLGCLI_ARGUMENT_0}"'],
    ["in double quotes", 'ls "', '"', 'ls "${JLGCLI_ARGUMENT_0}"'],
    ["in single quotes", "ls '", "'", "ls ''\"${JLGCLI_ARGUMENT_0}\"''"],
    ["after an escaped quote", "ls \\' ", "", "ls \\' \"${JLGCLI_ARGUMENT_0}\""],
  ])("takes a value that stands %s from a variable", (_where, before, after, script) => {
    expect(toPosixScript([text(before), argument, text(after)], bind("a; rm -rf ~"))).toEqual({ script, env: { JLGCLI_ARGUMENT_0: "a; rm -rf ~" } });
  });

  it("gets one variable for each word that was typed", () => {
    expect(toPosixScript([text("ls "), argument], bind("a 'b c'", ["a", "b c"]))).toEqual({
      script: 'ls "${JLGCLI_ARGUMENT_0}" "${JLGCLI_ARGUMENT_1}"',
      env: { JLGCLI_ARGUMENT_0: "a", JLGCLI_ARGUMENT_1: "b c" },
    });
  });

  it("keeps a place without a value as it is written", () => {
    expect(toPosixScript([text("awk "), argument], bind(null))).toEqual({ script: "awk $0", env: {} });
  });
});

describe("a script for cmd.exe", () => {
  it.each([
    ["src/a.ts", "type src/a.ts"],
    ["C:\\a\\b.txt", "type C:\\a\\b.txt"],
    ["two words", 'type "two words"'],
    ["it's", "type it's"],
    ["", "type "],
  ])("holds the harmless value %j", (value, script) => {
    expect(toWindowsScript([text("type "), argument], bind(value), "/show")).toEqual({ script, env: {} });
  });

  it.each(["%PATH%", "a & del b", 'a" & del b', "a | b", "a > b", "a < b", "!x!", "^", "(a)", "a\nb", "a\rb"])("is refused for %j", (value) => {
    expect(() => toWindowsScript([text("type "), argument], bind(value), "/show")).toThrow(`/show: the argument ${JSON.stringify(value)} cannot be passed safely to cmd.exe`);
  });

  it("keeps a place without a value as it is written", () => {
    expect(toWindowsScript([text("echo "), argument], bind(null), "/show").script).toBe("echo $0");
  });
});
