import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, findLeftOvers, parseObject, runCli, type Ended, type RunCliOptions } from "./support/cli.js";
import { createCountingPlace, waitUntil, type CountingPlace, type Step } from "./support/counting-codex.js";

let place: CountingPlace | undefined;
/** `expect` gives `any` for a matcher. */
const containing = (text: string): unknown => expect.stringContaining(text);

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

function withSteps(...steps: readonly Step[]): CountingPlace {
  return (place = createCountingPlace(steps));
}

const LOOP = ["loop", "--backend", "codex"];

function loop(here: CountingPlace, args: readonly string[], options: RunCliOptions = {}): Promise<Ended> {
  return runCli(here, [...LOOP, ...args], options);
}

async function loopForResult(here: CountingPlace, args: readonly string[], options: RunCliOptions = {}): Promise<Ended & { readonly result: Record<string, unknown>; readonly iterations: readonly Record<string, unknown>[] }> {
  const ended = await loop(here, ["--json", ...args], options);
  const result = parseObject(ended.stdout);
  return { ...ended, result, iterations: toList(result["iterations"] ?? []).map((item) => parseObject(JSON.stringify(item))) };
}

function toList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`no list: ${JSON.stringify(value)}`);
  return value;
}

const prompts = (here: CountingPlace): readonly string[] => here.runs().map(({ prompt }) => prompt);

/** The id that a text loop prints when it begins. */
function findLoopId(stderr: string): string {
  return /loop ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? "none";
}

describe("a loop with a marker", () => {
  it("ends when the last line is the marker, with the last answer alone on stdout", async () => {
    const here = withSteps("working on it", "I will say DONE later", "all is well\nDONE\n");
    const ended = await loop(here, ["fix it"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "all is well\nDONE\n" });
    expect(prompts(here)).toEqual(["fix it", "fix it", "fix it"]);
    expect(ended.stderr).toContain("iteration 3 of 4");
    expect(ended.stderr).toContain("done after 3 iterations");
    expect(here.states()).toEqual([]);
  });

  it("never takes the echoed prompt for the answer", async () => {
    const here = withSteps("not yet");
    const { result } = await loopForResult(here, ["--max-iterations", "2", "--marker", "READY", "say\nREADY"]);
    expect(result).toMatchObject({ exitCode: 4, status: "max-iterations", text: "not done after 2 iterations", partialText: "not yet" });
  });

  it("says nothing but the answer when it is quiet", async () => {
    expect(await loop(withSteps("a", "DONE"), ["-q", "fix it"])).toMatchObject({ exitCode: 0, stdout: "DONE\n", stderr: "" });
  });
});

describe("a loop with JSON", () => {
  it("goes on until the status is done, and carries the next step", async () => {
    const here = withSteps('I did {this}. {"status":"continue","summary":"half","next":"do the {rest}"}', 'All.\n```json\n{"status":"done","summary":"whole"}\n```');
    const { result, exitCode, iterations } = await loopForResult(here, ["--completion", "json", "--carry", "next", "fix it"]);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ status: "success", text: containing("All."), sessionId: "thread-2", usage: { totalTokens: 44, inputTokens: 40 }, cost: null });
    expect(iterations).toMatchObject([
      { iteration: 1, status: "success", completion: { status: "continue", summary: "half", next: "do the {rest}" } },
      { iteration: 2, status: "success", completion: { status: "done", summary: "whole", next: null } },
    ]);
    expect(prompts(here)).toEqual(["fix it", "fix it\n\nThe next step, as the previous iteration named it:\n\ndo the {rest}"]);
  });

  it.each([
    ["without any JSON", "all is well", 65, "invalid-data", "no valid JSON object"],
    ["with a status that does not exist", '{"status":"finished"}', 65, "invalid-data", '"finished"'],
    ["with the status error", '{"status":"error","summary":"no network"}', 1, "error", "the answer says that the task failed: no network"],
  ])("ends at once with an answer %s", async (_name, answer, exitCode, status, words) => {
    const here = withSteps(answer);
    const { result } = await loopForResult(here, ["--completion", "json", "fix it"]);
    expect(result).toMatchObject({ exitCode, status, text: containing(words), partialText: answer });
    expect(here.runs()).toHaveLength(1);
  });
});

