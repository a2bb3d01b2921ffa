import { describe, expect, it } from "vitest";
import { namesSameModel } from "../../../src/adapters/model-names.js";
import { claude } from "../../../src/adapters/records/claude.js";

describe("the names of models", () => {
  it.each([
    ["claude-opus-4-8", "claude-opus-4-8"],
    ["claude-opus-4-8", "claude-opus-4-8[1m]"],
    ["claude-opus-4-8[1m]", "claude-opus-4-8"],
    ["Claude-Opus-4-8", "claude-opus-4-8"],
    ["claude-sonnet-4.5", "claude-sonnet-4-5-20250929"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-sonnet-4@20250514", "claude-sonnet-4"],
    ["claude-sonnet-4", "us.anthropic.claude-sonnet-4-20250514-v1:0"],
    ["gpt-4o", "gpt-4o-2024-08-06"],
    ["openai/gpt-4o", "gpt-4o"],
    ["gpt-4", "gpt-4-1106-preview"],
    ["gemini-2.5-pro", "gemini-2.5-pro-preview-05-06"],
    ["gemini-1.5-pro", "models/gemini-1.5-pro-002"],
    ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
    ["llama3.1", "llama3.1:8b"],
  ])("'%s' and '%s' are the same", (requested, answered) => {
    expect(namesSameModel(requested, answered)).toBe(true);
  });

  it.each([
    ["gpt-5", "gpt-5-mini"],
    ["gpt-5", "gpt-5.1"],
    ["gpt-5-mini", "gpt-5"],
    ["gpt-4", "gpt-4-32k"],
    ["claude-opus-4-8", "claude-sonnet-4-8"],
    ["claude-opus-4", "claude-opus-4-8"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4-20250929"],
    ["llama3.1:8b", "llama3.1:70b"],
    ["sonnet", "claude-sonnet-4-5"],
    ["", "anything"],
    ["constructor", "anything"],
  ])("'%s' and '%s' are not", (requested, answered) => {
    expect(namesSameModel(requested, answered)).toBe(false);
  });

  it.each([
    ["sonnet", "claude-sonnet-4-5-20250929", true],
    ["sonnet[1m]", "claude-sonnet-4-5[1m]", true],
    ["opus", "us.anthropic.claude-opus-4-8-v1:0", true],
    ["opus", "claude-haiku-4-5", false],
    ["opusplan", "claude-sonnet-4-5", true],
    ["default", "claude-haiku-4-5", true],
  ])("of claude: the alias '%s' for '%s' is %s", (requested, answered, same) => {
    expect(namesSameModel(requested, answered, claude.options?.model?.aliases)).toBe(same);
  });
});
