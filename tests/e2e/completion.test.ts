import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIXTURES, createPlace, runCli, type Place } from "./support/cli.js";

let place: Place;

beforeAll(async () => {
  place = createPlace();
  for (const shell of ["bash", "zsh", "fish"]) {
    const printed = await runCli(place, ["completion", shell]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    writeFileSync(scriptOf(shell), printed.stdout);
  }
  mkdirSync(join(place.cwd, "a folder"));
  writeFileSync(join(place.cwd, "a file.md"), "");
});

afterAll(() => place.cleanUp());

/** The words of a line, the last one being typed, and what every shell has to offer for it. */
const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["ru", ["run", "runs"]],
  ["b", ["backends"]],
  ["backends ", ["check"]],
  ["config g", ["get"]],
  ["config get idle", ["idleTimeout"]],
  ["config set back", ["backend", "backends", "backendArgs"]],
  ["completion ", ["bash", "zsh", "fish"]],
  ["help do", ["doctor"]],
  ["config help pa", ["path"]],
  ["run --sys", ["--system-prompt"]],
  ["run hello --model x --strict-p", ["--strict-permissions"]],
  ["run --model ru --access re", ["read-only"]],
  ["run -b c", ["copilot", "codex", "claude"]],
  ["run --backend re", ["replay"]],
  ["run --output ", ["text", "json", "stream-json"]],
  ["run -m ", []],
  ["run --file a", ["a file.md", "a folder"]],
  ["run -C a", ["a folder"]],
  ["backends check a", ["a file.md", "a folder"]],
  ["trust a", ["a folder"]],
  ["doctor --re", ["--report"]],
  ["config unset --p", ["--project"]],
];

describe.skipIf(!isInstalled("bash"))(`completion in bash${isInstalled("bash") ? "" : " (skipped: bash is not installed)"}`, () => {
  it.each(CASES)("of 'jlgcli %s' offers %j", (line, offered) => {
    expect(completeInBash(line.split(" "))).toEqual(sorted(offered));
  });

  it.each([
    ["three words, as bash makes of it", ["run", "--access", "=", "wo"], ["workspace-write"]],
    ["three words, the value still empty", ["run", "--access", "="], ["full", "read-only", "workspace-write"]],
    ["one word, where '=' does not break words", ["run", "--access=wo"], ["--access=workspace-write"]],
  ])("takes --option=value for %s", (_how, words, offered) => {
    expect(completeInBash(words)).toEqual(offered);
  });

  it("goes on after an option that had its value by '='", () => {
    expect(completeInBash(["run", "--access", "=", "full", "--js"])).toEqual(["--json"]);
  });

  it("offers no options where the words are the prompt's", () => {
    expect(completeInBash(["run", "--", "--ac"])).toEqual([]);
  });
});

/** zsh makes one word of --option=value. */
const ZSH_CASES: typeof CASES = [...CASES, ["run --access=wo", ["workspace-write"]], ["run hello --js", ["--json"]]];

describe.skipIf(!isInstalled("zsh"))(`completion in zsh${isInstalled("zsh") ? "" : " (skipped: zsh is not installed)"}`, () => {
  let answers: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    answers = completeInZsh(ZSH_CASES.map(([line]) => line));
  });

  it.each(ZSH_CASES)("of 'jlgcli %s' offers %j", (line, offered) => {
    expect(answers.get(line)).toEqual(sorted(offered));
  });
});

describe.skipIf(!isInstalled("fish"))(`completion in fish${isInstalled("fish") ? "" : " (skipped: fish is not installed)"}`, () => {
  it.each(CASES)("of 'jlgcli %s' offers %j", (line, offered) => {
    expect(completeInFish(line)).toEqual(sorted(offered));
  });

  it("completes the value of --option=value", () => {
    expect(completeInFish("run --access=wo")).toEqual(["--access=workspace-write"]);
  });
});

describe("completion of an unknown shell", () => {
  it("is 64 and names the shells", async () => {
    expect(await runCli(place, ["completion", "tcsh"])).toMatchObject({ exitCode: 64, stdout: "", stderr: expect.stringContaining("expected bash, zsh, fish") as string });
  });
});

function scriptOf(shell: string): string {
  return join(place.home, `completion.${shell}`);
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

function completeInBash(words: readonly string[]): readonly string[] {
  return sorted(toLines(run("bash", ["--noprofile", "--norc", join(FIXTURES, "shells/complete.bash"), scriptOf("bash"), ...words])));
}

/** One interactive shell for all lines, since it takes a second to start. */
function completeInZsh(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const script = join(FIXTURES, "shells/complete.zsh");
  const printed = run("zsh", ["-f", script, scriptOf("zsh"), join(place.home, "notes"), ...lines.map((line) => `jlgcli ${line}`)]);
  const answers = printed.split("(end)\n");
  // What is not written as it would stand in the line is the same word again.
  return new Map(lines.map((line, index) => [line, sorted(new Set(toLines(answers[index] ?? "(no answer)").map((word) => word.replaceAll("\\ ", " "))))]));
}

/** It prints a word, a tab and a description. */
function completeInFish(line: string): readonly string[] {
  const lines = toLines(run("fish", ["--no-config", "-c", `source ${scriptOf("fish")}; complete -C 'jlgcli ${line}'`]));
  return sorted(lines.map((each) => (each.split("\t")[0] ?? "").replaceAll("\\ ", " ").replace(/\/$/, "")));
}

function run(shell: string, args: readonly string[]): string {
  const ended = spawnSync(shell, args, { cwd: place.cwd, env: place.env, encoding: "utf8", timeout: 60_000, stdio: ["ignore", "pipe", "pipe"] });
  expect(ended.error).toBeUndefined();
  return ended.stdout;
}

/** A folder may end with a slash. */
function toLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "").map((line) => line.replace(/\/$/, ""));
}

function sorted(words: Iterable<string>): readonly string[] {
  return [...words].sort();
}
