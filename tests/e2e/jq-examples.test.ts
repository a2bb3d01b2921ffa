import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, createPlaceWithCodex, type Place } from "./support/cli.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** jq itself, compiled to WebAssembly, as a program: the examples run as they stand, wherever the tests do. */
const JQ = `#!/usr/bin/env node
const { raw } = require(${JSON.stringify(createRequire(import.meta.url).resolve("jq-wasm"))});
const words = process.argv.slice(2);
raw(require("node:fs").readFileSync(0, "utf8"), words.find((word) => !word.startsWith("-")), words.filter((word) => word.startsWith("-"))).then(
  (text) => process.stdout.write(text === "" ? "" : text + "\\n"),
  (error) => {
    process.stderr.write(error.message + "\\n");
    process.exitCode = 5;
  },
);
`;

/** Every documented line with jq, and what it prints here. */
const PRINTS: Readonly<Record<string, string | RegExp>> = {
  'jlgcli run --json "list the risky files" | jq -r .text': '{"risk":"low"}',
  'jlgcli run --json "list the risky files" | jq -r \'"\\(.status) after \\(.durationMs / 1000 | floor) s"\'': "success after N s",
  'jlgcli run --json "list the risky files" | jq \'.usage.totalTokens // "unknown"\'': "22",
  'jlgcli run --output stream-json "list the risky files" | jq -r \'select(.type == "tool_call") | .title\'': "touch made",
  'jlgcli run --output stream-json "list the risky files" | jq -rs \'last | .text\'': '{"risk":"low"}',
  'jlgcli run --json "hello" | jq \'{status, model, tokens: .usage.totalTokens}\'': '{\n  "status": "success",\n  "model": null,\n  "tokens": 22\n}',
  'jlgcli loop --json … | jq -r \'.iterations[] | "\\(.iteration) \\(.status) \\(.completion.status // "-")"\'': "1 success done",
  "jlgcli loop --output stream-json … | jq -c 'select(.type == \"result\" and .iterations)'": /^\{"type":"result",.*"iterations":\[\{"iteration":1,.*\}$/,
  "jlgcli chat --list --json | jq -r '.[0].id'": "null",
  "jlgcli usage --json | jq .total.tokens.totalTokens": "null",
  'jlgcli run --schema risk.schema.json "rate the risk of the last commit" | jq -r .risk': "low",
  'jlgcli run --json --schema risk.schema.json "rate the risk of the last commit" | jq .structured': '{\n  "risk": "low"\n}',
  'jlgcli run --json --backend codex,claude "explain the build" | jq -r \'.attempts[]? | "\\(.backend): \\(.status)"\'': "",
};

const EXAMPLES = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => readFileSync(join(root, name), "utf8").match(/^.*\| jq .*$/gm) ?? [])
  .map((line) => line.replace(/\s+#.*$/, "").trim())
  .filter((line) => line.startsWith("jlgcli "));

/** What stands for the dots of an example. */
const ELIDED = '--until true "hello"';

let place: Place | undefined;

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

function runExample(line: string): ReturnType<typeof spawnSync> {
  const here = (place = createPlaceWithCodex("acts-and-says", { FAKE_ANSWER: '{"risk":"low"}', JLGCLI_BACKEND: "codex" }));
  here.install("jq", JQ);
  here.install("jlgcli", `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  writeFileSync(join(here.cwd, "risk.schema.json"), '{"type":"object","required":["risk"]}');
  return spawnSync("bash", ["-c", `set -o pipefail; ${line.replace("…", ELIDED)}`], { cwd: here.cwd, env: here.env, encoding: "utf8", timeout: 25_000 });
}

describe("an example with jq", () => {
  it("stands in the README, and each has what it prints in this test", () => {
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain("| jq ");
    expect([...new Set(EXAMPLES)].filter((line) => !Object.hasOwn(PRINTS, line))).toEqual([]);
    expect(Object.keys(PRINTS).filter((line) => !EXAMPLES.includes(line))).toEqual([]);
  });

  it.each(Object.entries(PRINTS))("%s", (line, printed) => {
    const { stdout, status } = runExample(line);
    const seen = String(stdout).trimEnd().replace(/after \d+ s/, "after N s");
    if (typeof printed === "string") expect(seen).toBe(printed);
    else expect(seen).toMatch(printed);
    expect(status).toBe(0);
  });
});
