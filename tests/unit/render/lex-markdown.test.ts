import { describe, expect, it } from "vitest";
import { lexMarkdown } from "../../../src/render/lex-markdown.js";
import { renderMarkdown } from "../../../src/render/markdown.js";

describe("any text as Markdown", () => {
  it.each<[string, string]>([
    ["quotes in quotes", ">".repeat(50_000)],
    ["quotes in quotes, line by line", `${">".repeat(3000)}\n`.repeat(20)],
    ["lists in lists", Array.from({ length: 1000 }, (_line, index) => `${" ".repeat(index * 2)}- x`).join("\n")],
    ["marks that begin and never end", "_a".repeat(250_000)],
    ["brackets", "[a](".repeat(100_000)],
  ])("comes to an end with %s, and loses nothing", (_what, text) => {
    const startedAt = performance.now();
    const tokens = lexMarkdown(text);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
    expect(renderMarkdown(text)).not.toBe("");
  });

  it("knows the depth of each block anew", () => {
    const text = "> > a\n\n".repeat(40);
    expect(lexMarkdown(text).filter(({ type }) => type === "blockquote")).toHaveLength(40);
    expect(renderMarkdown(text)).not.toContain("> a");
  });
});
