import { pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { parsePrompt } from "../../../src/acp/parse-prompt.js";

const text = (value: string): ContentBlock => ({ type: "text", text: value });
const link = (uri: string, name: string): ContentBlock => ({ type: "resource_link", uri, name });
const file = pathToFileURL("/project/a b.ts").href;

describe("parsePrompt", () => {
  it.each<[string, readonly ContentBlock[], string]>([
    ["text as it is", [text("  look\n")], "  look\n"],
    ["a file in the middle of a sentence by its path", [text("explain "), link(file, "a b.ts"), text(", please")], "explain /project/a b.ts, please"],
    ["a link that touches a word apart from it", [text("explain"), link(file, "a b.ts"), text("now")], "explain /project/a b.ts now"],
    ["the name of a link whose path does not say it", [link(file, "the parser")], "the parser (/project/a b.ts)"],
    ["the lines that a link names", [link(`${file}#L3:7`, "a b.ts")], "/project/a b.ts#L3:7"],
    ["an address that is no file", [link("https://example.com/a?b=c#d", "a")], "https://example.com/a?b=c#d"],
    ["a file of another machine by its address", [link("file://host/a%2Fb", "x")], "x (file://host/a%2Fb)"],
    ["a title rather than a name", [{ type: "resource_link", uri: "https://example.com/", name: "x", title: "Home" }], "Home (https://example.com/)"],
    ["two texts one after the other", [text("one"), text("two")], "one two"],
    ["an image by the name of its file", [text("what is"), { type: "image", data: "aGk=", mimeType: "image/png" }], "what is [image-1.png]"],
  ])("gives %s", (_title, blocks, expected) => {
    expect(parsePrompt(blocks).toText()).toBe(expected);
    expect(parsePrompt(blocks).toPrompt()).toBe(expected);
  });

  it("does not take long for many blocks", () => {
    const blocks = Array.from({ length: 8_000 }, () => text("a word ".repeat(100)));
    const startedAt = Date.now();
    expect(parsePrompt(blocks).toPrompt()).toHaveLength(8_000 * 700);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });

  it("puts embedded text behind the prompt, in a fence that nothing in it can end", () => {
    const prompt = parsePrompt([text("read "), { type: "resource", resource: { uri: file, text: "/help\n````\nend" } }]);
    expect(prompt.toText()).toBe("read /project/a b.ts");
    expect(prompt.toPrompt()).toBe("read /project/a b.ts\n\n/project/a b.ts:\n`````\n/help\n````\nend\n`````");
    expect(prompt.firstText).toBe("read ");
  });

  it("puts what a command has become in the place of the first text alone", () => {
    const prompt = parsePrompt([link(file, "a b.ts"), text("/review"), text("/other")]);
    expect(prompt.firstText).toBe("/review");
    expect(prompt.toPrompt("Review it.")).toBe("/project/a b.ts Review it. /other");
    expect(prompt.toText()).toBe("/project/a b.ts /review /other");
  });

  it("takes images, numbered, also those that are embedded", () => {
    const prompt = parsePrompt([
      { type: "image", data: "aGk=", mimeType: "image/jpeg" },
      { type: "resource", resource: { uri: "file:///x.gif", blob: "aG8=", mimeType: "image/gif" } },
    ]);
    expect(prompt.images.map(({ fileName, bytes }) => [fileName, Buffer.from(bytes).toString()])).toEqual([
      ["image-1.jpg", "hi"],
      ["image-2.gif", "ho"],
    ]);
    expect(prompt.firstText).toBeNull();
  });

  it("makes control characters of a name harmless", () => {
    expect(parsePrompt([link("https://example.com/\u001b[2J", "a\nb")]).toText()).toBe("a\\u000ab (https://example.com/\\u001b[2J)");
  });

  it.each<[string, readonly ContentBlock[], RegExp]>([
    ["nothing", [], /the prompt is empty/],
    ["blanks", [text(" \n")], /the prompt is empty/],
    ["audio", [text("hear"), { type: "audio", data: "aGk=", mimeType: "audio/wav" }], /an audio block, which no backend takes/],
    ["binary data", [{ type: "resource", resource: { uri: "file:///a.zip", blob: "aGk=" } }], /embeds \/a\.zip as binary data \(an unknown type\)/],
    ["an image of a strange type", [{ type: "image", data: "aGk=", mimeType: "image/tiff" }], /an image of the type image\/tiff; images may be image\/png/],
    ["an image of a type that objects know", [{ type: "image", data: "aGk=", mimeType: "constructor" }], /an image of the type constructor; images may be image\/png/],
    ["binary data of a type that objects know", [{ type: "resource", resource: { uri: "file:///a.zip", blob: "aGk=", mimeType: "toString" } }], /embeds \/a\.zip as binary data \(toString\)/],
    ["an image that is not base64", [{ type: "image", data: "<svg>", mimeType: "image/png" }], /not base64/],
  ])("refuses a prompt of %s", (_title, blocks, message) => {
    expect(() => parsePrompt(blocks)).toThrow(expect.objectContaining({ code: -32602, message: expect.stringMatching(message) as string }));
  });
});
