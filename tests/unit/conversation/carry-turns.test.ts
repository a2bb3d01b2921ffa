import { describe, expect, it } from "vitest";
import { MAX_CARRIED_BYTES, planTurn, toCarriedPrompt } from "../../../src/conversation/carry-turns.js";
import type { StoredTurn } from "../../../src/conversation/types.js";
import { aTurn } from "./fakes.js";

const on = (backend: string, sessionId: string | null, fields: Partial<StoredTurn> = {}): StoredTurn =>
  aTurn({ settings: { backend, model: null, access: null }, sessionId, ...fields });

describe("what a turn is told of those before it", () => {
  const one = on("codex", "a");
  const two = on("codex", "b");
  const elsewhere = on("claude", "x");
  it.each([
    { title: "the first turn is told nothing", turns: [], resumes: true, resume: null, carried: [] },
    { title: "the session knows all of its own turns", turns: [one, two], resumes: true, resume: "b", carried: [] },
    { title: "what was said elsewhere since is told", turns: [one, elsewhere], resumes: true, resume: "a", carried: [elsewhere] },
    { title: "a backend that was not asked yet is told all", turns: [elsewhere, on("claude", "y")], resumes: true, resume: null, carried: [elsewhere, on("claude", "y")] },
    { title: "a backend without sessions is told all", turns: [one, two], resumes: false, resume: null, carried: [one, two] },
    { title: "a turn of its own that told no session was said in the one before", turns: [one, on("codex", null)], resumes: true, resume: "a", carried: [] },
    { title: "what such a turn was told of others is told again: it may have ended before it was heard", turns: [one, elsewhere, on("codex", null)], resumes: true, resume: "a", carried: [elsewhere] },
    { title: "turns of its own are told where none had a session", turns: [on("codex", null)], resumes: true, resume: null, carried: [on("codex", null)] },
    { title: "a turn without an answer has nothing to tell", turns: [on("codex", null, { answer: "", status: "unavailable" })], resumes: true, resume: null, carried: [] },
  ])("$title", ({ turns, resumes, resume, carried }) => {
    expect(planTurn(turns, "codex", resumes)).toEqual({ resume, carried });
  });
});

describe("a prompt with the turns that its backend does not know", () => {
  it("is the prompt alone where there are none", () => {
    expect(toCarriedPrompt([], "hello")).toBe("hello");
  });

  it("tells them in order, each with the backend that answered, and the prompt last", () => {
    const text = toCarriedPrompt([on("codex", null, { prompt: "first?", answer: "one" }), on("claude", null, { prompt: "second?", answer: "two" })], "third?");
    const places = ["first?", "Assistant (codex):\none", "second?", "Assistant (claude):\ntwo", "third?"].map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(text.endsWith("third?")).toBe(true);
    expect(text).toContain("all of them");
  });

  it("leaves the oldest out where there are too many, and says how many", () => {
    const turns = Array.from({ length: 1000 }, (_, index) => aTurn({ prompt: `question ${index}.`, answer: "ä".repeat(500) }));
    const text = toCarriedPrompt(turns, "last?");
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_CARRIED_BYTES + 1024);
    expect(text).toContain("question 999.");
    expect(text).not.toContain("question 0.");
    const kept = text.match(/question \d+\./gu)?.length ?? 0;
    expect(text).toContain(`the last ${kept}; ${1000 - kept} before them are left out`);
  });

  it("keeps the beginning and the end of a long answer, and no half letter", () => {
    const text = toCarriedPrompt([aTurn({ answer: `BEGIN${"ü".repeat(50_000)}END` })], "go on");
    expect(text).toContain("BEGIN");
    expect(text).toContain("END");
    expect(text).toMatch(/bytes left out/u);
    expect(text).not.toContain("\uFFFD");
    expect(Buffer.byteLength(text)).toBeLessThan(20 * 1024);
  });
});
