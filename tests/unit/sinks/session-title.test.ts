import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/sinks/redact.js";
import { toSessionTitle } from "../../../src/sinks/session-title.js";
import { IN_CONTEXT, TOKENS } from "./secret-samples.js";

const toTitle = (prompt: string, env: Record<string, string> = {}): Promise<string> => toSessionTitle(prompt, env, async (line) => createRedactor(env)(line));

describe("the title of a session", () => {
  it.each([
    ["what does this project do?", "what does this project do?"],
    ["\n\n  \tfix   it \nand more", "fix it"],
    ["", ""],
    [" \n ", ""],
    ["Erkläre die Prüfung, bitte!", "Erkläre die Prüfung, bitte!"],
    [`${"word ".repeat(40)}`, `${"word ".repeat(15)}word…`],
    ["read docs/loop.md", "read docs/loop.md"],
  ])("of %j is %j", async (prompt, title) => {
    expect(await toTitle(prompt)).toBe(title);
  });

  it.each([...TOKENS, ...IN_CONTEXT].map(({ name, text, secret }) => [name, text, secret] as const))("has no %s", async (_name, text, secret) => {
    const title = await toTitle(text);
    const whole = createRedactor({})(/\S[^\r\n]*/.exec(text)?.[0] ?? "");
    if (!whole.includes(secret)) expect(title).not.toContain(secret);
    // Nothing else is lost: it is the beginning of the redacted line.
    expect(whole.replaceAll(/\s+/g, " ").trim().startsWith(title.replace(/…$/, ""))).toBe(true);
  });

  it("has no value of a secret variable, though it is a plain word", async () => {
    expect(await toTitle("say correcthorse aloud", { MY_PASSWORD: "correcthorse" })).not.toContain("correcthorse");
  });

  it("does not load what finds secrets for plain words", async () => {
    const refuse = (): Promise<string> => Promise.reject(new Error("loaded"));
    expect(await toSessionTitle("explain the build, please", { HOME: "/home/someone", LANG: "C" }, refuse)).toBe("explain the build, please");
  });
});
