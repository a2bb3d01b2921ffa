import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { JWT, TOKENS, noise } from "../../unit/sinks/secret-samples.js";
import { parseObject, runCli, runForResult, type Ended, type Place } from "../support/cli.js";
import { createAgentPlace, endsOf, setSteps } from "./agent-place.js";
import type { Step } from "./faults.js";

let place: Place | undefined;
const withSteps = (steps: readonly Step[], env: Record<string, string> = {}): Place => (place = createAgentPlace(steps, env));

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const says = (text: string): Step => ({ record: { type: "item.completed", item: { id: "i", type: "agent_message", text } } });
const DONE: Step = { record: { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } } };

/** No shape tells it: only its name in the environment does. */
const PLAIN = `correct-horse-${noise(12)}`;
const KEY = TOKENS[0]?.secret ?? "";
const BEARER = noise(40);
const SECRETS = [PLAIN, KEY, BEARER, JWT];
const LEAK = `POST https://user:${PLAIN}@example.com/v1 failed\nauthorization: Bearer ${BEARER}\nx-api-key: ${KEY}\ncookie: session=${JWT}\n`;

function expectNoSecret(ended: Ended): void {
  for (const secret of SECRETS) expect(ended.stdout + ended.stderr).not.toContain(secret);
}

const FAILURES: readonly (readonly [string, readonly Step[]])[] = [
  ["on stderr", [{ err: LEAK }, { exit: 1 }]],
  ["in its failure record", [{ record: { type: "turn.failed", error: { message: LEAK } } }, { exit: 1 }]],
  ["in a retry notice, and ends", [{ record: { type: "error", message: `Reconnecting... 1/5 (${LEAK})` } }, { exit: 1 }]],
];
const HALF_AN_ANSWER: readonly Step[] = [says(LEAK), { record: { type: "turn.failed", error: { message: "broke" } } }];

describe("a backend that fails and prints credentials", () => {
  describe.each(FAILURES)("%s", (_place, steps) => {
    it.each([["--json"], ["--verbose"], ["--quiet"], ["--output", "stream-json"]])("shows none of them with %s", async (...flags) => {
      const ended = await runCli(withSteps(steps, { MY_SERVICE_PASSWORD: PLAIN }), ["run", "--backend", "codex", ...flags, "hello"]);
      expect(ended.exitCode).toBe(endsOf("secret-on-stderr"));
      expect(ended.stdout + ended.stderr).not.toBe("");
      expectNoSecret(ended);
    });
  });

  // With stream-json the pieces of an answer have passed before anyone knows that it fails.
  it.each([["--json"], ["--verbose"], ["--quiet"]])("in half an answer shows none of them with %s", async (...flags) => {
    expectNoSecret(await runCli(withSteps(HALF_AN_ANSWER, { MY_SERVICE_PASSWORD: PLAIN }), ["run", "--backend", "codex", ...flags, "hello"]));
  });

  it("shows that something was taken out, and what", async () => {
    const { result } = await runForResult(withSteps([{ err: `x-api-key: ${KEY}\n` }, { exit: 1 }]), ["--backend", "codex", "hello"]);
    expect(result["text"]).toMatch(/codex exited with code 1: x-api-key: \[redacted:[a-z-]+\]/);
  });

  it("shows no value of a secret that was given with --env", async () => {
    const here = withSteps([{ err: `token ${PLAIN}\n` }, { exit: 1 }]);
    expectNoSecret(await runCli(here, ["run", "--backend", "codex", "--env", `DEPLOY_TOKEN=${PLAIN}`, "--json", "hello"]));
  });

  it("shows none in the last words of a timeout", async () => {
    const here = withSteps([{ err: LEAK }, { hang: true }], { MY_SERVICE_PASSWORD: PLAIN });
    const ended = await runCli(here, ["run", "--backend", "codex", "--idle-timeout", "1s", "--verbose", "hello"]);
    expect(ended.exitCode).toBe(75);
    expectNoSecret(ended);
  });
});

