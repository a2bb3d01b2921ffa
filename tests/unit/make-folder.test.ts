import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePrivateFolder } from "../../src/make-folder.js";

describe("a private folder", () => {
  it("is made with those above it, for its owner alone, and may be there already", () => {
    const root = mkdtempSync(join(tmpdir(), "jlgcli-folder-"));
    const folder = join(root, "a/b/c");
    makePrivateFolder(folder);
    makePrivateFolder(folder);
    expect(existsSync(folder)).toBe(true);
    if (process.platform !== "win32") expect(statSync(join(root, "a")).mode & 0o777).toBe(0o700);
    rmSync(root, { recursive: true });
  });

  it.runIf(process.platform === "linux")("fails, and does not hang, below a file system that takes none", () => {
    expect(() => makePrivateFolder("/proc/jlgcli/a/b")).toThrow();
  });
});
