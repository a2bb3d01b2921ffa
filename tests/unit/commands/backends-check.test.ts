import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import { runBackendsCheckCommand } from "../../../src/commands/backends-check.js";
import { makeTempTree, rejectionOf, type TempTree } from "../config/temp-tree.js";
import { recordIo, type RecordedIo } from "./recorded-io.js";

function setUp(): TempTree & RecordedIo {
  const tree = makeTempTree();
  return { ...tree, ...recordIo({ cwd: tree.project, env: { ...tree.env, PATH: tree.folder("bin") } }) };
}

const mine = {
  id: "mine",
  displayName: "Mine",
  traits: {
    executorId: "mine",
    command: "mine",
    args: ["--json"],
    promptDelivery: "stdin",
    env: { set: { MINE_API_KEY: "abcdefgh12345678" }, remove: ["DEBUG"] },
    output: { payload: "jsonl", resultPath: ["text"], sessionIdPath: ["id"], usagePaths: [["tokens"]], usageWhen: { path: ["done"], equals: true } },
  },
  options: { model: { args: ["--model", "{value}"], values: ["small", "large"] }, access: { full: { args: ["--yolo"] } } },
};

describe("backends check of a good record", () => {
  it("tells what would run, what is mapped and what is missing", async () => {
    const { io, write, home, project, takeStdout, takeStderr } = setUp();
    write("project/mine.json", mine);
    expect(await runBackendsCheckCommand("mine.json", io)).toBe(0);
    expect(takeStdout().split("\n")).toEqual([
      "backend  Mine (mine)",
      "program  mine (not found on PATH)",
      `a run    cd ${project} && printf %s hello | env -u DEBUG MINE_API_KEY=[redacted:value] mine --json --yolo`,
      "options  --model (small, large)",
      "refuses  --effort, --system-prompt, --append-system-prompt, --resume",
      "access   full; a run has to name one, since read-only cannot be enforced",
      "tells    tokens, session",
      "lacks    the answer as it is written, thoughts, tool calls, refused tools, cost, model, how a run ended, why a run failed, signs of a login, version, how to install it, how to sign in",
      "",
      `to use it: mkdir -p ${home}/.jlgcli/backends && cp ${project}/mine.json ${home}/.jlgcli/backends/mine.json`,
      "",
    ]);
    expect(takeStderr()).toBe("");
    expect(existsSync(join(home, ".jlgcli"))).toBe(false);
  });

  it("tells how to run one that is in its place, with the access level that a run needs", async () => {
    const { io, write, takeStdout } = setUp();
    expect(await runBackendsCheckCommand(write("home/.jlgcli/backends/mine.json", mine), io)).toBe(0);
    expect(takeStdout()).toMatch(/\nuse it with: jlgcli run --backend mine --access full "hello"\n$/);
  });

  it.each(BUILT_IN_RECORDS.map((record) => [record.id, record] as const))("finds nothing wrong with the record of %s under another id", async (id, record) => {
    const { io, write } = setUp();
    const own = { ...record, id: `my-${id}`, traits: { ...record.traits, executorId: `my-${id}` } };
    expect(await runBackendsCheckCommand(write("own.json", own), io)).toBe(0);
  });
});

describe("backends check of a record that cannot be used", () => {
  it("names every problem with its path, and gives 78", async () => {
    const { io, write, takeStdout, takeStderr } = setUp();
    write("project/bad.json", { id: "bad", displayName: "Bad", kin: "real", traits: { ...mine.traits, executorId: "bad", command: 3, promptDelivery: "sdtin" } });
    expect(await runBackendsCheckCommand("bad.json", io)).toBe(78);
    expect(takeStdout().trimEnd().split("\n").sort()).toEqual([
      'kin: unknown key; did you mean "kind"?',
      "traits.command: expected a string, got 3",
      'traits.promptDelivery: expected one of stdin, argument, got "sdtin"; did you mean "stdin"?',
    ]);
    expect(takeStderr()).toContain("bad.json cannot be used as a backend: 3 problems\n");
  });

  it("names what only the meaning shows", async () => {
    const { io, write, takeStdout } = setUp();
    write("project/bad.json", { ...mine, traits: { ...mine.traits, executorId: "other", output: { payload: "jsonl", resultPath: [] } } });
    expect(await runBackendsCheckCommand("bad.json", io)).toBe(78);
    expect(takeStdout()).toMatch(/^traits\.executorId: .*\ntraits\.output\.resultPath: /);
  });

  it.each(["[]", "3", "null"])("takes %s for no record", async (text) => {
    const { io, write, takeStdout } = setUp();
    write("project/bad.json", text);
    expect(await runBackendsCheckCommand("bad.json", io)).toBe(78);
    expect(takeStdout()).toMatch(/^the record: expected an object/);
  });

  it("refuses the id of a backend that comes with jlgcli", async () => {
    const { io, write, takeStdout } = setUp();
    write("project/codex.json", BUILT_IN_RECORDS.find(({ id }) => id === "codex"));
    expect(await runBackendsCheckCommand("codex.json", io)).toBe(78);
    expect(takeStdout()).toBe("id: 'codex' comes with jlgcli and cannot be replaced; choose another id\n");
  });

  it("refuses another id than the file's name where records are looked for by it", async () => {
    const { io, write, takeStdout } = setUp();
    expect(await runBackendsCheckCommand(write("home/.jlgcli/backends/yours.json", mine), io)).toBe(78);
    expect(takeStdout()).toBe("id: must be the file's name without .json, got 'mine' in yours.json\n");
  });

  it("tells the line and the column of what is no JSON", async () => {
    const { io, write } = setUp();
    write("project/bad.json", '{\n  "id": mine\n}');
    expect(await rejectionOf(runBackendsCheckCommand("bad.json", io))).toMatchObject({
      exitCode: 78,
      message: 'bad.json is no JSON: line 2, column 9: expected a value, got "m"',
    });
  });

  it.each([
    ["nowhere.json", "nowhere.json cannot be read: it does not exist"],
    [".", ". cannot be read: it is no regular file"],
  ])("gives 66 for %s", async (file, message) => {
    const { io } = setUp();
    expect(await rejectionOf(runBackendsCheckCommand(file, io))).toMatchObject({ exitCode: 66, message });
  });
});
