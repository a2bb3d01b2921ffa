import { existsSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadLoopState, loopFolderOf, pruneLoopStates, saveLoopState } from "../../../src/sinks/loop-state.js";
import type { LoopState } from "../../../src/sinks/loop-state-type.js";
import { createRedactor } from "../../../src/sinks/redact.js";
import { makeTempTree, messageOf } from "../config/temp-tree.js";

const STATE: LoopState = {
  version: 1,
  loopId: "abc",
  startedAt: "2026-11-30T10:00:00.000Z",
  cwd: "/project",
  prompt: "go",
  args: ["--backend=codex", "--until=npm test"],
  withheld: [],
  owner: { pid: 1, startedAt: null },
  iterations: [
    {
      iteration: 1, runId: "r", status: "success", exitCode: 0, text: "hello", durationMs: 5, model: null, sessionId: "s", cost: { amount: 1, currency: "USD" },
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 3 },
      completion: { status: "continue", summary: null, next: "more", check: { command: "npm test", exitCode: 1, timedOut: false, output: "no" } },
    },
  ],
};

describe("the state of a loop", () => {
  it("comes back as it was kept", async () => {
    const folder = loopFolderOf(makeTempTree().home);
    saveLoopState(folder, STATE, createRedactor({}));
    expect(await loadLoopState(folder, "abc")).toEqual(STATE);
  });

  it("keeps no option and no prompt with a secret, and says which are missing", async () => {
    const folder = loopFolderOf(makeTempTree().home);
    const env = { MY_TOKEN: "correct-horse-battery" };
    saveLoopState(folder, { ...STATE, prompt: "use correct-horse-battery", args: ["--session", "--until=curl -H correct-horse-battery"], withheld: ["--env"] }, createRedactor(env));
    const kept = await loadLoopState(folder, "abc");
    expect(kept).toMatchObject({ args: ["--session"], withheld: ["--env", "prompt", "--until"] });
    expect(JSON.stringify(kept)).not.toContain("correct-horse-battery");
  });

  it.each([
    ["is no JSON", "{"],
    ["is of another version", { ...STATE, version: 2 }],
    ["is another loop's", { ...STATE, loopId: "other" }],
    ["lacks something", { ...STATE, args: undefined }],
    ["has a wrong type within", { ...STATE, iterations: [{ ...STATE.iterations[0], durationMs: "long" }] }],
  ])("is refused where its file %s", async (_name, content) => {
    const { home, write } = makeTempTree();
    write("home/.jlgcli/loops/abc.json", content);
    expect(await messageOf(loadLoopState(loopFolderOf(home), "abc"))).toContain("its file cannot be understood");
  });

  it("is not read through a link, which somebody else may have put there", async () => {
    const { home, write, folder } = makeTempTree();
    const target = write("elsewhere/abc.json", STATE);
    symlinkSync(target, join(folder("home/.jlgcli/loops"), "abc.json"));
    expect(await messageOf(loadLoopState(loopFolderOf(home), "abc"))).toContain('there is no loop "abc"');
  });

  it("is forgotten when nobody has gone on with it for a month", () => {
    const { home, write } = makeTempTree();
    const [old, young] = [write("home/.jlgcli/loops/old.json", STATE), write("home/.jlgcli/loops/young.json", STATE)];
    const monthAgo = Date.now() / 1000 - 31 * 24 * 3600;
    utimesSync(old, monthAgo, monthAgo);
    pruneLoopStates(loopFolderOf(home), Date.now());
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });
});
