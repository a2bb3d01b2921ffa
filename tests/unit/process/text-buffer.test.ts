import { describe, expect, it } from "vitest";
import { createHeadBuffer, createTailBuffer } from "../../../src/process/text-buffer.js";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");

describe("the end of a stream", () => {
  it("is kept whole while it fits", () => {
    const tail = createTailBuffer(5);
    for (const part of ["ab", "c", "de"]) tail.push(bytes(part));
    expect([tail.toText(), tail.isTruncated]).toEqual(["abcde", false]);
  });

  it("is the last bytes when it does not", () => {
    const tail = createTailBuffer(5);
    for (const part of ["abc", "d", "efgh"]) tail.push(bytes(part));
    expect([tail.toText(), tail.isTruncated]).toEqual(["defgh", true]);
  });

  it("is cut out of one big chunk too", () => {
    const tail = createTailBuffer(3);
    tail.push(bytes("0123456789"));
    expect([tail.toText(), tail.isTruncated]).toEqual(["789", true]);
  });

  it("joins a character that came in two chunks", () => {
    const tail = createTailBuffer(100);
    const [first = 0, second = 0] = bytes("é");
    tail.push(Uint8Array.of(first));
    tail.push(Uint8Array.of(second));
    expect(tail.toText()).toBe("é");
  });

  it("begins with a whole character", () => {
    const tail = createTailBuffer(4);
    tail.push(bytes("a😀b"));
    expect(tail.toText()).toBe("b");
  });

  it("shows bytes that are no UTF-8 as U+FFFD", () => {
    const tail = createTailBuffer(10);
    tail.push(Uint8Array.of(0x61, 0xff, 0x62));
    expect(tail.toText()).toBe("a\uFFFDb");
  });

  it("holds little more than its limit", () => {
    const tail = createTailBuffer(1000);
    for (let count = 0; count < 10_000; count += 1) tail.push(bytes("0123456789"));
    expect(tail.toText()).toHaveLength(1000);
  });
});

describe("the beginning of a stream", () => {
  it("is kept whole while it fits, a byte order mark included", () => {
    const head = createHeadBuffer(100);
    head.push(bytes("\uFEFFa"));
    head.push(bytes("b"));
    expect([head.toText(), head.isTruncated]).toEqual(["\uFEFFab", false]);
  });

  it("ends with a whole character when it is cut", () => {
    const head = createHeadBuffer(3);
    head.push(bytes("aéé"));
    head.push(bytes("more"));
    expect([head.toText(), head.isTruncated]).toEqual(["aé", true]);
    const cut = createHeadBuffer(2);
    cut.push(bytes("aé"));
    expect([cut.toText(), cut.isTruncated]).toEqual(["a", true]);
  });

  it("shows a character that the stream itself left incomplete as U+FFFD", () => {
    const head = createHeadBuffer(10);
    head.push(Uint8Array.of(0x61, 0xc3));
    expect(head.toText()).toBe("a\uFFFD");
  });
});
