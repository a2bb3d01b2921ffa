import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, createPlaceWithClaude, createPlaceWithCodex, parseObject, runCli, runForResult, type Place } from "./support/cli.js";

let place: Place | undefined;
const withClaude = (env: Record<string, string> = {}): Place => (place = createPlaceWithClaude(env));
const withCodex = (scenario = "success", env: Record<string, string> = {}): Place => (place = createPlaceWithCodex(scenario, env));
const ledgerOf = ({ home }: Place): string => join(home, ".jlgcli/usage.ndjson");
const readLedger = (here: Place): Record<string, unknown>[] => (existsSync(ledgerOf(here)) ? readFileSync(ledgerOf(here), "utf8").trimEnd().split("\n").map(parseObject) : []);

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

describe("the usage ledger", () => {
  it("gets one line for each run, good or bad, with null for what is not known", async () => {
    const here = withCodex("rate-limited");
    const { result } = await runForResult(here, ["--backend", "codex", "hi"]);
    here.env["FAKE_SCENARIO"] = "success";
    await runCli(here, ["run", "--backend", "codex", "hi"]);
    expect(readLedger(here)).toMatchObject([
      { backend: "codex", status: "rate-limited", runId: result["runId"], usage: null, cost: null, quota: null, model: null, project: here.cwd },
      { backend: "codex", status: "success", usage: { totalTokens: 22, cacheWriteTokens: null } },
    ]);
    expect(statSync(ledgerOf(here)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["a recording", ["--backend", "replay", "hi"]],
    ["a backend that is not installed", ["--backend", "claude", "hi"]],
    ["a dry run", ["--backend", "codex", "--dry-run", "hi"]],
    ["a mistake", ["--backend", "codex", "--no-such-flag", "hi"]],
  ])("gets no line for %s", async (_what, args) => {
    const here = withCodex();
    await runCli(here, ["run", ...args]);
    expect(readLedger(here)).toEqual([]);
  });

  it.each([
    ["the variable", { JLGCLI_LEDGER: "0" }, {}],
    ["the configuration", {}, { ledger: false }],
  ])("is off with %s", async (_what, env, config) => {
    const here = withCodex("success", env);
    writeFileSync(join(here.home, ".jlgcli.json"), JSON.stringify(config));
    expect((await runCli(here, ["run", "--backend", "codex", "hi"])).exitCode).toBe(0);
    expect(readLedger(here)).toEqual([]);
  });

  it("cannot be switched off by a project that is not trusted", async () => {
    const here = withCodex();
    writeFileSync(join(here.cwd, ".jlgcli.json"), JSON.stringify({ ledger: false }));
    const ended = await runCli(here, ["run", "--backend", "codex", "hi"]);
    expect(ended.stderr).toContain("ledger in");
    expect(readLedger(here)).toHaveLength(1);
  });

  it("only warns when it cannot be written, after the answer", async () => {
    const here = withCodex();
    mkdirSync(ledgerOf(here), { recursive: true });
    const ended = await runCli(here, ["run", "--backend", "codex", "hi"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard: hi\n" });
    expect(ended.stderr).toContain("the usage of this run is not noted");
    expect((await runCli(here, ["run", "-q", "--backend", "codex", "hi"])).stderr).toBe("");
  });

  it("gets one line for each iteration of a loop, whose runs the configured budget stops", async () => {
    const here = withCodex();
    await runCli(here, ["loop", "--backend", "codex", "--max-iterations", "2", "hi"]);
    expect(readLedger(here)).toMatchObject([{ status: "success" }, { status: "success" }]);
    here.env["JLGCLI_MAX_TOKENS"] = "60";
    expect((await runCli(here, ["loop", "--backend", "codex", "--max-iterations", "5", "hi"])).exitCode).toBe(69);
    expect(readLedger(here)).toHaveLength(3);
  });

  it("has every line of ten runs at the same time", async () => {
    const here = withCodex();
    await Promise.all(Array.from({ length: 10 }, () => runCli(here, ["run", "--backend", "codex", "hi"])));
    expect(new Set(readLedger(here).map((line) => line["runId"])).size).toBe(10);
  });
});

describe("jlgcli usage", () => {
  it("adds up what the runs have used, and tells the vendor's limits", async () => {
    const here = withClaude();
    await runCli(here, ["run", "--backend", "claude", "hi"]);
    await runCli(here, ["run", "--backend", "claude", "hi"]);
    const ended = await runCli(here, ["usage", "--since", "1d"]);
    expect(ended.stdout).toContain("2 run(s) since");
    expect(ended.stdout).toMatch(/claude +2 +2 +40 +10 +70 +0\.5000 USD\n/);
    expect(ended.stdout).toContain("five_hour 13 %");
    expect(ended.stdout).not.toContain("█");
    const json = parseObject((await runCli(here, ["usage", "--json", "--by", "model"])).stdout);
    expect(json).toMatchObject({ schemaVersion: 1, by: "model", total: { runs: 2, cost: { USD: 0.5 } }, groups: [{ key: "claude-opus-4-8", runs: 2 }] });
  });

  it("counts lines that cannot be read, and is not stopped by them", async () => {
    const here = withCodex();
    await runCli(here, ["run", "--backend", "codex", "hi"]);
    writeFileSync(ledgerOf(here), `${readFileSync(ledgerOf(here), "utf8")}garbage\n`);
    const ended = await runCli(here, ["usage"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "jlgcli: 1 line(s) of ~/.jlgcli/usage.ndjson cannot be read and are left out\n" });
    expect(ended.stdout).toContain("1 run(s), 1 succeeded: 22 tokens");
  });

  it("says that there is nothing where nothing was run", async () => {
    place = createPlace();
    expect(await runCli(place, ["usage"])).toMatchObject({ exitCode: 0, stdout: "no runs\n", stderr: "" });
  });

  it.each([[["--since", "soon"]], [["--by", "colour"]]])("refuses %j with 64", async (flags) => {
    place = createPlace();
    expect(await runCli(place, ["usage", ...flags])).toMatchObject({ exitCode: 64, stdout: "" });
  });
});

describe("a budget", () => {
  it("refuses the next run with 69, and nothing is spawned", async () => {
    const here = withClaude();
    const args = ["--backend", "claude", "--max-cost", "0.4", "hi"];
    expect((await runForResult(here, args)).exitCode).toBe(0);
    expect((await runForResult(here, args)).exitCode).toBe(0);
    here.env["FAKE_LOG"] = join(here.home, "log.json");
    const { result, exitCode } = await runForResult(here, args);
    expect(result).toMatchObject({ exitCode: 69, status: "rate-limited", backend: "claude" });
    expect(result["text"]).toContain("0.5 of 0.4 USD");
    expect(exitCode).toBe(69);
    expect(existsSync(join(here.home, "log.json"))).toBe(false);
    expect(readLedger(here)).toHaveLength(2);
  });

  it("of tokens holds over all backends, also from the configuration, and a longer window sees more", async () => {
    const here = withCodex();
    writeFileSync(join(here.home, ".jlgcli.json"), JSON.stringify({ maxTokens: 20 }));
    expect((await runForResult(here, ["--backend", "codex", "hi"])).exitCode).toBe(0);
    expect((await runForResult(here, ["--backend", "codex", "hi"])).exitCode).toBe(69);
    expect((await runForResult(here, ["--backend", "codex", "--max-tokens", "23", "hi"])).exitCode).toBe(0);
    writeFileSync(ledgerOf(here), readFileSync(ledgerOf(here), "utf8").replaceAll(/"time":"[^"]+"/g, '"time":"2020-01-01T00:00:00.000Z"'));
    expect((await runForResult(here, ["--backend", "codex", "hi"])).exitCode).toBe(0);
  });

  it("never counts for a recording", async () => {
    const here = withCodex("success", { JLGCLI_MAX_COST: "0.0001", JLGCLI_MAX_TOKENS: "1" });
    expect((await runForResult(here, ["--backend", "replay", "hi"])).exitCode).toBe(0);
  });

  it.each([
    ["--max-cost on a backend that tells no cost", ["--max-cost", "5"], "backend-unsupported", "max-tokens"],
    ["--max-tokens that is no number", ["--max-tokens", "many"], "usage", ""],
    ["--max-tokens 0", ["--max-tokens", "0"], "usage", ""],
    ["a window that is none", ["--max-tokens", "5", "--budget-window", "fortnight"], "usage", ""],
  ])("is refused with 64: %s", async (_what, flags, status, hint) => {
    const { result, exitCode } = await runForResult(withCodex(), ["--backend", "codex", ...flags, "hi"]);
    expect(result).toMatchObject({ status, exitCode: 64 });
    expect(String(result["details"])).toContain(hint);
    expect(exitCode).toBe(64);
  });

  it("needs the ledger", async () => {
    const { exitCode } = await runForResult(withCodex("success", { JLGCLI_LEDGER: "0" }), ["--backend", "codex", "--max-tokens", "5", "hi"]);
    expect(exitCode).toBe(64);
  });
});
