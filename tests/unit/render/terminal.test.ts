import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { CommandIo } from "../../../src/command-io.js";
import type { RunEvent, RunResult } from "../../../src/events/schema.js";
import { createTextRenderer } from "../../../src/render/text.js";
import { renderMarkdown, splitBlocks } from "../../../src/render/markdown.js";
import { toInertJson, toInertText } from "../../../src/render/inert-text.js";
import { toSafeText } from "../../../src/render/safe-text.js";
import { describeSummary } from "../../../src/render/summary.js";
import { createLazyRedactor } from "../../../src/sinks/lazy-redactor.js";

process.env["FORCE_COLOR"] = "1";

const RESULT: RunResult = {
  schemaVersion: 1, runId: "run-1", exitCode: 0, status: "success", text: "", backend: "codex", durationMs: 2345, reason: null, partialText: null, model: null,
  sessionId: null, usage: null, cost: null, context: null, quota: null, deniedTools: [], backendExitCode: 0, backendSignal: null, warnings: [], simulated: false, cwd: "/work",
};

const chunk = (text: string, messageId: string | null = "m1"): RunEvent => ({ type: "agent_message_chunk", content: { type: "text", text }, messageId });
const TOOL: RunEvent = { type: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "in_progress", rawInput: null };

/** What a terminal is shown of these events and this answer: after each event, and at the end. */
async function show(events: readonly RunEvent[], text: string, env: Record<string, string> = {}, more: Partial<RunResult> = {}): Promise<{ readonly steps: readonly string[]; readonly stdout: string; readonly stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const io: CommandIo = { env, cwd: "/", stdout: (piece) => void (written.stdout += piece), stderr: (piece) => void (written.stderr += piece), stdoutIsTty: true, stderrIsTty: true };
  const renderer = createTextRenderer(io, { verbosity: 0, color: false, redactor: createLazyRedactor({}) });
  const steps: string[] = [];
  for (const event of events) {
    await renderer.onEvent(event);
    steps.push(written.stdout);
  }
  const result = { ...RESULT, text, ...more };
  if (result.status === "success") await renderer.onAnswer(text);
  await renderer.onResult(result);
  return { steps, ...written };
}

const plain = stripVTControlCharacters;

describe("an answer on a terminal", () => {
  it("is laid out block by block, each when it is whole", async () => {
    const { steps, stdout } = await show([chunk("# Ti"), chunk("tle\n\nSome **bo"), chunk("ld** text\n"), chunk("\n- one\n"), chunk("- two")], "# Title\n\nSome **bold** text\n\n- one\n- two");
    expect(steps.map(plain)).toEqual(["", "Title\n", "Title\n", "Title\n\nSome bold text\n", "Title\n\nSome bold text\n"]);
    expect(plain(stdout)).toBe("Title\n\nSome bold text\n\n• one\n• two\n");
    expect(stdout).toContain("\u001B[1mbold\u001B[22m");
  });

  it("is given whole after something else was streamed", async () => {
    expect(plain((await show([chunk("one two\n\nthree")], "*One* two three.")).stdout)).toBe("one two\n\nOne two three.\n");
  });

  it("is shown once where it was streamed whole, however it was cut", async () => {
    const text = "A\n\n```sh\nls -l\n\npwd\n```\n\nB\n";
    for (const size of [1, 2, 3, 5, 8, 100]) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(plain((await show(pieces.map((piece) => chunk(piece)), text)).stdout)).toBe("A\n\nls -l\n\npwd\n\nB\n");
    }
  });

  it("follows what was said before a tool", async () => {
    expect(plain((await show([chunk("I look.", "m1"), TOOL, chunk("Done.", "m2")], "Done.")).stdout)).toBe("I look.\n\nDone.\n");
  });

  it.each([[{ NO_COLOR: "1" }], [{ TERM: "dumb" }]])("is raw, as it arrives, with %j", async (env) => {
    const { steps, stdout } = await show([chunk("# Ti"), chunk("tle\n\n*a*")], "# Title\n\n*a*", env);
    expect(steps).toEqual(["# Ti", "# Title\n\n*a*"]);
    expect(stdout).toBe("# Title\n\n*a*\n");
  });

  it.each([[{}], [{ NO_COLOR: "1" }]])("cannot steer the terminal (%j)", async (env) => {
    const hostile = "a\u001B[2Jb\u001B]0;title\u0007c\u009B31md\u0007\u0008e\r\nf\rg";
    const { stdout } = await show([chunk("a\u001B"), chunk("[2Jb")], hostile, env);
    const styles = stdout.replaceAll(/\u001B\[\d+m/g, "");
    expect(styles).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
  });

  it("takes a sequence in two pieces for one where it is raw", async () => {
    const { steps } = await show([chunk("a\u001B"), chunk("[2Jb\u001B[3"), chunk("1mc")], "a\u001B[2Jb\u001B[31mc", { NO_COLOR: "1" });
    expect(steps).toEqual(["a", "ab", "abc"]);
  });

  it("that broke off is ended, and not told again", async () => {
    const { stdout, stderr } = await show([chunk("half an ans")], "it broke", {}, { status: "error", exitCode: 1, partialText: "half an ans" });
    expect(plain(stdout)).toBe("half an ans\n\n");
    expect(stderr).toBe("jlgcli: it broke\n");
  });

  it("is not laid out where it is too long for that", async () => {
    const text = "*x* ".repeat(300_000);
    expect((await show([], text)).stdout).toBe(`${text}\n`);
  });
});

