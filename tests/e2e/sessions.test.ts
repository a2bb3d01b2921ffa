import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, parseObject, runCli, runForResult, type Place } from "./support/cli.js";
import { createCountingPlace, type CountingPlace } from "./support/counting-codex.js";

let place: Place | undefined;

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

function withCodex(...answers: readonly string[]): CountingPlace {
  const created = createCountingPlace(answers.length === 0 ? ["hello"] : answers);
  place = created;
  return created;
}

const CODEX = ["--backend", "codex"];

/** The id that the last run of the backend was told to go on with; null where it was to begin anew. */
function findResumed(here: CountingPlace): string | null {
  const argv = here.runs().at(-1)?.argv ?? [];
  return argv.includes("resume") ? (argv[argv.indexOf("resume") + 1] ?? null) : null;
}

async function listSessions(here: Place): Promise<readonly Record<string, unknown>[]> {
  const value: unknown = JSON.parse((await runCli(here, ["sessions", "list", "--json"])).stdout);
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value.map((item) => parseObject(JSON.stringify(item)));
}

describe("--continue", () => {
  it("goes on in the session that was used last in this directory", async () => {
    const here = withCodex();
    mkdirSync(join(here.cwd, "elsewhere"));
    await runForResult(here, [...CODEX, "the first question"]);
    await runForResult(here, [...CODEX, "the second question"]);
    await runForResult(here, [...CODEX, "--cwd", "elsewhere", "another place"]);
    const { result } = await runForResult(here, [...CODEX, "--continue", "and then?"]);
    expect(result).toMatchObject({ exitCode: 0, sessionId: "thread-2" });
    expect(findResumed(here)).toBe("thread-2");
    // The first one is the newest now.
    await runForResult(here, [...CODEX, "--resume", "thread-1", "back to the first"]);
    await runForResult(here, [...CODEX, "--continue", "go on"]);
    expect(findResumed(here)).toBe("thread-1");
  });

  it("is 66 where there is no session, and nothing is run", async () => {
    const here = withCodex();
    const { result } = await runForResult(here, [...CODEX, "--continue", "and then?"]);
    expect(result).toMatchObject({ exitCode: 66, status: "no-input" });
    expect(result["text"]).toContain("there is no session of 'codex'");
    expect(here.runs()).toEqual([]);
  });

  it("excludes --resume", async () => {
    expect((await runForResult(withCodex(), [...CODEX, "--continue", "--resume", "x", "hi"])).result).toMatchObject({ exitCode: 64, status: "usage" });
  });

  it("is 66 where the backend does not know the session any more", async () => {
    const here = withCodex();
    const { result } = await runForResult(here, [...CODEX, "--resume", "thread-99", "hi"]);
    expect(result).toMatchObject({ exitCode: 66, status: "no-input", reason: "session-not-found" });
  });

  it("is shown by --dry-run", async () => {
    const here = withCodex();
    await runForResult(here, [...CODEX, "hi"]);
    expect((await runCli(here, ["run", ...CODEX, "--continue", "--dry-run", "more"])).stdout).toContain("resume thread-1");
    expect(here.runs()).toHaveLength(1);
  });
});

describe("jlgcli sessions", () => {
  it("lists what runs and loops have used, and forgets it", async () => {
    const here = withCodex("hello", "DONE");
    await runForResult(here, [...CODEX, "what does this project do?\nIn detail."]);
    await runCli(here, ["loop", ...CODEX, "fix it"]);
    expect(await listSessions(here)).toMatchObject([
      { backend: "codex", sessionId: "thread-2", cwd: here.cwd, title: "fix it" },
      { backend: "codex", sessionId: "thread-1", cwd: here.cwd, title: "what does this project do?" },
    ]);
    const { stdout } = await runCli(here, ["sessions", "list"]);
    expect(stdout.split("\n")[2]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}codex {4}thread-1 {2}what does this project do\? {2}/);
    expect(await runCli(here, ["sessions", "forget", "thread-9"])).toMatchObject({ exitCode: 66 });
    expect(await runCli(here, ["sessions", "forget"])).toMatchObject({ exitCode: 64 });
    expect(await runCli(here, ["sessions", "forget", "thread-1"])).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await listSessions(here)).toMatchObject([{ sessionId: "thread-2" }]);
    expect(await runCli(here, ["sessions", "forget", "--all"])).toMatchObject({ exitCode: 0 });
    expect(await listSessions(here)).toEqual([]);
  });

  it("loses none of runs at the same time", async () => {
    place = createPlace({ CODEX_API_KEY: "test-key" });
    const here = place;
    // Its thread is its process.
    here.install(
      "codex",
      `#!/bin/sh
printf '%s\\n' '{"type":"thread.started","thread_id":"thread-'$$'"}' '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}' '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
`,
    );
    const runs = await Promise.all(Array.from({ length: 12 }, () => runForResult(here, [...CODEX, "hi"])));
    const ids = runs.map(({ result }) => String(result["sessionId"]));
    expect((await listSessions(here)).map(({ sessionId }) => String(sessionId)).sort()).toEqual(ids.sort());
    expect(new Set(ids).size).toBe(12);
  });

  it("keeps nothing of a recording", async () => {
    place = createPlace();
    await runCli(place, ["run", "--backend", "replay", "hello"]);
    const folder = join(place.home, ".jlgcli/sessions");
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  it("only warns where it cannot be kept", async () => {
    const here = withCodex();
    mkdirSync(join(here.home, ".jlgcli"));
    writeFileSync(join(here.home, ".jlgcli/sessions"), "in the way");
    const ended = await runCli(here, ["run", ...CODEX, "hello"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "hello\n" });
    expect(ended.stderr).toContain("the session of this run is not noted");
    expect(await runCli(here, ["run", "-q", ...CODEX, "hello"])).toMatchObject({ exitCode: 0, stderr: "" });
  });
});
