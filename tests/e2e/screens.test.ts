import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NO_TMUX } from "./support/tmux.js";

if (NO_TMUX !== null) console.warn(`skipped: the screens in README.md and docs/ are what a terminal shows (${NO_TMUX})`);

const SCRIPT = fileURLToPath(new URL("../../scripts/screens.mjs", import.meta.url));

describe.skipIf(NO_TMUX !== null)("the screens in README.md and docs/", () => {
  it("are what a terminal shows now; else `npm run screens` makes them anew", { timeout: 240_000 }, () => {
    const check = spawnSync(process.execPath, [SCRIPT, "--check"], { encoding: "utf8", timeout: 200_000 });
    expect(check.stderr).toBe("");
    expect(check.status).toBe(0);
  });
});
