import { describe, expect, it } from "vitest";
import { toTable } from "../../../src/commands/table.js";
import { tildePath } from "../../../src/commands/tilde-path.js";

describe("toTable", () => {
  const rows = [
    ["a", "available", "/usr/bin/a"],
    ["long-id", "-", "/opt/a/very/long/way/to/a/program/that/does/not/fit"],
  ];

  it("aligns columns and leaves no blanks at the end of a line", () => {
    expect(toTable(["ID", "STATUS", ""], rows, null)).toEqual([
      "ID       STATUS",
      "a        available  /usr/bin/a",
      "long-id  -          /opt/a/very/long/way/to/a/program/that/does/not/fit",
    ]);
  });

  it("keeps the end of the last cell where the line would be too long", () => {
    const lines = toTable(["ID", "STATUS", "PROGRAM"], rows, 40);
    expect(lines[2]).toBe("long-id  -          …m/that/does/not/fit");
    expect(Math.max(...lines.map((line) => line.length))).toBe(40);
  });
});

describe("tildePath", () => {
  it.each([
    ["/home/al/bin/codex", "~/bin/codex"],
    ["in /home/al: /home/al/x and '/home/al/y'", "in ~: ~/x and '~/y'"],
    ["/home/alice/x", "/home/alice/x"],
    ["/srv/home/al/x", "/srv/home/al/x"],
    ["/home/al.bak", "/home/al.bak"],
  ])("writes %j as %j where the home is /home/al", (text, shown) => {
    expect(tildePath(text, "/home/al")).toBe(shown);
    expect(tildePath(text, "/home/al/")).toBe(shown);
  });

  it("knows Windows' paths and takes no sign of a path for a pattern", () => {
    expect(tildePath("C:\\Users\\a+b\\x", "C:\\Users\\a+b")).toBe("~\\x");
  });

  it("says nothing where the home is the root", () => {
    expect(tildePath("/usr/bin/codex", "/")).toBe("/usr/bin/codex");
  });
});
