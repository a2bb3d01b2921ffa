import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { parseCmdShim, type CmdShimTarget } from "../../../src/process/parse-cmd-shim.js";

const FOLDER = new URL("../../fixtures/cmd-shims/", import.meta.url);
const script = (name: string, nodeArgs: readonly string[] = []): CmdShimTarget => ({ kind: "node-script", path: `node_modules\\tool\\bin\\${name}`, nodeArgs });

const EXPECTED: Readonly<Record<string, CmdShimTarget | null>> = {
  "npm-cli.cmd": script("cli.js"),
  "npm-flags.cmd": script("flags.js", ["--no-warnings", "--max-old-space-size=4096"]),
  "npm-script.cmd": null,
  "npm-tool-exe.cmd": { kind: "program", path: "node_modules\\tool\\bin\\tool.exe" },
  "pnpm-cli.cmd": script("cli.js"),
  "pnpm-flags.cmd": script("flags.js", ["--no-warnings", "--max-old-space-size=4096"]),
  "pnpm-script.cmd": null,
  "pnpm-tool-exe.cmd": { kind: "program", path: "node_modules\\tool\\bin\\tool.exe" },
};

const readShim = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

describe("a shim as package managers write it", () => {
  it("is expected for each recorded file", () => {
    expect(readdirSync(FOLDER).filter((name) => name.endsWith(".cmd")).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  test.each(Object.entries(EXPECTED))("is read: %s", (name, target) => {
    expect(parseCmdShim(readShim(name))).toEqual(target);
  });

  test.each(Object.entries(EXPECTED))("is read with other line ends: %s", (name, target) => {
    expect(parseCmdShim(readShim(name).replaceAll("\r\n", "\n"))).toEqual(target);
  });
});

describe("any other batch file", () => {
  test.each([
    ["an empty file", ""],
    ["one that does something first", `@call "%~dp0\\prepare.bat"\r\n@"%~dp0\\tool.exe" %*\r\n`],
    ["one that adds an argument", `@"%~dp0\\tool.exe" --inject %*\r\n`],
    ["one whose interpreter is not node", readShim("npm-cli.cmd").replaceAll("node.exe", "deno.exe").replace('"_prog=node"', '"_prog=deno"')],
    ["one whose branches start different scripts", readShim("pnpm-cli.cmd").replace("cli.js", "other.js")],
    ["one that starts a script through its file type", `@"%~dp0\\tool.js" %*\r\n`],
    ["one that hides another command behind the line", readShim("npm-tool-exe.cmd").replace("%*", "%* & calc.exe")],
    ["one that takes its program from a variable", `@"%TOOL%\\tool.exe" %*\r\n`],
  ])("is not taken for one: %s", (_title, text) => {
    expect(parseCmdShim(text)).toBeNull();
  });
});
