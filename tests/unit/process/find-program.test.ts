import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { findProgram, type ProgramFiles } from "../../../src/process/find-program.js";

describe.skipIf(process.platform === "win32")("on POSIX (needs x bits)", () => {
  let root = "";
  const at = (...parts: readonly string[]): string => join(root, ...parts);
  const find = (command: string, env: Record<string, string>, cwd = root) => findProgram(command, { env, cwd });

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "find-program-"));
    for (const folder of ["first", "second", "third", "first/tool"]) mkdirSync(at(folder));
    writeFileSync(at("second/tool"), "", { mode: 0o644 });
    for (const path of ["third/tool", "third/only-third", "tool"]) writeFileSync(at(path), "", { mode: 0o755 });
    symlinkSync(at("nowhere"), at("first/only-third"));
    symlinkSync(at("third/tool"), at("first/linked"));
    chmodSync(at("second/tool"), 0o644);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it("takes the first entry of PATH that is an executable file, past folders, files without x bit and dangling links", () => {
    const env = { PATH: [at("missing"), at("first"), at("second"), at("third")].join(":") };
    expect(find("tool", env)).toEqual({ path: at("third/tool"), args: [] });
    expect(find("only-third", env)).toEqual({ path: at("third/only-third"), args: [] });
    expect(find("linked", env)).toEqual({ path: at("first/linked"), args: [] });
  });

  it("takes an explicit path as it is, relative to the working directory", () => {
    expect(find("./tool", {}, root)).toEqual({ path: at("tool"), args: [] });
    expect(find("../tool", {}, at("first"))).toEqual({ path: at("tool"), args: [] });
    expect(find(at("third/tool"), { PATH: "" }, "/")).toEqual({ path: at("third/tool"), args: [] });
  });

  test.each([
    ["a name that is nowhere", "nonesuch"],
    ["a folder", "./first"],
    ["a file without x bit", "./second/tool"],
    ["an explicit path to nothing", "./nonesuch"],
    ["a path through a file", "./tool/tool"],
    ["an empty name", ""],
    ["a name with NUL", "to\0ol"],
    ["a name that is too long for the system", "x".repeat(10_000)],
  ])("finds nothing for %s", (_title, command) => {
    expect(find(command, { PATH: at("third") })).toBeNull();
  });

  test.each([
    ["PATH is missing", {}],
    ["PATH is empty", { PATH: "" }],
    ["PATH has an empty entry", { PATH: `${"/nonexistent"}::` }],
    ["PATH has the current folder", { PATH: ".:./" }],
  ])("does not look into the working directory when %s", (_title, env: Record<string, string>) => {
    expect(find("tool", env)).toBeNull();
  });
});

/** A Windows disk as a record of path -> text. Names there have no case. */
function windowsFiles(disk: Readonly<Record<string, string>>): ProgramFiles {
  const byLowerCase = new Map(Object.entries(disk).map(([path, text]) => [path.toLowerCase(), text]));
  return {
    isFile: (path) => byLowerCase.has(path.toLowerCase()),
    isExecutable: () => true,
    readText: (path) => byLowerCase.get(path.toLowerCase()) ?? null,
  };
}

