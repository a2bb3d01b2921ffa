import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileLister } from "../../../src/chat/list-files.js";
import { createProcessSpawner } from "../../../src/process/spawner.js";

let folder: string;
const hasGit = isInstalled("git");
if (!hasGit) console.warn("skipped: what git ignores (there is no git here)");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-files-"));
  for (const name of ["a.txt", "src/b.ts", "src/deep/c.ts", "node_modules/x/index.js", "ignored/d.log"]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
  symlinkSync(folder, join(folder, "src/round"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const loadSpawner = () => Promise.resolve(createProcessSpawner({ env: { PATH: process.env["PATH"], HOME: folder } }));

describe("the files of a directory", () => {
  it("are walked where there is no repository; links are not followed", async () => {
    const expected = ["a.txt", "ignored/d.log", "src/b.ts", "src/deep/c.ts"];
    expect([...(await createFileLister({ cwd: () => folder, timeoutMs: 20_000 })())].sort()).toEqual(expected);
    expect([...(await createFileLister({ cwd: () => folder, timeoutMs: 20_000, loadSpawner })())].sort()).toEqual(expected);
  });

  it.skipIf(!hasGit)("are those that git knows or does not ignore, and its settings start nothing", async () => {
    const git = (...args: string[]): void => void execFileSync("git", args, { cwd: folder, stdio: "ignore", env: { PATH: process.env["PATH"], HOME: folder } });
    git("init");
    writeFileSync(join(folder, ".gitignore"), "ignored\nnode_modules\nround\n");
    git("add", "a.txt");
    git("config", "core.fsmonitor", `touch ${join(folder, "started")}`);
    const list = createFileLister({ cwd: () => folder, timeoutMs: 20_000, loadSpawner });
    expect([...(await list())].sort()).toEqual([".gitignore", "a.txt", "src/b.ts", "src/deep/c.ts"]);
    expect(existsSync(join(folder, "started"))).toBe(false);
    expect(await createFileLister({ cwd: () => join(folder, "src"), timeoutMs: 20_000, loadSpawner })()).toContain("deep/c.ts");
  });

  it("are as many as wanted, and none where there is no directory", async () => {
    expect(await createFileLister({ cwd: () => folder, limit: 2, timeoutMs: 20_000 })()).toHaveLength(2);
    expect(await createFileLister({ cwd: () => join(folder, "gone") })()).toEqual([]);
    expect(await createFileLister({ cwd: () => folder, loadSpawner: () => Promise.reject(new Error("broken")) })()).toEqual([]);
  });

  it("are listed anew for another directory", async () => {
    let cwd = folder;
    const list = createFileLister({ cwd: () => cwd, timeoutMs: 20_000 });
    expect(await list()).toContain("a.txt");
    cwd = join(folder, "src");
    expect(await list()).toContain("b.ts");
  });
});
