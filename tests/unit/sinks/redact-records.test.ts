import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, type Redactor } from "../../../src/sinks/redact.js";
import { createRecordRedactor } from "../../../src/sinks/redact-records.js";
import { noise, privateKey, TOKENS } from "./secret-samples.js";

const redactor = createRedactor({ SERVICE_TOKEN: "only-words-in-it" });

function redactLines(lines: readonly string[], using: Redactor = redactor): readonly string[] {
  const records = createRecordRedactor<number>(using);
  const shown = [...lines.flatMap((line, index) => records.push(line, index)), ...records.flush()];
  expect(shown.map(({ tag }) => tag)).toEqual(lines.map((_, index) => index));
  return shown.map(({ line }) => line);
}

const delta = (text: string): string => `${JSON.stringify({ type: "delta", delta: { text } })}\n`;

function joinDeltas(lines: readonly string[]): string {
  return lines.map((line) => String(JSON.parse(/"text":(".*")/.exec(line)?.[1] ?? ""))).join("");
}

function cut(text: string, length: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
}

describe("secrets that are spread over records", () => {
  it.each(TOKENS)("does not leave $name in the pieces of an answer", ({ secret, kind }) => {
    for (const length of [1, 4, 7, 30]) {
      const lines = cut(`the key is ${secret} and more`, length).map(delta);
      expect(joinDeltas(redactLines(lines))).toBe(`the key is [redacted:${kind}] and more`);
    }
  });

  it("does not leave values of the environment and private keys", () => {
    const key = privateKey().join("\n");
    const shown = joinDeltas(redactLines(cut(`it is only-words-in-it.\n${key}\nend`, 5).map(delta)));
    expect(shown).toMatch(/^it is \[redacted:environment\]\.\n(\[redacted:private-key\]\n)+end$/);
  });

  it("finds a secret in a list within the records, and several in one", () => {
    const [first, second] = [`sk-${"ant-"}${noise(40)}`, `gh${"p_"}${noise(36)}`];
    const record = (text: string): string => JSON.stringify({ message: { content: [{ type: "text", text }] } });
    const lines = [`a ${first.slice(0, 9)}`, `${first.slice(9)} b ${second.slice(0, 9)}`, `${second.slice(9)} c ${first} d`].map(record);
    expect(redactLines(lines)).toEqual(
      ["a [redacted:anthropic-key]", " b [redacted:github-token]", " c [redacted:anthropic-key] d"].map(record),
    );
  });

  it("finds them in a run that is longer than what is looked at together", () => {
    const secret = `sk-${"ant-"}${noise(60)}`;
    for (let before = 200; before < 1100; before += 50) {
      const lines = [...Array.from({ length: before }, () => "word "), ...cut(secret, 2), " end"].map(delta);
      expect(joinDeltas(redactLines(lines))).toBe(`${"word ".repeat(before)}[redacted:anthropic-key] end`);
    }
  });
});

describe("everything else", () => {
  it("stays as it is, byte by byte", () => {
    const lines = ['{ "n": 1.0, "big": 12345678901234567890, "text": "a" }\r\n', "not JSON\n", '{"broken":\n', "{}", "", '{"text":null}\n', delta("b")];
    expect(redactLines(lines)).toEqual(lines);
    const json = fc.array(fc.jsonValue().map((value) => JSON.stringify({ value })), { maxLength: 30 });
    fc.assert(
      fc.property(json, (texts) => {
        expect(redactLines(texts)).toEqual(texts);
      }),
    );
  });

  it("is not disturbed by a record that is nested very deeply", () => {
    const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect(redactLines([deep, deep])).toEqual([deep, deep]);
  });
});
