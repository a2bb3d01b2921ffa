import { describe, expect, it } from "vitest";
import { parseSince } from "../../../src/commands/since.js";

const now = new Date(2026, 0, 15, 12, 0, 0);

describe("a time in the past", () => {
  it.each([
    ["30m", new Date(2026, 0, 15, 11, 30)],
    ["24h", new Date(now.getTime() - 86_400_000)],
    ["1.5d", new Date(now.getTime() - 1.5 * 86_400_000)],
    ["2w", new Date(now.getTime() - 14 * 86_400_000)],
    ["today", new Date(2026, 0, 15)],
    ["2026-01-01", new Date(2026, 0, 1)],
    ["2026-01-01T10:00:00Z", new Date("2026-01-01T10:00:00Z")],
  ])("'%s' is %s", (text, time) => {
    expect(parseSince(text, "--since", now)).toEqual(time);
  });

  it.each(["", "soon", "7", "7y", "2026-02-30", "2026-13-01", "2026-1-1", "2026-01-01Tx", "-1d"])("'%s' is none", (text) => {
    expect(() => parseSince(text, "--since", now)).toThrow(/^--since: .*today/);
  });
});
