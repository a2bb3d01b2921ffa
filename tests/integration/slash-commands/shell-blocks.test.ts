import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { handleSlashCommand } from "../../../src/slash-commands/handle-slash-command.js";
import type { SlashCommandAnswer } from "../../../src/slash-commands/types.js";
import { makeTempProject, type TempProject } from "../../unit/slash-commands/temp-project.js";

async function type(temp: TempProject, script: string, shellTimeoutMs: number, args = ""): Promise<SlashCommandAnswer> {
  temp.write({ "project/.claude/commands/x.md": `!\`${script}\`` });
  const config = { cwd: temp.project, env: temp.env, isTrusted: () => true, loadSpawner: () => Promise.resolve(createProcessSpawner()) };
  return handleSlashCommand(`/x ${args}`.trim(), new AbortController(), config, { shellBlocks: "run", shellTimeoutMs }, "non_interactive");
}

describe("a shell block with the real spawner", () => {
  it("gives its output and gets the arguments as data", async () => {
    const answer = await type(makeTempProject(), 'printf "%s|" $0 "$1" "$PWD"', 10_000, '"a;b" $(id)');
    expect(answer).toMatchObject({ type: "submit_prompt" });
    if (answer.type === "submit_prompt") expect(answer.prompt).toMatch(/^a;b\|\$\(id\)\|.*\/project\|$/u);
  });

  it("is ended at its deadline with all that it started", async ({ skip }) => {
    if (!fs.existsSync("/proc/self")) skip("processes are looked up in /proc");
    const temp = makeTempProject();
    const startedAt = performance.now();
    const answer = await type(temp, "setsid sleep 301 & echo $! > pids; sleep 302 & echo $! >> pids; wait", 1000);
    expect(answer).toMatchObject({ type: "error", status: "invalid-data", message: expect.stringContaining("did not end within 1 s") as string });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(livingOf(temp)).toEqual([]);
  });

  it("leaves nothing running when it ends well, either", async ({ skip }) => {
    if (!fs.existsSync("/proc/self")) skip("processes are looked up in /proc");
    const temp = makeTempProject();
    const startedAt = performance.now();
    const answer = await type(temp, "sleep 303 >/dev/null 2>&1 & echo $! > pids; echo done", 10_000);
    expect(answer).toMatchObject({ type: "submit_prompt", prompt: "done" });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(livingOf(temp)).toEqual([]);
  });
});

/** The processes that the block noted and that still are what they were. */
function livingOf(temp: TempProject): string[] {
  const pids = fs.readFileSync(`${temp.project}/pids`, "utf8").trim().split("\n");
  expect(pids.length).toBeGreaterThan(0);
  return pids.filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep");
    } catch {
      return false;
    }
  });
}
