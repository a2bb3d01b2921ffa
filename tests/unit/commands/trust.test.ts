import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runTrustCommand } from "../../../src/commands/trust.js";
import { loadConfig } from "../../../src/config/loader.js";
import { makeTempTree, rejectionOf, type TempTree } from "../config/temp-tree.js";
import { recordIo, type RecordedIo } from "./recorded-io.js";

function setUp(cwd = "project"): TempTree & RecordedIo {
  const tree = makeTempTree();
  tree.folder(cwd);
  return { ...tree, ...recordIo({ cwd: join(tree.root, cwd), env: tree.env }) };
}

describe("trust", () => {
  it("trusts the project that the current folder belongs to, and says what its file sets from now on", async () => {
    const { project, env, io, write, takeStdout } = setUp("project/src");
    write("project/.jlgcli.json", { model: "m", effort: "high", env: { A: "1" } });
    expect(await runTrustCommand({}, io)).toBe(0);
    expect(takeStdout()).toBe(`${project} is now trusted; its configuration now sets effort, env\n`);
    expect(await loadConfig({ cwd: project, env })).toEqual({ model: "m", effort: "high", env: { A: "1" } });
    await runTrustCommand({}, io);
    expect(takeStdout()).toBe(`${project} is already trusted\n`);
  });

  it("trusts the repository's root where the project has no file yet", async () => {
    const { project, io, takeStdout } = setUp("project/src");
    await runTrustCommand({}, io);
    expect(takeStdout()).toBe(`${project} is now trusted\n`);
  });

  it("trusts a folder that is named, also while its file is broken", async () => {
    const { root, io, write, takeStdout } = setUp();
    write("other/.jlgcli.json", "{");
    await runTrustCommand({ folder: "../other", json: true }, io);
    expect(JSON.parse(takeStdout())).toEqual({ folder: join(root, "other"), trusted: true, changed: true, keys: [] });
  });

  it("says so where a folder covers the whole home folder", async () => {
    const { home, io, takeStderr } = setUp();
    await runTrustCommand({ folder: home }, io);
    expect(takeStderr()).toBe(`this covers every folder below ${home}\n`);
  });

  it.each([["not/there"], [".jlgcli.json"]])("finds no folder at %s", async (folder) => {
    const { io, write } = setUp();
    write("project/.jlgcli.json", {});
    expect(await rejectionOf(runTrustCommand({ folder }, io))).toMatchObject({ code: "INPUT_NOT_FOUND", exitCode: 66 });
  });

  it("asks for a folder in the home folder instead of trusting everything", async () => {
    const { io } = setUp("home");
    expect(await rejectionOf(runTrustCommand({}, io))).toMatchObject({ exitCode: 64, hint: expect.stringContaining("jlgcli trust DIR") as string });
  });
});

describe("trust --revoke", () => {
  it("takes the trust back that covers the current folder", async () => {
    const { project, env, io, write, takeStdout } = setUp("project/src");
    write("project/.jlgcli.json", { effort: "high" });
    await runTrustCommand({}, io);
    takeStdout();
    await runTrustCommand({ revoke: true }, io);
    expect(takeStdout()).toBe(`${project} is now not trusted\n`);
    expect(await loadConfig({ cwd: project, env })).toEqual({});
    await runTrustCommand({ revoke: true }, io);
    expect(takeStdout()).toBe(`${project} is already not trusted\n`);
  });

  it("works for a folder that is gone", async () => {
    const { root, io, takeStdout } = setUp();
    mkdirSync(join(root, "gone"));
    await runTrustCommand({ folder: join(root, "gone") }, io);
    rmSync(join(root, "gone"), { recursive: true });
    takeStdout();
    await runTrustCommand({ list: true }, io);
    expect(takeStdout()).toBe(`${join(root, "gone")} (not there)\n`);
    await runTrustCommand({ revoke: true, folder: "../gone" }, io);
    await runTrustCommand({ list: true, json: true }, io);
    expect(takeStdout()).toContain('"folders": []');
  });

  it("never claims that a folder is not trusted while one above it is", async () => {
    const { root, project, io, folder } = setUp();
    await runTrustCommand({ folder: root }, io);
    await runTrustCommand({ folder: project }, io);
    expect(await rejectionOf(runTrustCommand({ revoke: true, folder: folder("project/sub") }, io))).toMatchObject({
      exitCode: 64,
      message: `${join(project, "sub")} is still trusted through ${project}`,
    });
    expect(await rejectionOf(runTrustCommand({ revoke: true, folder: project }, io))).toMatchObject({
      message: `${project} is still trusted through ${root}`,
      hint: `jlgcli trust --revoke ${root}`,
    });
  });
});

describe("trust --list", () => {
  it("prints the folders, one a line", async () => {
    const { root, project, io, folder, takeStdout } = setUp();
    await runTrustCommand({ folder: project }, io);
    await runTrustCommand({ folder: folder("a") }, io);
    takeStdout();
    expect(await runTrustCommand({ list: true }, io)).toBe(0);
    expect(takeStdout()).toBe(`${join(root, "a")}\n${project}\n`);
  });
});
