import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { assertPublished } from "../support/published-schemas.js";
import { createPlace, createPlaceWithCodex, parseObject, runCli, runForResult, type Place } from "./support/cli.js";

let place: Place | undefined;
const withCodex = (scenario = "success", env: Record<string, string> = {}): Place => (place = createPlaceWithCodex(scenario, env));
const FILES = ["cassette.ndjson", "meta.json", "result.json", "transcript.ndjson"];

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

function listRuns(runs: string): string[] {
  return existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith(".")) : [];
}

/** The folder of the one run in there. */
function onlyRun(runs: string): string {
  const names = listRuns(runs);
  expect(names).toHaveLength(1);
  return join(runs, names[0] ?? "");
}

const readJson = (...path: readonly string[]): Record<string, unknown> => parseObject(readFileSync(join(...path), "utf8"));
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("--artifacts", () => {
  it("keeps a run in a private folder of its own, which git does not see", async () => {
    const here = withCodex();
    const { result, stderr } = await runForResult(here, ["--backend", "codex", "hello", "--artifacts"]);
    const runs = join(here.cwd, ".jlgcli/runs");
    const folder = onlyRun(runs);
    expect(folder).toBe(join(runs, String(result["runId"])));
    expect(readdirSync(folder).sort()).toEqual(FILES);
    expect([modeOf(folder), ...FILES.map((name) => modeOf(join(folder, name)))]).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    expect(readFileSync(join(runs, ".gitignore"), "utf8")).toBe("*\n");
    expect(readJson(folder, "result.json")).toEqual(result);
    expect(readJson(folder, "meta.json")).toMatchObject({ prompt: "hello", backend: "codex", access: "read-only", status: "success", exitCode: 0, cwd: here.cwd });
    expect(stderr).toContain(folder);
  });

  it("writes the very events of stream-json, which the published schema knows", async () => {
    const here = withCodex();
    const { stdout } = await runCli(here, ["run", "--output", "stream-json", "--backend", "codex", "--artifacts=kept", "hello"]);
    const transcript = readFileSync(join(onlyRun(join(here.cwd, "kept")), "transcript.ndjson"), "utf8");
    expect(transcript).toBe(stdout);
    for (const line of transcript.trimEnd().split("\n")) assertPublished("events", JSON.parse(line));
    expect(existsSync(join(here.cwd, "kept/.gitignore"))).toBe(false);
  });

  it("uses the root of the git repository, and leaves what else lies in .jlgcli to git", async () => {
    const here = withCodex();
    mkdirSync(join(here.cwd, ".git"));
    mkdirSync(join(here.cwd, "sub"));
    mkdirSync(join(here.cwd, ".jlgcli/commands"), { recursive: true });
    await runCli({ ...here, cwd: join(here.cwd, "sub") }, ["run", "--backend", "codex", "hello", "--artifacts"]);
    expect(listRuns(join(here.cwd, ".jlgcli/runs"))).toHaveLength(1);
    expect(existsSync(join(here.cwd, ".jlgcli/.gitignore"))).toBe(false);
  });

  it("keeps no secret and nothing of the environment", async () => {
    const secret = "sekret-0123456789abcdef";
    const here = withCodex("secret", { MY_API_KEY: secret, HARMLESS: "harmless-marker" });
    const { result } = await runForResult(here, ["--backend", "codex", `use ${secret}`, "--artifacts"]);
    expect(result["text"]).toContain(secret);
    const folder = onlyRun(join(here.cwd, ".jlgcli/runs"));
    for (const name of FILES) {
      const text = readFileSync(join(folder, name), "utf8");
      expect(text, name).not.toContain(secret);
      expect(text, name).not.toContain("harmless-marker");
      for (const line of name.endsWith(".json") ? [text] : text.trimEnd().split("\n")) expect(() => parseObject(line)).not.toThrow();
    }
    expect(readFileSync(join(folder, "transcript.ndjson"), "utf8")).toContain("[redacted:");
  });

  it("keeps a failed run too", async () => {
    const here = withCodex("turn-failed");
    const { exitCode } = await runForResult(here, ["--backend", "codex", "hello", "--artifacts"]);
    expect(exitCode).toBe(69);
    const folder = onlyRun(join(here.cwd, ".jlgcli/runs"));
    expect(readJson(folder, "result.json")).toMatchObject({ status: "unavailable" });
    expect(readJson(folder, "meta.json")).toMatchObject({ exitCode: 69, status: "unavailable" });
  });

  it("shows what was there when jlgcli was killed", async () => {
    const here = withCodex("tool-then-hang");
    await runCli(here, ["run", "--output", "stream-json", "--backend", "codex", "hello", "--artifacts"], {
      onStart: (child) => child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), 500)),
    });
    const folder = onlyRun(join(here.cwd, ".jlgcli/runs"));
    expect(parseObject(readFileSync(join(folder, "transcript.ndjson"), "utf8").split("\n")[0] ?? "")).toMatchObject({ type: "start" });
    expect(readJson(folder, "meta.json")).toMatchObject({ endedAt: null, prompt: "hello", status: null });
    expect((await runCli(here, ["runs", "list"])).stdout).toContain("unfinished");
    // Ends what the killed run has left behind.
    here.env["FAKE_SCENARIO"] = "success";
    await runCli(here, ["run", "--backend", "codex", "hello"]);
  });

  it("also has the recording that --record asks for", async () => {
    const here = withCodex();
    await runCli(here, ["run", "--backend", "codex", "hello", "--artifacts", "--record", "run.ndjson"]);
    expect(readFileSync(join(onlyRun(join(here.cwd, ".jlgcli/runs")), "cassette.ndjson"), "utf8")).toBe(readFileSync(join(here.cwd, "run.ndjson"), "utf8"));
  });

  it("is 73 before anything is spawned where no folder can be made", async () => {
    const here = withCodex();
    const log = join(here.home, "log.json");
    here.env["FAKE_LOG"] = log;
    writeFileSync(join(here.cwd, ".jlgcli"), "a file");
    const { result, exitCode } = await runForResult(here, ["--backend", "codex", "hello", "--artifacts"]);
    expect(result).toMatchObject({ status: "cannot-create", exitCode: 73 });
    expect(exitCode).toBe(73);
    expect(existsSync(log)).toBe(false);
  });

  it("is 73 where the folder goes away in the run, and loses nothing else", async () => {
    const here = createPlace({ CODEX_API_KEY: "test-key" });
    place = here;
    here.install("codex", `#!/bin/sh\ncat >/dev/null\nrm -rf .jlgcli\n${CODEX_ANSWER}`);
    const shown = await runCli(here, ["run", "--backend", "codex", "hello", "--artifacts"]);
    expect(shown).toMatchObject({ exitCode: 73, stdout: "the answer\n" });
    expect(shown.stderr).toContain(".jlgcli/runs/");
    const { result } = await runForResult(here, ["--backend", "codex", "hello", "--artifacts"]);
    expect(result).toMatchObject({ status: "cannot-create", exitCode: 73, partialText: "the answer", sessionId: "thread-1" });
  });

  it("makes no working directory that is not there", async () => {
    const here = withCodex();
    const { exitCode } = await runForResult(here, ["--backend", "codex", "--cwd", "missing", "hello", "--artifacts"]);
    expect(exitCode).toBe(66);
    expect(existsSync(join(here.cwd, "missing"))).toBe(false);
  });

  it("tells someone whose prompt it took for its folder", async () => {
    const ended = await runCli(withCodex(), ["run", "--backend", "codex", "--artifacts", "fix the test"]);
    expect(ended.exitCode).toBe(64);
    expect(ended.stderr).toContain('"fix the test" was taken for the folder of --artifacts');
  });
});

