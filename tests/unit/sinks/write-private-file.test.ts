import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateFile, writePrivateFile } from "../../../src/sinks/write-private-file.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("a private file", () => {
  it("is readable by its user alone, also where an open file stood before", () => {
    const path = join(folder, "a");
    writeFileSync(path, "old", { mode: 0o644 });
    chmodSync(path, 0o644);
    writePrivateFile(path, "new ü");
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new ü", 0o600]);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("is not seen before it is whole", () => {
    const path = join(folder, "a");
    writeFileSync(path, "old");
    const file = createPrivateFile(path);
    file.write("ne");
    file.write(Buffer.from("w"));
    expect(readFileSync(path, "utf8")).toBe("old");
    const partial = readdirSync(folder).find((name) => name.endsWith(".partial")) ?? "";
    expect([readFileSync(join(folder, partial), "utf8"), modeOf(join(folder, partial))]).toEqual(["new", 0o600]);
    file.commit();
    expect(readFileSync(path, "utf8")).toBe("new");
    file.discard();
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("leaves nothing behind when it is given up", () => {
    const file = createPrivateFile(join(folder, "a"));
    file.write("x");
    file.discard();
    file.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("replaces what a link leads to and keeps the link", () => {
    writeFileSync(join(folder, "target"), "old");
    symlinkSync("target", join(folder, "link"));
    writePrivateFile(join(folder, "link"), "new");
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("new");
  });

  it("makes missing folders only when asked", () => {
    const path = join(folder, "b", "c", "a");
    expect(() => writePrivateFile(path, "x")).toThrow(expect.objectContaining({ code: "CANNOT_CREATE", exitCode: 73 }));
    writePrivateFile(path, "x", { createFolder: true });
    expect([readFileSync(path, "utf8"), modeOf(join(folder, "b"))]).toEqual(["x", 0o700]);
  });

  it("never replaces a device or a folder", () => {
    mkdirSync(join(folder, "b"));
    for (const path of ["/dev/null", join(folder, "b")]) {
      expect(() => createPrivateFile(path)).toThrow(expect.objectContaining({ code: "CANNOT_CREATE", message: `${path}: cannot be created: it is not a regular file` }));
    }
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("tells when it cannot take its place and leaves no part of it", () => {
    const path = join(folder, "a");
    const file = createPrivateFile(path);
    file.write("x");
    mkdirSync(path);
    expect(() => file.commit()).toThrow(expect.objectContaining({ code: "OUTPUT_FAILED", exitCode: 74 }));
    file.discard();
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(existsSync(path)).toBe(true);
  });
});