describe("a loop until a command succeeds", () => {
  it("tells the next iteration what the command printed, and ends when it exits with 0", async () => {
    const here = withSteps("first try", { write: ["sum.mjs", "export const sum = (a, b) => a + b;\n"], say: "fixed" });
    writeFileSync(join(here.cwd, "sum.mjs"), "export const sum = (a, b) => a - b;\n");
    writeFileSync(
      join(here.cwd, "sum.test.mjs"),
      'import { test } from "node:test";\nimport assert from "node:assert";\nimport { sum } from "./sum.mjs";\ntest("sums", () => assert.equal(sum(1, 2), 3));\n',
    );
    const { result, iterations } = await loopForResult(here, ["--until", "node --test --test-reporter=tap sum.test.mjs", "--carry", "check", "make the tests pass"]);
    expect(result).toMatchObject({ exitCode: 0, text: "fixed" });
    expect(iterations).toMatchObject([{ completion: { status: "continue", check: { exitCode: 1, timedOut: false } } }, { completion: { status: "done", check: { exitCode: 0 } } }]);
    expect(prompts(here)[1]).toContain("After the previous iteration the command `node --test --test-reporter=tap sum.test.mjs` ended with exit code 1. The end of its output:");
    expect(prompts(here)[1]).toContain("not ok 1 - sums");
  });

  it("ends the command and all that it started when its own time is over, and goes on", async () => {
    const here = withSteps("one", "two");
    const { result, iterations, durationMs } = await loopForResult(here, ["--max-iterations", "2", "--until", "echo started; setsid sleep 300 & sleep 300", "--until-timeout", "500ms", "fix it"]);
    expect(result).toMatchObject({ exitCode: 4, status: "max-iterations" });
    expect(iterations[0]).toMatchObject({ completion: { status: "continue", check: { exitCode: null, timedOut: true, output: "started\n" } } });
    expect(durationMs).toBeLessThan(30_000);
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("is a mistake where the command cannot be run", async () => {
    const here = withSteps("one");
    const { result } = await loopForResult(here, ["--until", "no-such-command-anywhere", "fix it"]);
    expect(result).toMatchObject({ exitCode: 64, status: "usage", text: containing("no-such-command-anywhere") });
    expect(here.runs()).toHaveLength(1);
  });
});

describe("the limits of a loop", () => {
  it("are 4 iterations by default, and a resumed loop goes on where the limit is raised", async () => {
    const here = withSteps("a", "b", "c", "d", "e", "DONE");
    const first = await loop(here, ["fix it"]);
    expect(first).toMatchObject({ exitCode: 4, stdout: "" });
    expect(first.stderr).toContain("not done after 4 iterations");
    const id = findLoopId(first.stderr);
    expect(first.stderr).toContain(`jlgcli loop --resume ${id}`);
    expect(await runCli(here, ["loop", "--resume", id])).toMatchObject({ exitCode: 4 });
    const second = await runCli(here, ["loop", "--json", "--resume", id, "--max-iterations", "10"]);
    expect(parseObject(second.stdout)).toMatchObject({ exitCode: 0, runId: id, text: "DONE", iterations: { length: 6 } });
    expect(here.runs()).toHaveLength(6);
    expect(prompts(here)).toEqual(Array.from({ length: 6 }, () => "fix it"));
  });

  it("end it when the answers stop changing", async () => {
    const here = withSteps("something else", "nothing to do here", "nothing  to do here\n");
    const { result } = await loopForResult(here, ["--no-progress", "3", "--max-iterations", "9", "fix it"]);
    expect(result).toMatchObject({ exitCode: 5, status: "no-progress", partialText: "nothing  to do here\n" });
    expect(here.runs()).toHaveLength(4);
  });

  it("hold for the time of all iterations together, and nothing is left running", async () => {
    const here = withSteps({ delayMs: 300, say: "one" }, { hang: true });
    const { result, durationMs, iterations } = await loopForResult(here, ["--timeout", "4s", "fix it"]);
    expect(result).toMatchObject({ exitCode: 75, status: "timeout", text: "the loop did not finish within 4 s", partialText: "one" });
    expect(iterations).toMatchObject([{ status: "success" }, { status: "timeout", completion: null }]);
    expect(durationMs).toBeLessThan(25_000);
    expect(findLeftOvers(here)).toEqual([]);
  });

  it("refuse a cost that the backend does not tell, before anything is spawned", async () => {
    const here = withSteps("one");
    expect((await loopForResult(here, ["--max-cost", "1.5", "fix it"])).result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
    expect(here.runs()).toHaveLength(0);
  });

  it("leave each iteration to the budget and the ledger", async () => {
    const here = withSteps("one");
    writeFileSync(join(here.home, ".jlgcli.json"), JSON.stringify({ maxTokens: 40 }));
    const { result } = await loopForResult(here, ["fix it"]);
    expect(result).toMatchObject({ exitCode: 69, status: "rate-limited", text: containing("the budget is used up"), partialText: "one" });
    expect(here.runs()).toHaveLength(2);
    const usage: unknown = JSON.parse((await runCli(here, ["usage", "--json"])).stdout);
    expect(JSON.stringify(usage)).toContain("44");
  });
});

describe("a run that fails", () => {
  it("ends the loop with its own status, and the loop can be resumed", async () => {
    const here = withSteps("one", { fail: "exceeded retry limit, last status: 429 Too Many Requests" });
    const { result } = await loopForResult(here, ["fix it"]);
    expect(result).toMatchObject({ exitCode: 69, status: "rate-limited", reason: "rate-limited", partialText: "one" });
    here.setScript(["one", "DONE"]);
    const again = parseObject((await runCli(here, ["loop", "--json", "--resume", String(result["runId"])])).stdout);
    expect(again).toMatchObject({ exitCode: 0, iterations: [{ iteration: 1, text: "one" }, { iteration: 2, text: "DONE" }] });
    expect(here.runs()).toHaveLength(3);
  });

  it("is told once", async () => {
    const ended = await loop(withSteps({ fail: "the model is at capacity" }), ["fix it"]);
    expect(ended).toMatchObject({ exitCode: 69, stdout: "" });
    expect(ended.stderr.split("the model is at capacity")).toHaveLength(2);
  });
});

describe("an interrupted loop", () => {
  it("goes on after SIGKILL, and what the killed one left behind is ended", async () => {
    const here = withSteps("one", { hang: true });
    const killed = await loop(here, ["--carry", "answer", "--max-iterations", "7", "fix it"], {
      onStart: (child) => void waitUntil(() => here.runs().length === 2).then(() => child.kill("SIGKILL")),
    });
    expect(killed.signal).toBe("SIGKILL");
    const id = findLoopId(killed.stderr);
    const file = join(here.home, ".jlgcli/loops", `${id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(here.states()).toMatchObject([{ loopId: id, prompt: "fix it", iterations: [{ text: "one" }] }]);
    here.setScript(["", "", "three\nDONE"]);
    const resumed = await runCli(here, ["loop", "--resume", id]);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "three\nDONE\n" });
    expect(resumed.stderr).toContain(`loop ${id} goes on after 1 iteration`);
    expect(resumed.stderr).toContain("iteration 2 of 7");
    const carried = "fix it\n\nAnswer of the previous iteration:\n\none";
    expect(prompts(here)).toEqual(["fix it", carried, carried]);
    expect(findLeftOvers(here)).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["SIGINT", "a run", { hang: true }, [], 2],
    ["SIGTERM", "a command", "two", ["--until", "sleep 300"], 1],
  ] as const)("ends cleanly with %s in the middle of %s, and goes on later", async (signal, _what, second, flags, runs) => {
    const here = withSteps("one", second);
    const isInTheMiddle = (): boolean => here.runs().length === runs && (flags.length === 0 || findLeftOvers(here).some((line) => line.includes("sleep 300")));
    const ended = await loop(here, [...flags, "fix it"], { onStart: (child) => void waitUntil(isInTheMiddle).then(() => child.kill(signal)) });
    expect(ended).toMatchObject({ signal, stdout: "" });
    expect(ended.stderr).toContain("to go on: jlgcli loop --resume");
    expect(findLeftOvers(here)).toEqual([]);
    here.setScript(["", "DONE"]);
    const again = await runCli(here, ["loop", "--resume", findLoopId(ended.stderr), ...(flags.length === 0 ? [] : ["--until", "true"])]);
    expect(again.exitCode).toBe(0);
  });

  it("is not resumed while it is at work", async () => {
    const here = withSteps({ hang: true });
    let refused: Ended | undefined;
    const first = loop(here, ["fix it"], {
      onStart: (child) =>
        void waitUntil(() => here.runs().length === 1)
          .then(() => runCli(here, ["loop", "--resume", String(here.states()[0]?.["loopId"])]))
          .then((ended) => (refused = ended))
          .then(() => child.kill("SIGINT")),
    });
    await first;
    expect(refused).toMatchObject({ exitCode: 64, stderr: containing("is at work") });
    expect(here.runs()).toHaveLength(1);
  });

  it.each(["00000000-0000-4000-8000-000000000000", "../../../etc/passwd", ""])("that does not exist (%j) is 66", async (id) => {
    const ended = await runCli(withSteps("DONE"), ["loop", `--resume=${id}`, "--json"]);
    expect(parseObject(ended.stdout)).toMatchObject({ exitCode: 66, status: "no-input" });
  });

  it("keeps no secrets, and asks for them again", async () => {
    const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    const here = withSteps(`the key is ${secret}`);
    const first = await loop(here, ["--env", "TOKEN_X=hush-hush-hush", "--max-iterations", "1", `use ${secret}`]);
    const id = findLoopId(first.stderr);
    const kept = readFileSync(join(here.home, ".jlgcli/loops", `${id}.json`), "utf8");
    for (const word of [secret, "hush-hush-hush"]) expect(kept).not.toContain(word);
    const bare = await runCli(here, ["loop", "--resume", id, "--max-iterations", "2"]);
    expect(bare).toMatchObject({ exitCode: 64, stderr: containing("give again: --env, the prompt") });
    const whole = await runCli(here, ["loop", "--resume", id, "--max-iterations", "2", "--env", "TOKEN_X=hush-hush-hush", `use ${secret}`]);
    expect(whole.exitCode).toBe(4);
    expect(prompts(here)).toEqual([`use ${secret}`, `use ${secret}`]);
  });

  it("goes on without its state where none can be kept", async () => {
    const here = withSteps("one", "DONE");
    mkdirSync(join(here.home, ".jlgcli"));
    writeFileSync(join(here.home, ".jlgcli/loops"), "in the way");
    const ended = await loop(here, ["fix it"]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: "DONE\n", stderr: containing("cannot be gone on with after an interruption") });
  });
});

describe("what an iteration is told", () => {
  it.each([
    [["--instruct"], "go\n\nWhen the whole task is complete, end your answer with a line that holds DONE and nothing else. Until then, never write such a line."],
    [["--until", "test -e made", "--instruct"], "go\n\nThe task is complete when this command exits with 0: test -e made"],
  ])("with %j is the prompt and %j", async (flags, prompt) => {
    const here = withSteps("one");
    await loop(here, ["--max-iterations", "1", ...flags, "go"]);
    expect(prompts(here)).toEqual([prompt]);
  });

  it("with --session comes in one session of the backend", async () => {
    const here = withSteps("one", "two", "DONE");
    const { result } = await loopForResult(here, ["--session", "go"]);
    expect(result).toMatchObject({ exitCode: 0, sessionId: "thread-1" });
    expect(here.runs().map(({ argv }) => argv.slice(argv.indexOf("resume")).filter(() => argv.includes("resume")))).toEqual([[], ["resume", "thread-1", "-"], ["resume", "thread-1", "-"]]);
  });

  it("with --session is refused before anything is spawned where the backend has none", async () => {
    const here = withSteps("one");
    const { result } = await loopForResult(here, ["--backend", "replay", "--session", "go"]);
    expect(result).toMatchObject({ exitCode: 64, status: "backend-unsupported", text: containing("--session") });
  });
});

describe("the output of a loop", () => {
  it("with stream-json is a start and a result for each iteration, and the loop's result last", async () => {
    const { stdout } = await loop(withSteps("one", "DONE"), ["--output", "stream-json", "go"]);
    const events = stdout.trimEnd().split("\n").map(parseObject);
    const isEdge = ({ type }: Record<string, unknown>): boolean => type === "start" || type === "result";
    expect(events.filter(isEdge)).toMatchObject([
      { type: "start", iteration: 1 },
      { type: "result", iteration: 1, text: "one" },
      { type: "start", iteration: 2 },
      { type: "result", iteration: 2, text: "DONE" },
      { type: "result", text: "DONE", iterations: [{ text: "one" }, { text: "DONE" }] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "result", exitCode: 0 });
    expect(events.at(-1)).not.toHaveProperty("iteration");
  });

  it.each([
    [["--completion", "json", "--until", "true", "go"], "exclude each other"],
    [["--completion", "until", "go"], "needs a command"],
    [["--carry", "next", "go"], "--carry next needs --completion json"],
    [["--carry", "check", "go"], "--carry check needs --until"],
    [["--marker", "two\nlines", "go"], "--marker"],
    [["--completion", "json", "--marker", "X", "go"], "--marker means nothing"],
    [["--max-iterations", "0", "go"], "--max-iterations"],
    [["--no-progress", "1", "go"], "--no-progress"],
    [["--max-cost", "free", "go"], "--max-cost"],
    [["--until-timeout", "1m", "go"], "--until-timeout needs --until"],
    [[], "there is no prompt"],
    [["--continue", "go"], "--continue"],
  ])("for %j is a usage error and nothing is run", async (args, words) => {
    const here = withSteps("DONE");
    const ended = await loop(here, ["--json", ...args], args.length === 0 ? {} : { stdin: "" });
    const result = parseObject(ended.stdout);
    expect(result).toMatchObject({ exitCode: 64, status: "usage" });
    if (args.length > 0) expect(result["text"]).toContain(words);
    expect(here.runs()).toEqual([]);
    expect(here.states()).toEqual([]);
  });

  it("of a loop whose backend is missing is that of a run, and no state is kept", async () => {
    const bare = createPlace();
    try {
      chmodSync(bare.cwd, 0o755);
      const ended = await runCli(bare, ["loop", "--json", "go"]);
      expect(parseObject(ended.stdout)).toMatchObject({ exitCode: 2, status: "backend-missing" });
      const folder = join(bare.home, ".jlgcli/loops");
      expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    } finally {
      bare.cleanUp();
    }
  });
});