const CODEX_ANSWER = [
  { type: "thread.started", thread_id: "thread-1" },
  { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "the answer" } },
  { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0 } },
]
  .map((record) => `echo '${JSON.stringify(record)}'\n`)
  .join("");

describe("jlgcli runs", () => {
  async function keepRuns(here: Place, prompts: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const prompt of prompts) ids.push(String((await runForResult(here, ["--backend", "codex", "--literal", prompt, "--artifacts"])).result["runId"]));
    return ids;
  }

  it("lists, shows and plays what was kept", async () => {
    const here = withCodex();
    const [first = "", second = ""] = await keepRuns(here, ["/first", "second"]);
    const list = await runCli(here, ["runs", "list"]);
    expect(list.stdout.split("\n").map((line) => line.split(/ +/)[0])).toEqual(["RUN", second.slice(0, 8), first.slice(0, 8), ""]);
    const listed: unknown = JSON.parse((await runCli(here, ["runs", "list", "--json"])).stdout);
    expect(listed).toMatchObject([{ runId: second, status: "success" }, { runId: first }]);

    const shown = await runCli(here, ["runs", "show", first.slice(0, 8)]);
    expect(shown.stdout).toContain("Prompt:\n/first\n");
    expect(shown.stdout).toContain("Answer:\nheard: /first\n");
    expect(parseObject((await runCli(here, ["runs", "show", "last", "--json"])).stdout)).toMatchObject({ meta: { runId: second }, result: { text: "heard: second" } });
    const transcript = (await runCli(here, ["runs", "show", "last", "--transcript"])).stdout.trimEnd().split("\n").map(parseObject);
    expect(transcript.map((event) => event["type"])).toEqual(["start", "agent_message_chunk", "usage_update", "result"]);

    here.env["FAKE_SCENARIO"] = "turn-failed";
    const played = await runCli(here, ["runs", "replay", first, "--json"]);
    expect(parseObject(played.stdout)).toMatchObject({ status: "success", text: "heard: /first", simulated: true, backend: "replay" });
  });

  it("plays the recording of a recording", async () => {
    const here = withCodex();
    await keepRuns(here, ["hello"]);
    const cassette = join(onlyRun(join(here.cwd, ".jlgcli/runs")), "cassette.ndjson");
    await runCli(here, ["run", "--backend", "replay", "--cassette", cassette, "again", "--artifacts=again"]);
    const played = await runCli(here, ["runs", "replay", "last", "--dir", "again"]);
    expect(played).toMatchObject({ exitCode: 0, stdout: "heard: hello\n" });
  });

  it("says what is not there", async () => {
    const here = withCodex();
    expect(await runCli(here, ["runs", "list"])).toMatchObject({ exitCode: 0, stdout: "no runs are kept here\n" });
    expect(await runCli(here, ["runs", "show", "last"])).toMatchObject({ exitCode: 66, stdout: "" });
    await runForResult(here, ["--backend", "claude", "hi", "--artifacts"]);
    const replay = await runCli(here, ["runs", "replay", "last"]);
    expect(replay.exitCode).toBe(66);
    expect(replay.stderr).toContain("has no cassette.ndjson");
  });

  it("removes the oldest, and nothing that is no run", async () => {
    const here = withCodex();
    const runs = join(here.cwd, ".jlgcli/runs");
    const [first = "", second = ""] = await keepRuns(here, ["1", "2", "3"]);
    mkdirSync(join(runs, "mine"));
    mkdirSync(join(here.home, "elsewhere"));
    symlinkSync(join(here.home, "elsewhere"), join(runs, "link"));
    age(join(runs, first), 40);
    age(join(runs, second), 35);

    const dry = await runCli(here, ["runs", "prune", "--older-than", "30d", "--dry-run"]);
    expect(dry.stdout).toBe("would remove 2 run(s), keep 1\n");
    const pruned = await runCli(here, ["runs", "prune", "--older-than", "30d", "--keep", "2", "--json"]);
    expect(parseObject(pruned.stdout)).toEqual({ removed: [first], kept: 2, dryRun: false });
    expect((await runCli(here, ["runs", "prune", "--keep", "0"])).stdout).toBe("removed 2 run(s), kept 0\n");
    expect(listRuns(runs).sort()).toEqual(["link", "mine"]);
    expect(existsSync(join(here.home, "elsewhere"))).toBe(true);
  });

  it("does not remove a run that may still be going on", async () => {
    const here = withCodex();
    const [id = ""] = await keepRuns(here, ["1"]);
    const meta = join(here.cwd, ".jlgcli/runs", id, "meta.json");
    writeFileSync(meta, JSON.stringify({ ...readJson(meta), endedAt: null }));
    expect((await runCli(here, ["runs", "prune", "--keep", "0"])).stdout).toBe("removed 0 run(s), kept 1\n");
  });

  it.each([[["prune"]], [["prune", "--keep", "few"]], [["prune", "--older-than", "long"]], [["show"]]])("refuses %j with 64", async (args) => {
    expect(await runCli(withCodex(), ["runs", ...args])).toMatchObject({ exitCode: 64, stdout: "" });
  });
});

/** Makes a run older. */
function age(folder: string, days: number): void {
  const startedAt = new Date(Date.now() - days * 86_400_000).toISOString();
  writeFileSync(join(folder, "meta.json"), JSON.stringify({ ...readJson(folder, "meta.json"), startedAt }));
}
