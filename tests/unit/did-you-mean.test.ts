import { describe, expect, it } from "vitest";
import { didYouMean } from "../../src/did-you-mean.js";

const BACKENDS = ["copilot", "codex", "claude", "gemini", "opencode"];

describe("a guess at a mistyped word", () => {
  it.each([
    ["codx", "codex"],
    ["Claude", "claude"],
    ["copliot", "copilot"],
    ["opncode", "opencode"],
    ["gemni", "gemini"],
  ])("takes %s for %s", (word, meant) => {
    expect(didYouMean(word, BACKENDS)).toBe(meant);
  });

  it.each([["xyz"], ["q"], [""], ["aider"]])("makes no guess at %j", (word) => {
    expect(didYouMean(word, BACKENDS)).toBeNull();
  });

  it("makes no guess where there is nothing to choose from", () => {
    expect(didYouMean("codex", [])).toBeNull();
  });
});
