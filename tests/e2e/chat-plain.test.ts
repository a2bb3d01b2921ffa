import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChatPlace } from "./support/chat-place.js";
import { findLeftOvers, parseObject, runCli, type Place } from "./support/cli.js";
import { waitUntil } from "./support/counting-codex.js";

let place: Place;

beforeEach(() => {
  place = createChatPlace();
});
afterEach(() => place.cleanUp());

async function list(): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await runCli(place, ["chat", "--list", "--json"]);
  const value: unknown = JSON.parse(stdout);
  if (!Array.isArray(value)) throw new TypeError(`no list: ${stdout}`);
  return value.map((each) => parseObject(JSON.stringify(each)));
}

describe("jlgcli chat with a pipe", () => {
  it("takes each line for a turn of one conversation; stdout has the answers alone", async () => {
    const { exitCode, stdout, stderr } = await runCli(place, ["chat"], { stdin: "hello\nagain\nstream\n" });
    expect(stdout).toBe("claude heard: hello\ngoes on with session-1\nIt is **empty**.\n");
    expect(stderr).toContain("jlgcli: read: ");
    expect(stderr).toContain("(success, ");
    expect(exitCode).toBe(0);
    expect(await list()).toMatchObject([{ title: "hello" }]);
  });

  it("runs commands, and never sends an unknown one", async () => {
    mkdirSync(join(place.cwd, ".jlgcli/commands"), { recursive: true });
    writeFileSync(join(place.cwd, ".jlgcli/commands/greet.md"), "Greet $ARGUMENTS.");
    const { stdout, stderr, exitCode } = await runCli(place, ["chat", "--trust"], { stdin: "/greet the world\n/gret you\n/etc/hosts is what?\n" });
    expect(stdout).toBe("claude heard: Greet the world.\nclaude heard: /etc/hosts is what?\n");
    expect(stderr).toContain("there is no command /gret\njlgcli: did you mean /greet?");
    expect(exitCode).toBe(0);
  });

  it("ends with the code of the last turn", async () => {
    const { exitCode, stdout, stderr } = await runCli(place, ["chat"], { stdin: "hello\ndie\n" });
    expect(exitCode).toBe(1);
    expect(stdout).toBe("claude heard: hello\n");
    expect(stderr).toMatch(/jlgcli: .*SIGKILL/);
    expect((await runCli(place, ["chat"], { stdin: "hello\n/nonsense\n" })).exitCode).toBe(64);
  });

  it("ends a turn with its deadline, and all that it has started", async () => {
    const { exitCode } = await runCli(place, ["chat", "--timeout", "2s"], { stdin: "hang\n" });
    expect(exitCode).toBe(75);
    expect(findLeftOvers(place)).toEqual([]);
  });

  it("is ended by a signal in the middle of a turn, and leaves nothing running", async () => {
    const { signal } = await runCli(place, ["chat"], {
      stdin: "hang\n",
      onStart: (child) => void waitUntil(() => findLeftOvers(place).some((line) => line.includes("sleep 300"))).then(() => child.kill("SIGTERM")),
    });
    expect(signal).toBe("SIGTERM");
    expect(findLeftOvers(place)).toEqual([]);
  });

  it("changes the settings for the next turns", async () => {
    const { stderr } = await runCli(place, ["chat"], { stdin: "/model opus\n/access full\n/backend nonsense\n/usage\nhello\n" });
    expect(stderr).toContain("The model of claude is opus from now on.");
    expect(stderr).toContain("nonsense");
  });

  it("keeps no prompt of a pipe among what was typed", async () => {
    await runCli(place, ["chat"], { stdin: "hello\n" });
    expect(existsSync(join(place.home, ".jlgcli/chat-history.ndjson"))).toBe(false);
    await runCli(place, ["chat", "a", "prompt"]);
    expect(readFileSync(join(place.home, ".jlgcli/chat-history.ndjson"), "utf8")).toBe('{"text":"a prompt"}\n');
  });
});