describe("Markdown", () => {
  it.each([
    ["plain", "plain\n"],
    ["## A `b` c", "A b c\n"],
    ["1. one\n2. two", "1. one\n2. two\n"],
    ["7. one\n8. two\n   - inner\n   - more", "7. one\n8. two\n   • inner\n   • more\n"],
    ["- [ ] open\n- [x] done", "• [ ] open\n• [x] done\n"],
    ["> quoted\n> more", "│ quoted\n│ more\n"],
    ["[text](https://example.com)", "text (https://example.com)\n"],
    ["<https://example.com>", "https://example.com\n"],
    ["| a | long |\n| --- | --- |\n| 1 | **2** |", "a  long\n─  ────\n1  2\n"],
    ["a &lt;b&gt; \\* c", "a <b> * c\n"],
    ["one\ntwo", "one\ntwo\n"],
    ["```js\nconst a = `x`;\n```", "const a = `x`;\n"],
    ["<b>html</b>", "<b>html</b>\n"],
    ["a\n\n---\n\nb", `a\n\n${"─".repeat(20)}\n\nb\n`],
  ])("%j reads %j", (source, text) => {
    expect(plain(renderMarkdown(source))).toBe(text);
  });

  it.each([
    ["a", "", "a"],
    ["a\n\nb", "a\n\n", "b"],
    ["a\n\n```\nx\n\ny", "a\n\n", "```\nx\n\ny"],
    ["- a\n\n- b", "", "- a\n\n- b"],
    ["a\r\n\r\nb", "", "a\r\n\r\nb"],
    ["", "", ""],
  ])("%j is whole up to %j", (text, whole, rest) => {
    expect(splitBlocks(text)).toEqual({ whole, rest });
  });
});

describe("text for GitHub Actions", () => {
  it.each([
    ["::error::x", "\\::error::x"],
    ["a\n \t::error::x", "a\n \t\\::error::x"],
    ["a\r::error::x", "a\r\\::error::x"],
    ["\u00AD:\u200B:error::x", "\u00AD\\:\u200B:error::x"],
    ["a ::error::x", "a ::error::x"],
    ["x ##[error]y", "x ##\\[error]y"],
    ["###[a]", "###\\[a]"],
    ["## [a]", "## \\[a]"],
    ["# title\n\nstd::vector", "# title\n\nstd::vector"],
  ])("%j becomes %j", (text, inert) => {
    expect(toInertText(text)).toBe(inert);
  });

  it("says the same as JSON", () => {
    const value = { text: "##[error]x ###[a] #1" };
    const inert = toInertJson(JSON.stringify(value));
    expect(inert).not.toContain("##[");
    expect(JSON.parse(inert)).toEqual(value);
  });
});

it("keeps what a reader needs of a text", () => {
  expect(toSafeText("naïve\tتجربة 日本\n🙂")).toBe("naïve\tتجربة 日本\n🙂");
});

describe("the summary", () => {
  it.each([
    [{}, "codex: success in 2.3 s"],
    [{ model: "gpt-x", usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 1 }, cost: { amount: 0.01234, currency: "USD" } }, "codex, gpt-x: success in 2.3 s, 1 token, 0.0123 USD"],
    [{ status: "rate-limited", reason: "rate-limited", exitCode: 69 }, "codex: rate-limited in 2.3 s"],
    [{ status: "unavailable", reason: "network", exitCode: 69, durationMs: 125_400 }, "codex: unavailable (network) in 2 min 5 s"],
    [{ status: "backend-unauthenticated", reason: "unauthenticated", exitCode: 6 }, "codex: backend-unauthenticated in 2.3 s"],
  ] as const)("of %j is '%s'", (more, line) => {
    expect(describeSummary({ ...RESULT, ...more })).toBe(line);
  });

  it("counts a loop's iterations", () => {
    expect(describeSummary(RESULT, { iterations: 3 })).toBe("codex: success in 2.3 s, 3 iterations");
  });
});
