import { describe, expect, it } from "vitest";
import { parsePromptArguments } from "../../../src/slash-commands/mcp/parse-prompt-arguments.js";
import { parseServer, type ServerSurroundings } from "../../../src/slash-commands/mcp/parse-server.js";
import type { ServerSyntax } from "../../../src/slash-commands/mcp/server-files.js";
import type { CommandArgument } from "../../../src/slash-commands/types.js";

const required = (name: string): CommandArgument => ({ name, description: null, required: true });
const optional = (name: string): CommandArgument => ({ name, description: null, required: false });
const AB = [required("a"), required("b"), optional("c")];
const ONE = [required("text"), optional("lang")];

describe("the arguments of a prompt", () => {
  it.each([
    ["--a=1 --b=2", AB, { a: "1", b: "2" }],
    ['--a="one two" --b \'three four\' --c=5', AB, { a: "one two", b: "three four", c: "5" }],
    ['--a="say \\"hi\\" \\\\ there" --b=x', AB, { a: 'say "hi" \\ there', b: "x" }],
    ["--a=x=y --b=--c", AB, { a: "x=y", b: "--c" }],
    ['--a="" --b=', AB, { a: "", b: "" }],
    ["one two", AB, { a: "one", b: "two" }],
    ['"one two" three four', AB, { a: "one two", b: "three", c: "four" }],
    ["--b=2 one  and more", AB, { b: "2", a: "one  and more" }],
    ["--a one --b two", AB, { a: "one", b: "two" }],
    ["--a -1 --b 2", AB, { a: "-1", b: "2" }],
    ["fix the  --verbose flag", ONE, { text: "fix the  --verbose flag" }],
    ["line one\nline two --lang=de", ONE, { text: "line one\nline two", lang: "de" }],
    ['"quoted whole"', ONE, { text: "quoted whole" }],
    ["it's fine", ONE, { text: "it's fine" }],
    ["only optional", [optional("lang")], { lang: "only optional" }],
    ["", [optional("lang")], {}],
    ["", [], {}],
  ])("%j", async (typed, declared, expected) => {
    expect(await parsePromptArguments(typed, declared, "/p")).toEqual(expected);
  });

  it.each([
    ["", AB, "/p: missing arguments --a, --b"],
    ["one", AB, "/p: missing argument --b"],
    ["--a=1 --bb=2 x", AB, "/p has no argument --bb"],
    ["--a=1 --b", AB, "/p: --b has no value"],
    ["1 2 3 4", AB, '/p: nothing takes the argument "4"'],
    ["x", [], '/p: nothing takes the argument "x"'],
  ])("%j is refused", async (typed, declared, message) => {
    await expect(parsePromptArguments(typed, declared, "/p")).rejects.toEqual(expect.objectContaining({ status: "usage", message }));
  });
});

function surroundings(syntax: ServerSyntax): ServerSurroundings {
  return { env: { TOKEN: "t0ken", EMPTY: "" }, cwd: "/repo/dir", workspaceFolder: "/repo", origin: "file", syntax };
}

describe("an entry of a server list", () => {
  const stdio = (fields: Record<string, unknown>): unknown => ({ type: "stdio", args: [], env: {}, cwd: "/repo/dir", ...fields });
  const http = (fields: Record<string, unknown>): unknown => ({ type: "http", headers: {}, ...fields });

  it.each<[ServerSyntax, Record<string, unknown>, unknown]>([
    ["claude", { command: "npx", args: ["-y", "x"], env: { K: "${TOKEN}", D: "${NONE:-d}", E: "${EMPTY:-d}" } }, stdio({ command: "npx", args: ["-y", "x"], env: { K: "t0ken", D: "d", E: "" } })],
    ["claude", { type: "http", url: "https://x.test/mcp", headers: { Authorization: "Bearer ${TOKEN}" } }, http({ url: "https://x.test/mcp", headers: { Authorization: "Bearer t0ken" } })],
    ["claude", { command: "$TOKEN" }, stdio({ command: "$TOKEN" })],
    ["gemini", { command: "$TOKEN", args: ["${TOKEN}"], cwd: "sub" }, stdio({ command: "t0ken", args: ["t0ken"], cwd: "/repo/dir/sub" })],
    ["gemini", { httpUrl: "https://x.test/mcp" }, http({ url: "https://x.test/mcp" })],
    ["vscode", { type: "stdio", command: "${workspaceFolder}/bin/x", env: { K: "${env:TOKEN}" } }, stdio({ command: "/repo/bin/x", env: { K: "t0ken" } })],
    ["codex", { command: "x", env: { K: "${TOKEN}" } }, stdio({ command: "x", env: { K: "${TOKEN}" } })],
    ["codex", { url: "https://x.test/mcp", bearer_token_env_var: "TOKEN", http_headers: { A: "b" }, env_http_headers: { X: "TOKEN" } }, http({ url: "https://x.test/mcp", headers: { A: "b", X: "t0ken", Authorization: "Bearer t0ken" } })],
  ])("of %s: %j", (syntax, entry, transport) => {
    expect(parseServer("s", entry, surroundings(syntax))).toMatchObject({ type: "server", server: { name: "s", origin: "file", transport } });
  });

  it("keeps its own time limit", () => {
    expect(parseServer("s", { command: "x", startup_timeout_sec: 20 }, surroundings("codex"))).toMatchObject({ server: { timeoutMs: 20_000 } });
    expect(parseServer("s", { command: "x", timeout: 5000 }, surroundings("gemini"))).toMatchObject({ server: { timeoutMs: 5000 } });
  });

  it.each([{ command: "x", disabled: true }, { command: "x", enabled: false }])("%j is off", (entry) => {
    expect(parseServer("s", entry, surroundings("codex"))).toEqual({ type: "off" });
  });

  it.each<[ServerSyntax, unknown, string]>([
    ["claude", 5, "s: expected an object"],
    ["claude", {}, "s: has neither a command nor a url"],
    ["claude", { command: ["x"] }, "s: command: expected a string"],
    ["claude", { command: "x", args: "y" }, "s: args: expected a list of strings"],
    ["claude", { command: "x", env: [] }, "s: env: expected a table"],
    ["claude", { command: "x", env: { K: "${NONE}" } }, "s: the variable NONE is not set"],
    ["claude", { type: "sse", url: "https://x.test" }, "s: uses the retired transport SSE; only stdio and streamable HTTP are spoken"],
    ["gemini", { url: "https://x.test" }, "s: uses the retired transport SSE; only stdio and streamable HTTP are spoken"],
    ["claude", { type: "http", url: "file:///etc/passwd" }, 's: "file:///etc/passwd" is no http address'],
    ["vscode", { command: "x", env: { K: "${input:key}" } }, 's: asks for the input "key", which only an editor can ask'],
    ["codex", { url: "https://x.test", bearer_token_env_var: "NONE" }, "s: the variable NONE is not set"],
  ])("of %s: %j is unusable", (syntax, entry, reason) => {
    expect(parseServer("s", entry, surroundings(syntax))).toEqual({ type: "unusable", reason });
  });
});