describe("conversations that are kept", () => {
  it("go on by the beginning of their id, or the newest of the directory", async () => {
    await runCli(place, ["chat", "hello"]);
    await runCli(place, ["chat", "other"]);
    const [newest, oldest] = await list();
    expect([newest?.["title"], oldest?.["title"]]).toEqual(["other", "hello"]);
    const resumed = await runCli(place, ["chat", "--resume", String(oldest?.["id"]).slice(0, 12), "again"]);
    expect(resumed.stdout).toBe("goes on with session-1\n");
    expect((await list())[0]).toMatchObject({ title: "hello" });
    const continued = await runCli(place, ["chat", "--continue"], { stdin: "again\n" });
    expect(continued.stdout).toBe("goes on with session-1\n");
    expect(await list()).toHaveLength(2);
  });

  it("are listed as a table, and forgotten", async () => {
    await runCli(place, ["chat", "hello"]);
    const [kept] = await list();
    const id = String(kept?.["id"]);
    expect((await runCli(place, ["chat", "--list"])).stdout).toContain(`${id}  hello`);
    expect(await runCli(place, ["chat", "--list", "--cwd", "/"])).toMatchObject({ exitCode: 0, stdout: "", stderr: "jlgcli: no conversation is kept of /: `jlgcli chat --list` shows those of all directories\n" });
    expect(await runCli(place, ["chat", "--forget", id])).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await runCli(place, ["chat", "--forget", id])).toMatchObject({ exitCode: 66 });
    expect(await list()).toEqual([]);
  });

  it("are not chosen where several ids begin as it was given", async () => {
    const ids = ["aaaa-1", "aaaa-2"];
    mkdirSync(join(place.home, ".jlgcli/conversations"), { recursive: true });
    await runCli(place, ["chat", "hello"]);
    const [kept] = await list();
    const text = readFileSync(join(place.home, ".jlgcli/conversations", `${String(kept?.["id"])}.ndjson`), "utf8");
    for (const id of ids) writeFileSync(join(place.home, ".jlgcli/conversations", `${id}.ndjson`), text.replaceAll(String(kept?.["id"]), id));
    const ended = await runCli(place, ["chat", "--forget", "aaaa"]);
    expect(ended).toMatchObject({ exitCode: 64, stdout: "" });
    for (const id of ids) expect(ended.stderr).toContain(id);
    expect(await list()).toHaveLength(3);
    expect(await runCli(place, ["chat", "--forget", "aaaa-1"])).toMatchObject({ exitCode: 0 });
  });

  it.each([
    { args: ["--resume", "nope"], exitCode: 66, told: 'no conversation has the id "nope"' },
    { args: ["--continue"], exitCode: 66, told: "no conversation is kept of" },
    { args: ["--cwd", "/nowhere"], exitCode: 66, told: "there is no directory /nowhere" },
    { args: ["--backend", "nonsense"], exitCode: 64, told: "nonsense" },
    { args: ["--backend", "claude,codex"], exitCode: 64, told: "one backend at a time" },
    { args: ["--resume", "x", "--continue"], exitCode: 64, told: "--continue and --resume exclude each other" },
    { args: ["--resume", "x", "--cwd", "."], exitCode: 64, told: "--cwd and --resume exclude each other" },
    { args: ["--list", "--forget", "x"], exitCode: 64, told: "--list and --forget exclude each other" },
    { args: ["--json"], exitCode: 64, told: "--json goes with --list alone" },
    { args: ["--list", "word"], exitCode: 64, told: "--list takes no prompt" },
    { args: ["--lst"], exitCode: 64, told: "jlgcli: unknown option '--lst'\n  did you mean --list? see jlgcli chat --help\n" },
    { args: ["--timeout", "soon"], exitCode: 64, told: "--timeout" },
    { args: [], exitCode: 64, told: "standard input is empty" },
  ])("answers $args with $exitCode", async ({ args, exitCode, told }) => {
    const ended = await runCli(place, ["chat", ...args]);
    expect(ended.stderr).toContain(told);
    expect(ended).toMatchObject({ exitCode, stdout: "" });
  });
});
