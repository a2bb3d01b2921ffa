import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import type { ExecutorOutputTraits } from "../../../src/adapters/traits.js";
import { createOutputReader } from "../../../src/parse/output-reader.js";
import { claudeCode, claudeJson, codex, opencode, stub } from "../adapters/foreign-records.js";
import { listRecordings } from "../adapters/recordings.js";
import { cut, cuts } from "./chunks.js";

function readAll(output: ExecutorOutputTraits, chunks: readonly (string | Uint8Array)[]) {
  const reader = createOutputReader(output);
  const events = [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk))), ...reader.end()];
  const { sawTerminal, succeeded, isHopeless } = reader;
  return { events, reading: reader.reading, sawTerminal, succeeded, isHopeless };
}

/** As a text payload cuts its chunks where the pipe did, only their sum is the same. */
const withJoinedText = ({ events, ...rest }: ReturnType<typeof readAll>) => ({
  ...rest,
  text: events.map((event) => (event.type === "agent_message_chunk" ? event.content.text : "")).join(""),
});

const RECORDINGS = BUILT_IN_RECORDS.flatMap(({ id, traits }) => listRecordings(id).map(({ name, stdout }) => ({ name: `${id}/${name}`, output: traits.output, stdout })));

describe("any chunking of the same bytes", () => {
  it("has recordings to be tried on", () => {
    expect(RECORDINGS.length).toBeGreaterThan(60);
  });

  it.each(RECORDINGS)("gives the same events and the same reading: $name", ({ output, stdout }) => {
    const whole = readAll(output, [stdout]);
    fc.assert(fc.property(cuts, (places) => void expect(readAll(output, cut(stdout, places))).toEqual(whole)), { numRuns: 12 });
  });

  const NOISE = ["garbage", "{broken", "[]", "", "\u001b[0m", "\0", "\uFEFF", "😀", '{"type":"result","result":"é😀","usage":{"input_tokens":1}}', '{"type":"error","message":"x"}'];
  const mixture = fc
    .array(fc.tuple(fc.constantFrom(...NOISE), fc.constantFrom("\n", "\r\n", "\n\n", "")), { maxLength: 12 })
    .map((parts) => Buffer.from(parts.flat().join("")));
  const broken = fc.uint8Array({ maxLength: 60 });

  it.each([claudeCode, claudeJson, codex, opencode, stub].map((traits) => [traits.executorId, traits.output] as const))("holds for noise and broken bytes too: %s", (_id, output) => {
    fc.assert(
      fc.property(fc.oneof(mixture, broken), cuts, (bytes, places) => {
        expect(readAll(output, cut(bytes, places))).toEqual(readAll(output, [bytes]));
      }),
      { numRuns: 200 },
    );
  });

  it("holds for plain text", () => {
    const output: ExecutorOutputTraits = { payload: "text", resultPath: [] };
    fc.assert(fc.property(fc.oneof(mixture, broken), cuts, (bytes, places) => {
      expect(withJoinedText(readAll(output, cut(bytes, places)))).toEqual(withJoinedText(readAll(output, [bytes])));
    }));
  });
});

describe("what a reader tells", () => {
  const output: ExecutorOutputTraits = {
    payload: "jsonl",
    resultPath: ["text"],
    statusPath: ["type"],
    errorStatusPrefix: "error",
    terminal: { success: { path: ["type"], equals: "done" }, failure: { path: ["type"], equals: "dead" } },
    usageWhen: { path: ["n"], exists: true },
    usagePaths: [["n"]],
    hopelessRetry: { when: { path: ["code"], equals: 401 }, afterCount: 2 },
  };
  const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

  it("knows the first terminal failure, and the last one that is not", () => {
    const { reading } = readAll(output, [lines({ type: "error1" }, { type: "error2" }, { type: "dead", at: 1 }, { type: "dead", at: 2 })]);
    expect(reading).toMatchObject({ failureRecord: { at: 1 }, provisionalFailure: { type: "error2" } });
  });

  it("knows the first failure of any kind where no record is named terminal", () => {
    const { terminal: _terminal, ...foreign } = output;
    const { reading, sawTerminal } = readAll(foreign, [lines({ type: "error1" }, { text: "ok" }, { type: "error2" })]);
    expect(reading).toMatchObject({ failureRecord: { type: "error1" }, provisionalFailure: undefined, resultText: "ok" });
    expect(sawTerminal).toBe(false);
  });

  it.each<readonly [string, readonly object[], object]>([
    ["nothing", [], { sawTerminal: false, succeeded: false, isHopeless: false }],
    ["a success", [{ type: "done" }], { sawTerminal: true, succeeded: true }],
    ["a failure", [{ type: "dead" }], { sawTerminal: true, succeeded: false }],
    ["both", [{ type: "done" }, { type: "dead" }], { sawTerminal: true, succeeded: false }],
    ["one hopeless notice", [{ code: 401 }], { isHopeless: false }],
    ["two hopeless notices", [{ code: 401 }, { code: 500 }, { code: 401 }], { isHopeless: true, sawTerminal: false }],
  ])("says after %s how far the run has come", (_name, records, expected) => {
    expect(readAll(output, [lines(...records)])).toMatchObject(expected);
  });

  it("tells the usage so far with each record that adds to it", () => {
    const { events } = readAll(output, [lines({ n: 1 }, { n: 2 })]);
    expect(events).toMatchObject([{ type: "usage_update", usage: { totalTokens: 1 } }, { type: "usage_update", usage: { totalTokens: 3 } }]);
  });

  it("loses the figures with a line that is lost, but not with noise", () => {
    expect(readAll(output, [`${lines({ n: 1 })}hello\n[]\n`]).reading).toMatchObject({ usageTotal: 1, malformedLines: 1 });
    expect(readAll(output, [`${lines({ n: 1 })}{"n":2`]).reading).toMatchObject({ usageTotal: undefined, usage: null, malformedLines: 1 });
  });

  it("loses the figures with output that was cut before it came here", () => {
    const reader = createOutputReader(output);
    reader.push(Buffer.from(lines({ n: 1 })));
    reader.markTruncated();
    expect(reader.reading).toMatchObject({ usageTotal: undefined, truncated: true });
  });

  it("keeps the answer of a stream that is longer than what is kept of it", () => {
    const filler = lines({ type: "filler", data: "x".repeat(10_000) }).repeat(300);
    const { reading } = readAll(output, [filler, lines({ text: "the end" }, { type: "done" })]);
    expect(reading.resultText).toBe("the end");
  });

  it("takes a very long list of refused tools", () => {
    const denying: ExecutorOutputTraits = { ...output, deniedTools: [{ each: ["denied"], name: ["n"] }] };
    const denied = Array.from({ length: 200_000 }, () => ({ n: "Bash" }));
    expect(readAll(denying, [lines({ denied })]).reading.deniedTools).toHaveLength(200_000);
  });
});
