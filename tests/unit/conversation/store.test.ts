import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendTurn, conversationsFolderOf, forgetConversation, listConversations, loadConversation, MAX_CONVERSATIONS } from "../../../src/conversation/store.js";
import { makeTempTree } from "../config/temp-tree.js";
import { aTurn } from "./fakes.js";

const HEADER = { id: "one", cwd: "/somewhere", title: "hello" };

describe("conversations on disk", () => {
  it("come back turn by turn, from a file for the user alone", () => {
    const folder = conversationsFolderOf(makeTempTree().home);
    const turns = [aTurn({ prompt: "a\nb", tools: [{ toolCallId: "t", title: "Read", kind: "read", status: "completed" }], sessionId: "s" }), aTurn({ status: "timeout", problem: "late", answer: "" })];
    for (const turn of turns) appendTurn(folder, HEADER, turn);
    expect(loadConversation(folder, "one")).toEqual({ ...HEADER, turns });
    expect(listConversations(folder)).toMatchObject([HEADER]);
    expect(statSync(join(folder, "one.ndjson")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("lose only the line that a crash has cut", () => {
    const folder = conversationsFolderOf(makeTempTree().home);
    appendTurn(folder, HEADER, aTurn({ prompt: "first" }));
    appendFileSync(join(folder, "one.ndjson"), '{"type":"turn","prompt":"cut');
    appendTurn(folder, HEADER, aTurn({ prompt: "third" }));
    expect(loadConversation(folder, "one").turns.map(({ prompt }) => prompt)).toEqual(["first", "third"]);
  });

  it("are kept anew where they are used after another program has forgotten them", () => {
    const folder = conversationsFolderOf(makeTempTree().home);
    appendTurn(folder, HEADER, aTurn({ prompt: "first" }));
    forgetConversation(folder, "one");
    appendTurn(folder, HEADER, aTurn({ prompt: "second" }));
    expect(listConversations(folder)).toMatchObject([HEADER]);
    expect(loadConversation(folder, "one").turns.map(({ prompt }) => prompt)).toEqual(["second"]);
  });

  it("are kept from the first turn on that can be written", () => {
    const { home } = makeTempTree();
    const folder = conversationsFolderOf(home);
    writeFileSync(join(home, ".jlgcli"), "in the way");
    expect(() => appendTurn(folder, HEADER, aTurn({ prompt: "first" }))).toThrow("cannot be written");
    rmSync(join(home, ".jlgcli"));
    appendTurn(folder, HEADER, aTurn({ prompt: "second" }));
    expect(loadConversation(folder, "one").turns.map(({ prompt }) => prompt)).toEqual(["second"]);
  });

  it.each(["../one", "", "a/b", "..", "nothing", "x".repeat(200), "one\0"])("the id %j leads to none", (id) => {
    const folder = conversationsFolderOf(makeTempTree().home);
    appendTurn(folder, HEADER, aTurn());
    writeFileSync(join(folder, "../one.ndjson"), readFileSync(join(folder, "one.ndjson")));
    expect(() => loadConversation(folder, id)).toThrow(`no conversation has the id ${JSON.stringify(id)}`);
    expect(forgetConversation(folder, id)).toBe(false);
  });

  it("are listed without what is none, also from a folder that is not there", () => {
    const folder = conversationsFolderOf(makeTempTree().home);
    expect(listConversations(folder)).toEqual([]);
    mkdirSync(join(folder, "dir.ndjson"), { recursive: true });
    writeFileSync(join(folder, "broken.ndjson"), "{");
    writeFileSync(join(folder, "renamed.ndjson"), JSON.stringify({ v: 1, type: "conversation", ...HEADER }));
    writeFileSync(join(folder, "relative.ndjson"), JSON.stringify({ v: 1, type: "conversation", ...HEADER, id: "relative", cwd: "" }));
    writeFileSync(join(folder, "later.ndjson"), JSON.stringify({ v: 2, type: "conversation", ...HEADER, id: "later" }));
    expect(listConversations(folder)).toEqual([]);
  });

  it("are forgotten one by one, and by themselves when there are too many", () => {
    const folder = conversationsFolderOf(makeTempTree().home);
    for (let index = 0; index <= MAX_CONVERSATIONS; index += 1) appendTurn(folder, { ...HEADER, id: `c${index}` }, aTurn());
    const { length } = listConversations(folder);
    expect(length).toBeLessThan(MAX_CONVERSATIONS);
    expect(forgetConversation(folder, `c${MAX_CONVERSATIONS}`)).toBe(true);
    expect(listConversations(folder)).toHaveLength(length - 1);
  });
});
