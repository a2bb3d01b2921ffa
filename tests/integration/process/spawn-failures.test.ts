import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { BIN } from "./run-child.js";

const spawner = createProcessSpawner();
const ENV = { PATH: process.env["PATH"] ?? "", JLGCLI_RUN_ID: "failures-test" };

async function spawnFailure(command: string, args: readonly string[] = [], cwd = tmpdir(), env: Record<string, string> = ENV, stdout: "pipe" | "file" = "pipe") {
  const child = spawner.spawn(command, args, { cwd, env, stdout });
  child.writeStdin("a prompt that nobody reads");
  child.endStdin();
  expect(child.pid).toBeUndefined();
  const outcome = await child.done;
  expect(child.settled).toBe(true);
  child.killTree();
  expect(await child.endTree?.()).toBe(0);
  expect(outcome).toMatchObject({ exitCode: null, signal: null, stderr: "" });
  return { code: outcome.spawnErrorCode, message: outcome.spawnErrorMessage ?? "" };
}

describe("a program that cannot be started", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "failures-"));
    writeFileSync(join(folder, "file"), "");
    // The head of an ELF file whose loader does not exist.
    writeFileSync(join(folder, "empty-elf"), toElfWithLoader("/nonexistent/loader"), { mode: 0o755 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ["a name that is nowhere", "nonesuch", "ENOENT", "nonesuch was not found on PATH"],
    ["a path that is nowhere", "./nonesuch", "ENOENT", "./nonesuch was not found"],
    ["a file without x bit", `${BIN}not-executable`, "EACCES", `${BIN}not-executable may not be executed`],
    ["a folder", "/tmp", "EACCES", "it is a directory"],
    ["a script whose interpreter is missing", `${BIN}no-interpreter`, "ENOEXEC", "exists, but its interpreter does not: /nonexistent/interpreter"],
  ])("is told apart: %s", async (_title, command, code, message) => {
    const failure = await spawnFailure(command);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(message);
  });

  it("is told apart: a program for another system, whose loader is missing", async (context) => {
    if (process.platform !== "linux" || process.arch !== "x64") context.skip("the program is an ELF file for x64");
    const failure = await spawnFailure(join(folder, "empty-elf"));
    expect(failure.code).toBe("ENOEXEC");
    expect(failure.message).toContain("built for another system");
  });

  test.each([
    ["is missing", "/nonexistent/folder", "the working directory does not exist: /nonexistent/folder"],
    ["is a file", `${BIN}flood.mjs`, `the working directory is not a directory: ${BIN}flood.mjs`],
  ])("is not blamed when the working directory %s", async (_title, cwd, message) => {
    expect(await spawnFailure("sh", [], cwd)).toEqual({ code: "ENOTDIR", message });
    expect(await spawnFailure("nonesuch", [], cwd)).toEqual({ code: "ENOTDIR", message });
    expect(await spawnFailure("sh", [], cwd, ENV, "file")).toEqual({ code: "ENOTDIR", message });
  });

  it.runIf(process.platform === "linux")("is never missing when an argument is too long (Linux: 131,072 bytes)", async () => {
    const fits = spawner.spawn("sh", ["-c", 'echo "${#1}"', "sh", "x".repeat(131_071)], { cwd: "/", env: ENV });
    fits.endStdin();
    expect((await fits.done).stdout).toBe("131071\n");
    const failure = await spawnFailure("sh", ["-c", ":", "x".repeat(131_072)]);
    expect(failure.code).toBe("E2BIG");
    expect(failure.message).toMatch(/^sh could not be started: its arguments and environment are longer/);
  });

  it("is never missing when an argument or a variable has a NUL, and its message does not repeat them", async () => {
    for (const failure of [await spawnFailure("sh", ["secret\0prompt"]), await spawnFailure("sh", [], "/", { ...ENV, BAD: "secret\0value" })]) {
      expect(failure.code).toBe("ERR_INVALID_ARG_VALUE");
      expect(failure.message).toContain("NUL character");
      expect(failure.message).not.toContain("secret");
    }
  });

  test.each([
    ["empty", { PATH: "" }],
    ["missing", {}],
  ])("is missing when PATH is %s", async (_title, env: Record<string, string>) => {
    expect(await spawnFailure("sh", [], "/", env)).toEqual({ code: "ENOENT", message: "sh was not found on PATH" });
  });
});

/** The smallest ELF file for x64 that names a loader: a file header, one program header (PT_INTERP), and the path. */
function toElfWithLoader(loader: string): Buffer {
  const path = Buffer.from(`${loader}\0`);
  const elf = Buffer.alloc(64 + 56);
  elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  elf.writeUInt16LE(2, 16);
  elf.writeUInt16LE(62, 18);
  elf.writeUInt32LE(1, 20);
  elf.writeBigUInt64LE(64n, 32);
  elf.writeUInt16LE(64, 52);
  elf.writeUInt16LE(56, 54);
  elf.writeUInt16LE(1, 56);
  elf.writeUInt32LE(3, 64);
  elf.writeUInt32LE(4, 68);
  elf.writeBigUInt64LE(BigInt(elf.length), 72);
  elf.writeBigUInt64LE(BigInt(path.length), 96);
  elf.writeBigUInt64LE(BigInt(path.length), 104);
  elf.writeBigUInt64LE(1n, 112);
  return Buffer.concat([elf, path]);
}
