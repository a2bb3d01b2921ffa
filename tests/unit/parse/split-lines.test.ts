import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter } from "../../../src/parse/split-lines.js";
import { cut, cuts } from "./chunks.js";

function splitAll(chunks: readonly (string | Uint8Array)[], maxLineBytes?: number) {
  const splitter = createLineSplitter(maxLineBytes);
  const lines = [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()];
  return { lines, lost: splitter.lostLines };
}

describe("bytes into lines", () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["nothing", [], []],
    ["an empty chunk", [""], []],
    ["one line", ["a\n"], ["a"]],
    ["a line without its end", ["a\nb"], ["a", "b"]],
    ["blank lines", ["\n\na\n\n"], ["", "", "a", ""]],
    ["Windows line ends", ["a\r\nb\r\n"], ["a", "b"]],
    ["a line end that is cut in two", ["a\r", "\nb"], ["a", "b"]],
    ["a lone carriage return", ["a\rb\n"], ["a\rb"]],
    ["a byte order mark", ["\uFEFFa\n\uFEFFb\n"], ["a", "\uFEFFb"]],
    ["a line in many pieces", ["a", "b", "c\nd", "e\n"], ["abc", "de"]],
    ["NUL bytes", ["a\0b\n"], ["a\0b"]],
    ["separators that are no line feed", ["a\u2028b\u0085c\n"], ["a\u2028b\u0085c"]],
  ])("cuts %s", (_name, chunks, lines) => {
    expect(splitAll(chunks)).toEqual({ lines, lost: 0 });
  });

  it("decodes a character that is cut in two", () => {
    const bytes = Buffer.from("é世😀\n");
    expect(splitAll([...bytes].map((byte) => Uint8Array.of(byte))).lines).toEqual(["é世😀"]);
  });

  it("makes U+FFFD of invalid bytes, and reads on", () => {
    expect(splitAll([Uint8Array.of(0x61, 0xff, 0xc3, 0x0a), "b\n"]).lines).toEqual(["a\uFFFD\uFFFD", "b"]);
  });

  it("reads a byte order mark that is cut in two", () => {
    expect(splitAll([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 0x61)]).lines).toEqual(["a"]);
  });

  it("loses a line above the limit, in bytes, and reads on", () => {
    expect(splitAll(["12345678\nnext\n"], 8)).toEqual({ lines: ["12345678", "next"], lost: 0 });
    expect(splitAll(["123456789\nnext\n"], 8)).toEqual({ lines: ["next"], lost: 1 });
    expect(splitAll(["1234", "5678", "9", "0\nnext\n", "ééééé\n", "last"], 8)).toEqual({ lines: ["next", "last"], lost: 2 });
    expect(splitAll(["123456789"], 8)).toEqual({ lines: [], lost: 1 });
  });

  it("keeps no reference to memory that the caller uses again", () => {
    const splitter = createLineSplitter();
    const chunk = Buffer.from("abc");
    splitter.push(chunk);
    chunk.fill("x");
    expect(splitter.push(Buffer.from("\n"))).toEqual(["abc"]);
  });

  it("gives the same lines however the bytes are cut", () => {
    const text = fc.array(fc.constantFrom("a", "é", "😀", "\r\n", "\n", "\uFEFF", "\0", " ", "\r"), { maxLength: 60 }).map((parts) => Buffer.from(parts.join("")));
    fc.assert(fc.property(text, cuts, fc.constantFrom(3, 8, 1000), (bytes, places, limit) => {
      expect(splitAll(cut(bytes, places), limit)).toEqual(splitAll([bytes], limit));
    }), { numRuns: 500 });
  });
});
