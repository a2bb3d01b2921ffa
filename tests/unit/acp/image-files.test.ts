import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { assertTakesImages, writeImageFiles } from "../../../src/acp/image-files.js";
import { FAKE_CAPABILITIES } from "./fake-host.js";

const png = { fileName: "image-1.png", bytes: Buffer.from("hi") };
const gif = { fileName: "image-2.gif", bytes: Buffer.from("ho") };

describe("writeImageFiles", () => {
  it("writes private files into a private folder, and takes both away", () => {
    const images = writeImageFiles([png, gif]);
    const [first = "", second = ""] = images.paths;
    expect([readFileSync(first, "utf8"), readFileSync(second, "utf8")]).toEqual(["hi", "ho"]);
    if (process.platform !== "win32") {
      expect(statSync(first).mode & 0o777).toBe(0o600);
      expect(statSync(path.dirname(first)).mode & 0o777).toBe(0o700);
    }
    images.remove();
    expect(existsSync(path.dirname(first))).toBe(false);
  });

  it("makes nothing where there is no image", () => {
    expect(writeImageFiles([]).paths).toEqual([]);
  });
});

describe("assertTakesImages", () => {
  it("lets through what the backend takes", () => {
    expect(() => assertTakesImages([png], FAKE_CAPABILITIES)).not.toThrow();
    expect(() => assertTakesImages([png, gif], { ...FAKE_CAPABILITIES, attachments: "any" })).not.toThrow();
  });

  it("names the backend and what it takes", () => {
    expect(() => assertTakesImages([png, gif], FAKE_CAPABILITIES)).toThrow("Fake cannot be given an image of the type .gif: it takes .png");
    expect(() => assertTakesImages([png], { ...FAKE_CAPABILITIES, attachments: [] })).toThrow("Fake cannot be given an image of the type .png: it takes text alone");
  });
});