describe("on Windows (told from the rules, not from a Windows machine)", () => {
  const shim = (name: string): string => readFileSync(new URL(`../../fixtures/cmd-shims/${name}.cmd`, import.meta.url), "utf8");
  const find = (command: string, disk: Readonly<Record<string, string>>, env: Record<string, string> = {}) =>
    findProgram(command, { env: { Path: "C:\\npm;C:\\bin", ...env }, cwd: "C:\\work", platform: "win32", files: windowsFiles(disk) });

  it("prefers a real program to the shims beside it, and never takes the shim for POSIX shells", () => {
    const disk = { "C:\\npm\\codex": "#!/bin/sh", "C:\\npm\\codex.cmd": shim("npm-cli"), "C:\\npm\\codex.exe": "MZ" };
    expect(find("codex", disk)).toEqual({ path: "C:\\npm\\codex.exe", args: [] });
    expect(find("codex", { "C:\\npm\\codex": "#!/bin/sh" })).toBeNull();
  });

  it("takes the first folder of PATH, whatever the spelling of that variable", () => {
    const disk = { "C:\\npm\\codex.cmd": shim("npm-tool-exe"), "C:\\npm\\node_modules\\tool\\bin\\tool.exe": "MZ", "C:\\bin\\codex.exe": "MZ" };
    expect(find("codex", disk)).toEqual({ path: "C:\\npm\\node_modules\\tool\\bin\\tool.exe", args: [] });
    expect(find("codex", disk, { Path: "", PATH: 'relative;"C:\\bin"' })).toEqual({ path: "C:\\bin\\codex.exe", args: [] });
  });

  it("resolves an npm shim to node and the script behind it", () => {
    const disk = { "C:\\npm\\codex.cmd": shim("npm-flags"), "C:\\npm\\node_modules\\tool\\bin\\flags.js": "", "C:\\bin\\node.exe": "MZ" };
    expect(find("codex", disk)).toEqual({
      path: "C:\\bin\\node.exe",
      args: ["--no-warnings", "--max-old-space-size=4096", "C:\\npm\\node_modules\\tool\\bin\\flags.js"],
    });
  });

  it("takes the node beside the shim first", () => {
    const disk = { "C:\\npm\\codex.cmd": shim("pnpm-cli"), "C:\\npm\\node_modules\\tool\\bin\\cli.js": "", "C:\\npm\\node.exe": "MZ", "C:\\bin\\node.exe": "MZ" };
    expect(find("codex", disk)).toMatchObject({ path: "C:\\npm\\node.exe" });
  });

  test.each([
    ["it is no shim", { "C:\\npm\\codex.cmd": "@echo off\r\ncalc.exe %*" }, "is no npm shim"],
    ["its script is gone", { "C:\\npm\\codex.cmd": shim("npm-cli"), "C:\\bin\\node.exe": "MZ" }, "which does not exist"],
    ["there is no node", { "C:\\npm\\codex.cmd": shim("npm-cli"), "C:\\npm\\node_modules\\tool\\bin\\cli.js": "" }, "needs node"],
    ["it is a .bat of someone else", { "C:\\npm\\codex.bat": "codex-real.exe %*" }, "is no npm shim"],
  ])("refuses a batch file when %s", (_title, disk, reason) => {
    const found = find("codex", disk);
    const refusal = found !== null && "refusal" in found ? found.refusal : "";
    expect(refusal).toContain(reason);
    expect(refusal).toContain("C:\\npm\\codex");
  });

  it("does not look into the working directory", () => {
    expect(find("codex", { "C:\\work\\codex.exe": "MZ" })).toBeNull();
    expect(find(".\\codex", { "C:\\work\\codex.exe": "MZ" })).toEqual({ path: "C:\\work\\codex.exe", args: [] });
  });

  it("takes a name with its extension, and an absolute path", () => {
    expect(find("codex.exe", { "C:\\bin\\codex.exe": "MZ" })).toEqual({ path: "C:\\bin\\codex.exe", args: [] });
    expect(find("D:\\tools\\codex", { "D:\\tools\\codex.exe": "MZ" })).toEqual({ path: "D:\\tools\\codex.exe", args: [] });
  });

  it("leaves out the extensions that PATHEXT does not have, but never .exe", () => {
    const disk = { "C:\\npm\\codex.cmd": shim("npm-tool-exe"), "C:\\npm\\node_modules\\tool\\bin\\tool.exe": "MZ", "C:\\bin\\codex.exe": "MZ" };
    expect(find("codex", disk, { PATHEXT: ".COM;.JS" })).toEqual({ path: "C:\\bin\\codex.exe", args: [] });
  });
});
