import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chatHistoryFileOf, createInputHistory } from "../../../src/chat/history.js";
import { createLazyRedactor } from "../../../src/sinks/lazy-redactor.js";

let home: string;
let file: string;
const redactor = createLazyRedactor({});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "jlgcli-history-"));
  file = chatHistoryFileOf(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the history of what was typed", () => {
  it("is kept in a private file, with lines that belong together", async () => {
    const history = createInputHistory(file, { redactor });
    history.add("one");
    history.add("two\nlines");
    await history.settled();
    expect(history.entries()).toEqual(["one", "two\nlines"]);
    expect(createInputHistory(file, { redactor }).entries()).toEqual(["one", "two\nlines"]);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("takes neither blanks nor the same text twice in a row", () => {
    const history = createInputHistory(file, { redactor });
    for (const text of ["a", "a", " \n", "b", "a"]) history.add(text);
    expect(history.entries()).toEqual(["a", "b", "a"]);
  });

  it("puts no secret on the disk, and has it in this chat", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const history = createInputHistory(file, { redactor });
    history.add(`use ${secret}`);
    await history.settled();
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    expect(readFileSync(file, "utf8")).toContain("[redacted:");
    expect(history.entries()).toEqual([`use ${secret}`]);
  });

  it("passes over broken lines", () => {
    mkdirSync(join(home, ".jlgcli"));
    writeFileSync(file, '{"text":"a"}\n{"text":\n[]\n{"text":3}\n\u0000\n{"text":"b"}');
    expect(createInputHistory(file, { redactor }).entries()).toEqual(["a", "b"]);
  });

  it("forgets the oldest, also on the disk", async () => {
    mkdirSync(join(home, ".jlgcli"));
    writeFileSync(file, Array.from({ length: 500 }, (_entry, index) => `{"text":"${String(index)}"}\n`).join(""));
    const history = createInputHistory(file, { redactor, limit: 3 });
    expect(history.entries()).toEqual(["497", "498", "499"]);
    history.add("new");
    expect(history.entries()).toEqual(["498", "499", "new"]);
    await history.settled();
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(4);
  });

  it("does not keep what is too long", async () => {
    const history = createInputHistory(file, { redactor });
    history.add("x".repeat(100_000));
    await history.settled();
    expect(history.entries()).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    { name: "a folder stands in the place of the file", prepare: () => mkdirSync(file, { recursive: true }) },
    { name: "a file stands in the place of the folder", prepare: () => writeFileSync(join(home, ".jlgcli"), "") },
  ])("works without the disk where $name", async ({ prepare }) => {
    prepare();
    const history = createInputHistory(file, { redactor });
    history.add("a");
    await history.settled();
    expect(history.entries()).toEqual(["a"]);
  });
});
