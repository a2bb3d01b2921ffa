import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readRegularFile } from "../../../src/slash-commands/read-regular-file.js";
import { makeTempProject } from "./temp-project.js";

describe("a file that is read", () => {
  it("is given whole, an empty one too", () => {
    const temp = makeTempProject();
    temp.write({ "project/a.md": "héllo", "project/empty.md": "" });
    const read = (name: string): unknown => readRegularFile(path.join(temp.project, name), 100);
    expect(read("a.md")).toEqual({ type: "bytes", bytes: Buffer.from("héllo") });
    expect(read("empty.md")).toEqual({ type: "bytes", bytes: Buffer.alloc(0) });
  });

  it("is refused when it is too big, no regular file, or a link that was put in its place", () => {
    const temp = makeTempProject();
    temp.write({ "project/big.md": "x".repeat(101), "project/a.md": "a" });
    temp.link(path.join(temp.project, "a.md"), "project/link.md");
    expect(readRegularFile(path.join(temp.project, "big.md"), 100)).toEqual({ type: "refused", reason: "has 101 bytes, the limit is 100" });
    expect(readRegularFile(temp.project, 100)).toEqual({ type: "refused", reason: "is no regular file" });
    expect(() => readRegularFile(path.join(temp.project, "link.md"), 100)).toThrow(/ELOOP/u);
    expect(() => readRegularFile(path.join(temp.project, "gone.md"), 100)).toThrow(/ENOENT/u);
  });

  it("never waits for a pipe", ({ skip }) => {
    const temp = makeTempProject();
    const pipe = path.join(temp.project, "pipe");
    if (spawnSync("mkfifo", [pipe]).status !== 0) skip("there is no mkfifo here");
    expect(readRegularFile(pipe, 100)).toEqual({ type: "refused", reason: "is no regular file" });
  });

  it.each([
    ["grows", (file: string): void => fs.appendFileSync(file, "more")],
    ["shrinks", (file: string): void => fs.truncateSync(file, 2)],
  ])("is refused when it %s meanwhile", (_title, change) => {
    const temp = makeTempProject();
    temp.write({ "project/a.md": "hello" });
    const file = path.join(temp.project, "a.md");
    const fstat = fs.fstatSync;
    const spy = vi.spyOn(fs, "fstatSync").mockImplementationOnce((descriptor: number) => {
      const stats = fstat(descriptor);
      change(file);
      return stats;
    });
    try {
      expect(readRegularFile(file, 100)).toEqual({ type: "refused", reason: "changes while it is read; try again" });
    } finally {
      spy.mockRestore();
    }
  });
});
