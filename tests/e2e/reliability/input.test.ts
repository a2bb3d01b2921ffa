import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, FIXTURES, parseObject, runCli, runForResult, type Place } from "../support/cli.js";
import { createAgentPlace, endsOf } from "./agent-place.js";
import type { Step } from "./faults.js";

let place: Place | undefined;

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const ECHO: Step = { echo: { type: "item.completed", item: { id: "i", type: "agent_message", text: "heard: PROMPT" } } };
const DONE: Step = { record: { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } } };
const withEcho = (): Place => (place = createAgentPlace([ECHO, DONE]));

function runInShell(here: Place, script: string) {
  return spawnSync("bash", ["-c", script.replaceAll("JLGCLI", `'${process.execPath}' '${CLI}'`)], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 });
}

describe("standard input", () => {
  it("is left to a `while read` loop around us", () => {
    const shell = runInShell(withEcho(), `printf '%s\\n' one two three | while read -r word; do JLGCLI run -q --backend codex "$word" || exit 9; done`);
    expect(shell).toMatchObject({ status: endsOf("while-read"), stdout: "heard: one\nheard: two\nheard: three\n", stderr: "" });
  });

  it("is left alone when it is a pipe that nobody closes", async () => {
    const ended = await runCli(withEcho(), ["run", "-q", "--backend", "codex", "hello"], { stdin: null });
    expect(ended).toMatchObject({ exitCode: endsOf("idle-pipe"), stdout: "heard: hello\n", stderr: "" });
  });

  it("may be closed", () => {
    expect(runInShell(withEcho(), "JLGCLI run -q --backend codex hello <&-")).toMatchObject({ status: endsOf("closed-stdin"), stdout: "heard: hello\n", stderr: "" });
  });

  it("closed, and no prompt, is 64", () => {
    expect(runInShell(withEcho(), "JLGCLI run --backend codex <&-")).toMatchObject({ status: 64, stdout: "" });
  });

  it("that is a terminal, and no prompt, is 64", (context) => {
    if (spawnSync("script", ["--version"]).status !== 0) context.skip("script(1) is not installed");
    const here = withEcho();
    const shell = runInShell(here, `script -qec "JLGCLI run --backend codex; echo code \\$?" /dev/null </dev/null`);
    expect(shell.stdout).toContain(`code ${endsOf("terminal-stdin")}`);
    expect(shell.stdout).toContain("there is no prompt");
  });

  it("says once that it waits when nothing comes", async () => {
    const ended = await runCli(withEcho(), ["run", "--backend", "codex"], {
      stdin: null,
      onStart: (child) => void setTimeout(() => child.stdin.end("late"), 4500),
    });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "heard: late\n" });
    expect(ended.stderr.match(/waiting for standard input to end/g)).toHaveLength(1);
  });

  it("carries 10 MiB", async () => {
    const prompt = `${"line of the prompt\n".repeat(Math.ceil((10 * 1024 * 1024) / 19))}end`;
    const ended = await runCli(withEcho(), ["run", "--backend", "codex"], { stdin: prompt });
    expect(ended.exitCode).toBe(endsOf("prompt-10-mib"));
    expect(ended.stdout === `heard: ${prompt}\n`).toBe(true);
  });
});

/** A backend of the user's own that takes its prompt as the last argument. */
function withArgumentBackend(separator?: string): { here: Place; log: string } {
  const log = "log.json";
  const here = (place = createAgentPlace([]));
  const file = join(here.home, log);
  writeFileSync(join(here.home, "script.json"), JSON.stringify([{ log: file }, { out: "answer\n" }]));
  symlinkSync(join(FIXTURES, "bin/agent.mjs"), join(here.bin, "mine"));
  mkdirSync(join(here.home, ".jlgcli/backends"), { recursive: true });
  const traits = {
    executorId: "mine",
    command: "mine",
    args: ["--ask"],
    promptDelivery: "argument",
    ...(separator === undefined ? {} : { promptArgSeparator: separator }),
    output: { payload: "text", resultPath: ["text"] },
  };
  writeFileSync(join(here.home, ".jlgcli/backends/mine.json"), JSON.stringify({ id: "mine", displayName: "Mine", traits }));
  return { here, log: file };
}

const lastArgument = (log: string): unknown => {
  const { argv } = parseObject(readFileSync(log, "utf8"));
  return Array.isArray(argv) ? argv.at(-1) : undefined;
};

describe("a prompt as an argument", () => {
  it("may have 131,071 bytes", async () => {
    const { here, log } = withArgumentBackend();
    const prompt = `é${"x".repeat(131_069)}`;
    const ended = await runCli(here, ["run", "--backend", "mine"], { stdin: prompt });
    expect(ended, ended.stderr).toMatchObject({ exitCode: endsOf("prompt-argument-limit"), stdout: "answer\n" });
    expect(lastArgument(log) === prompt).toBe(true);
  });

  it("is refused with 65 at 131,072 bytes, before anything is started, and never as a missing program", async () => {
    const { here, log } = withArgumentBackend();
    writeFileSync(join(here.cwd, "prompt.md"), `é${"x".repeat(131_070)}`);
    const { result, exitCode } = await runForResult(here, ["--backend", "mine", "--file", "prompt.md"]);
    expect(exitCode).toBe(endsOf("prompt-argument-too-long"));
    expect(result).toMatchObject({ status: "invalid-data", exitCode });
    expect(result["text"]).toContain("131072 bytes");
    expect(() => readFileSync(log)).toThrow();
  });

  const AWKWARD = ["-v", "--help", "---\ntitle: x\n---", "line one\nline two\r\nline three", `'single' "double" \`back\` $HOME $(id) \\ %PATH% !x`, "/word", "*", "naïve “日本” 🎉"];

  it.each(AWKWARD)("arrives as it is, by argument: %j", async (prompt) => {
    const { here, log } = withArgumentBackend("--");
    expect(await runCli(here, ["run", "--literal", "--backend", "mine", "--", prompt])).toMatchObject({ exitCode: endsOf("prompt-awkward"), stdout: "answer\n" });
    expect(lastArgument(log)).toBe(prompt);
  });

  it.each(AWKWARD)("arrives as it is, by stdin: %j", async (prompt) => {
    expect(await runCli(withEcho(), ["run", "--literal", "--backend", "codex", "--", prompt])).toMatchObject({ exitCode: 0, stdout: `heard: ${prompt}\n` });
  });
});