describe("a backend that works with credentials", () => {
  const tool = (type: "item.started" | "item.completed"): Step => ({
    record: { type, item: { id: "t", type: "command_execution", command: `curl -H 'authorization: Bearer ${BEARER}' https://u:${PLAIN}@x.io`, aggregated_output: `key ${KEY}`, status: "completed" } },
  });
  const thought: Step = { record: { type: "item.completed", item: { id: "r", type: "reasoning", text: `I use ${KEY}` } } };

  it.each([["--verbose"], ["--output", "stream-json"]])("shows its commands without them (%s)", async (...flags) => {
    const here = withSteps([tool("item.started"), tool("item.completed"), thought, says("done"), DONE], { MY_SERVICE_PASSWORD: PLAIN });
    const ended = await runCli(here, ["run", "--backend", "codex", ...flags, "hello"]);
    expect(ended.exitCode).toBe(endsOf("secret-in-tools"));
    expect(ended.stdout + ended.stderr).toContain("curl -H");
    expectNoSecret(ended);
    if (flags[1] === "stream-json") for (const line of ended.stdout.trimEnd().split("\n")) parseObject(line);
  });

  it("has its answer passed on as it is", async () => {
    const text = `the key is ${KEY}`;
    const here = withSteps([says(text), DONE]);
    expect(await runCli(here, ["run", "--backend", "codex", "hello"])).toMatchObject({ exitCode: endsOf("secret-in-answer"), stdout: `${text}\n` });
    expect((await runForResult(here, ["--backend", "codex", "hello"])).result["text"]).toBe(text);
  });

  it("is recorded without them, in a file that only its owner reads", async () => {
    const here = withSteps([{ err: LEAK }, tool("item.completed"), says(`the key is ${KEY}`), DONE], { MY_SERVICE_PASSWORD: PLAIN });
    const file = join(here.home, "run.cassette");
    const ended = await runCli(here, ["run", "--backend", "codex", "--record", file, "hello"]);
    expect(ended.exitCode, ended.stderr).toBe(endsOf("secret-in-recording"));
    const recording = readFileSync(file, "utf8");
    expect(recording.length).toBeGreaterThan(200);
    for (const secret of SECRETS) expect(recording).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("what jlgcli says before a run", () => {
  it.each([[], ["--json"]])("shows no credential with --dry-run %s", async (...flags) => {
    const here = withSteps([DONE], { MY_SERVICE_PASSWORD: PLAIN });
    const ended = await runCli(here, ["run", "--backend", "codex", "--dry-run", ...flags, "--env", `DEPLOY_TOKEN=${PLAIN}`, "--env", `X_API_KEY=${KEY}`, `use ${KEY}`]);
    expect(ended.exitCode).toBe(endsOf("secret-in-dry-run"));
    expect(ended.stdout).toContain("codex");
    expectNoSecret(ended);
  });

  it("shows no credential in an error about a flag or the configuration", async () => {
    const here = withSteps([DONE]);
    expectNoSecret(await runCli(here, ["run", "--backend", KEY, "hello"]));
    expectNoSecret(await runCli(here, ["run", "--timeout", KEY, "hello"]));
    here.env["JLGCLI_OUTPUT"] = KEY;
    expectNoSecret(await runCli(here, ["run", "hello"]));
    delete here.env["JLGCLI_OUTPUT"];
    expectNoSecret(await runCli(here, ["run", "--json", `--${KEY}`, "hello"]));
  });
});

describe("a record of a running child", () => {
  it("holds no prompt, no environment and no arguments, in a file that only its owner reads", async () => {
    const here = withSteps([]);
    const copy = join(here.home, "copy");
    here.install("keep.sh", `#!/bin/sh\ncat > /dev/null\ncp -p ${here.home}/.jlgcli/running/* ${copy}\n`);
    here.install("mine", readFileSync(join(here.bin, "keep.sh"), "utf8"));
    setSteps(here, []);
    const { mkdirSync, writeFileSync } = await import("node:fs");
    mkdirSync(join(here.home, ".jlgcli/backends"), { recursive: true });
    const traits = { executorId: "mine", command: "mine", args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: ["text"] } };
    writeFileSync(join(here.home, ".jlgcli/backends/mine.json"), JSON.stringify({ id: "mine", displayName: "Mine", traits }));
    await runCli(here, ["run", "--backend", "mine", `use ${KEY}`]);
    const record = parseObject(readFileSync(copy, "utf8"));
    expect(Object.keys(record).sort()).toEqual(["ownerPid", "ownerStartedAt", "pid", "place", "runId", "startedAt"]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(statSync(join(here.home, ".jlgcli/running")).mode & 0o777).toBe(0o700);
  });
});
