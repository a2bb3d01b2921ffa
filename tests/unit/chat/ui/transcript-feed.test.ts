import { describe, expect, it } from "vitest";
import type { AnswerItem, ChatItem } from "../../../../src/chat/types.js";
import type { Look } from "../../../../src/chat/ui/item-lines.js";
import { TranscriptFeed, type FeedView } from "../../../../src/chat/ui/transcript-feed.js";

const LOOK: Look = { columns: 60, color: false, opened: false };
const answer = (id: number, text: string, done = false): AnswerItem => ({ id, type: "answer", done, text });
const user = (id: number, text: string): ChatItem => ({ id, type: "user", done: true, text });
const printedLines = ({ printed }: FeedView): readonly string[] => printed.flatMap(({ lines }) => lines);

describe("TranscriptFeed", () => {
  it("prints what is done, in order, and shows the rest as live", () => {
    const feed = new TranscriptFeed();
    const view = feed.update([user(1, "hello"), answer(2, "Half an ans")], LOOK);
    expect(printedLines(view)).toEqual(["> hello"]);
    expect(view.live).toEqual(["", "Half an ans"]);
    const end = feed.update([user(1, "hello"), answer(2, "Half an answer", true)], LOOK);
    expect(printedLines(end)).toEqual(["> hello", "", "Half an answer"]);
    expect(end.live).toEqual([]);
  });

  it("prints the blocks of an answer that are whole while it is coming", () => {
    const feed = new TranscriptFeed();
    const view = feed.update([user(1, "q"), answer(2, "# One\n\nTwo\n\nThr")], LOOK);
    expect(printedLines(view)).toEqual(["> q", "", "One", "", "Two"]);
    expect(view.live).toEqual(["", "Thr"]);
  });

  it("prints the same lines in whatever pieces an answer comes", () => {
    const text = "Intro words.\n\n- one\n- two\n\n```ts\nlet a = 1;\n\nlet b = 2;\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nThe end.";
    const whole = printedLines(new TranscriptFeed().update([user(1, "q"), answer(2, text, true)], LOOK));
    for (const size of [1, 3, 7, 20]) {
      const feed = new TranscriptFeed();
      for (let length = size; length < text.length; length += size) {
        const { printed, live } = feed.update([user(1, "q"), answer(2, text.slice(0, length))], LOOK);
        expect([...printed.flatMap(({ lines }) => lines), ...live].slice(0, 3)).toEqual(["> q", "", expect.stringMatching(/^Int?r?o?|^I/)]);
      }
      expect(printedLines(feed.update([user(1, "q"), answer(2, text, true)], LOOK)), `pieces of ${String(size)}`).toEqual(whole);
    }
  });

  it("prints an answer again whose printed part has changed", () => {
    const feed = new TranscriptFeed();
    feed.update([answer(1, "One\n\nTwo\n\nThree")], LOOK);
    expect(printedLines(feed.update([answer(1, "Uno\n\nDue\n\nTre", true)], LOOK)).slice(-5)).toEqual(["Uno", "", "Due", "", "Tre"]);
  });

  it("holds back what comes after something that may still change", () => {
    const tool: ChatItem = { id: 1, type: "tool", done: false, toolCallId: "t", title: "Run tests", kind: "execute", status: "in_progress", rawInput: null, output: "" };
    const feed = new TranscriptFeed();
    const view = feed.update([tool, answer(2, "after", true)], LOOK);
    expect(view.printed).toEqual([]);
    expect(view.live).toEqual(["$ Run tests  runs", "", "after"]);
    const end = feed.update([{ ...tool, done: true, status: "completed" }, answer(2, "after", true)], LOOK);
    expect(printedLines(end)).toEqual(["$ Run tests  done", "", "after"]);
  });

  it("goes on printing after the items were replaced, since ids grow", () => {
    const feed = new TranscriptFeed();
    feed.update([user(1, "old")], LOOK);
    expect(printedLines(feed.update([user(7, "new")], LOOK))).toEqual(["> old", "", "> new"]);
  });

  it("prints five thousand items in portions, all of them, each once", () => {
    const items = Array.from({ length: 5000 }, (_item, index) => user(index + 1, `message ${String(index + 1)}`));
    const feed = new TranscriptFeed();
    let view = feed.update(items, LOOK);
    expect(printedLines(view).length).toBeLessThan(1000);
    while (view.hasMore) view = feed.update(items, LOOK);
    expect(printedLines(view).filter((line) => line !== "")).toEqual(items.map((_item, index) => `> message ${String(index + 1)}`));
  });

  it("keeps up with an answer of 200 KB, also where it is a single block", () => {
    for (const piece of ["A sentence of some words.\n\n", "word ", "- an item\n"]) {
      const feed = new TranscriptFeed();
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      const startedAt = performance.now();
      for (let length = 500; length < text.length; length += 500) feed.update([answer(1, text.slice(0, length))], LOOK);
      let view = feed.update([answer(1, text, true)], LOOK);
      while (view.hasMore) view = feed.update([answer(1, text, true)], LOOK);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(printedLines(view).join(" ").match(/word|item/g)).toHaveLength(Math.ceil(200_000 / piece.length));
    }
  });

  it("prints the end of the transcript again for another width", () => {
    const items = Array.from({ length: 50 }, (_item, index) => user(index + 1, `message ${String(index + 1)}`));
    const feed = new TranscriptFeed();
    feed.update(items, LOOK);
    const narrow = { ...LOOK, columns: 20 };
    feed.reprint(items, 10, narrow);
    const lines = printedLines(feed.update(items, narrow));
    expect(lines.at(-1)).toBe("> message 50");
    expect(lines.length).toBeLessThan(20);
    expect(lines.length).toBeGreaterThanOrEqual(9);
  });

  it("prints no more of one long answer again than asked for, and all of what follows", () => {
    const items = [user(1, "hello"), answer(2, Array.from({ length: 2000 }, (_line, index) => `- item ${String(index)}`).join("\n"), true)];
    const feed = new TranscriptFeed();
    for (let view = feed.update(items, LOOK); view.hasMore; ) view = feed.update(items, LOOK);
    feed.reprint(items, 10, LOOK);
    const view = feed.update(items, LOOK);
    expect(view.hasMore).toBe(false);
    expect(printedLines(view).length).toBeLessThanOrEqual(10);
    expect(printedLines(view).at(-1)).toBe("• item 1999");
    const after = user(3, Array.from({ length: 12 }, () => "more").join("\n"));
    expect(printedLines(feed.update([...items, after], LOOK)).filter((line) => line.endsWith("more"))).toHaveLength(12);
  });
});
