import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { JlgcliError } from "../../../src/errors.js";
import { loadCassette, parseCassette } from "../../../src/sinks/cassette.js";

const folder = mkdtempSync(join(tmpdir(), "jlgcli-cassette-"));
afterAll(() => rmSync(folder, { recursive: true }));
const HEADER = '{"jlgcli":"cassette","version":1,"backend":"codex","backendVersion":"0.171.0","recordedAt":"2026-11-30T10:00:00.000Z","argv":["codex","exec"],"label":"codex"}';
const END = '{"t":20,"exit":0,"signal":null}';

function errorOf(action: () => unknown): JlgcliError {
  try {
    action();
  } catch (error) {
    if (error instanceof JlgcliError) return error;
  }
  throw new Error("expected a JlgcliError");
}

describe("a cassette", () => {
  it("is read with its header, its bytes and its end", () => {
    const text = [HEADER, '{"t":1,"fd":1,"text":"ü\\n"}', '{"t":2.5,"fd":2,"base64":"/wA="}', '{"t":20,"exit":null,"signal":"SIGTERM"}', ""].join("\n");
    expect(parseCassette(text, "x")).toEqual({
      header: {
        backend: "codex",
        backendVersion: "0.171.0",
        recordedAt: "2026-11-30T10:00:00.000Z",
        argv: ["codex", "exec"],
        label: "codex",
        sample: false,
      },
      output: [
        { atMs: 1, fd: 1, bytes: Buffer.from("ü\n") },
        { atMs: 2.5, fd: 2, bytes: Buffer.from([255, 0]) },
      ],
      end: { atMs: 20, exit: null, signal: "SIGTERM" },
    });
  });

  it("may have been edited: a byte order mark, line ends of Windows, empty lines, members of later versions", () => {
    const text = `\ufeff${HEADER.replace("{", '{"later":1,')}\r\n\r\n{"t":1,"fd":1,"text":"a\u2028b","later":1}\r\n${END}`;
    expect(parseCassette(text, "x").output).toEqual([{ atMs: 1, fd: 1, bytes: Buffer.from("a\u2028b") }]);
  });

  const BAD: readonly (readonly [string, readonly string[], string])[] = [
    ["is empty", [""], "f:1: the cassette is empty"],
    ["is something else", ["hello"], 'f:1: not JSON: Unexpected token'],
    ["is another JSON file", ['{"name":"x"}'], 'f:1: this is no cassette: the first line must have "jlgcli":"cassette"'],
    ["is a list", ["[]"], "f:1: expected an object, got []"],
    ["has a later version", [HEADER.replace(':1,', ":2,")], "f:1: version: expected 1, got 2"],
    ["names no backend", [HEADER.replace('"codex"', '""')], 'f:1: backend: expected the id of a backend, got ""'],
    ["has a wrong version of its backend", [HEADER.replace('"0.171.0"', "171")], "f:1: backendVersion: expected a string or null, got 171"],
    ["has a wrong time", [HEADER.replace("2026-11", "x")], "f:1: recordedAt: expected a time"],
    ["has no list of arguments", [HEADER.replace('["codex","exec"]', '["codex",1]')], 'f:1: argv: expected a list of strings, got ["codex",1]'],
    ["has no label", [HEADER.replace(',"label":"codex"', "")], "f:1: label: expected a string, got nothing"],
    ["was cut", [HEADER, '{"t":1,"fd":1,"text":"a"}', ""], "f:3: the line that tells how the run ended is missing: the recording was cut"],
    ["was cut within a line", [HEADER, '{"t":1,"fd":1,"te'], "f:2: not JSON: "],
    ["goes on after its end", [HEADER, END, "", END], "f:4: nothing may follow the line that tells how the run ended"],
    ["has a line without a time", [HEADER, '{"fd":1,"text":"a"}'], "f:2: t: expected milliseconds since the start, got nothing"],
    ["has a line with a time before the start", [HEADER, '{"t":-1,"fd":1,"text":"a"}'], "f:2: t: expected milliseconds since the start, got -1"],
    ["has output of another descriptor", [HEADER, '{"t":1,"fd":3,"text":"a"}'], "f:2: fd: expected 1 or 2, got 3"],
    ["has output without content", [HEADER, '{"t":1,"fd":1,"txt":"a"}'], 'f:2: expected "text" with a string or "base64" with bytes in base64, and not both'],
    ["has output with two contents", [HEADER, '{"t":1,"fd":1,"text":"a","base64":""}'], 'f:2: expected "text" with a string'],
    ["has output that is no base64", [HEADER, '{"t":1,"fd":1,"base64":"a!=="}'], 'f:2: expected "text" with a string'],
    ["has a line of no kind", [HEADER, '{"t":1}'], 'f:2: expected "fd" with output, or "exit" and "signal" with the end of the run'],
    ["ends with no code", [HEADER, '{"t":1,"exit":"0","signal":null}'], 'f:2: exit: expected an exit code or null, got "0"'],
    ["ends with no signal", [HEADER, '{"t":1,"exit":null,"signal":"TERM"}'], 'f:2: signal: expected a name such as "SIGTERM" or null, got "TERM"'],
    ["ends in no way", [HEADER, '{"t":1,"exit":null,"signal":null}'], "f:2: expected either an exit code or a signal, and null for the other"],
    ["ends in two ways", [HEADER, '{"t":1,"exit":0,"signal":"SIGTERM"}'], "f:2: expected either an exit code or a signal"],
  ];

  it.each(BAD)("that %s is refused with its line and the reason", async (_, lines, message) => {
    const error = errorOf(() => parseCassette(lines.join("\n"), "f"));
    expect([error.code, error.exitCode]).toEqual(["CASSETTE_INVALID", 65]);
    expect(error.message).toContain(message);

    const path = join(folder, "bad.ndjson");
    writeFileSync(path, lines.join("\n"));
    await expect(loadCassette(path)).rejects.toThrow(message.replace("f:", `${path}:`));
  });

  it("that is not there or is no file is told apart from a bad one", async () => {
    mkdirSync(join(folder, "d"));
    for (const [path, reason] of [
      [join(folder, "none"), "ENOENT: no such file or directory"],
      [join(folder, "d"), "it is not a regular file"],
      ["/dev/null", "it is not a regular file"],
    ] as const) {
      await expect(loadCassette(path)).rejects.toMatchObject({
        code: "INPUT_NOT_FOUND",
        exitCode: 66,
        message: `${path}: the cassette cannot be read: ${reason}`,
      });
    }
  });

  it("is loaded as it is parsed", async () => {
    const path = join(folder, "long.ndjson");
    const entries = Array.from({ length: 5000 }, (_, t) => JSON.stringify({ t, fd: 1, text: `${"ü".repeat(50)} ${t}\n` }));
    writeFileSync(path, [HEADER, ...entries, END].join("\n"));
    expect(await loadCassette(path)).toEqual(parseCassette(readFileSync(path, "utf8"), path));
  });
});
