import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import type { IsolatedEnv } from "./isolated-env.js";
import { type ModelAnswer, runBash, say, writeFile } from "./model-answer.js";
import { RAW_ARGS, RAW_LEVEL_ARGS, RAW_LEVEL_VARIABLES_TO_REMOVE } from "./raw-invocations.js";
import { runProgram } from "./run-program.js";

/**
 * What the flags of a level do against a home whose own settings allow everything. It proves the facts on which
 * the backends' records rest; whether jlgcli passes these flags is another test's matter.
 */

type Level = "none" | "read-only" | "workspace-write" | "full";

type Act = (isolated: IsolatedEnv) => ModelAnswer;

/** Lets the model call one tool at a level; true if the file that it was to write is there. */
function writesAt(backend: BackendId, level: Level, act: Act): Promise<boolean> {
  return onStage(backend, { settingsAllowEverything: true }, async ({ place, server }) => {
    const env: Record<string, string> = { ...place.env, IS_SANDBOX: "1" };
    if (level !== "none") for (const name of RAW_LEVEL_VARIABLES_TO_REMOVE) delete env[name];
    server.enqueue(act(place), say("That was all."));
    const args = level === "none" ? RAW_ARGS[backend] : RAW_LEVEL_ARGS[backend][level];
    const ended = await runProgram(backend, args, { cwd: place.cwd, env, input: "go on" });
    expect(ended.exitCode).toBe(0);
    expect(server.calls[1]?.toolResults).toHaveLength(1);
    return wasMade(place);
  });
}

const wasMade = ({ cwd, outside }: IsolatedEnv): boolean => existsSync(join(cwd, "made.txt")) || existsSync(join(outside, "made.txt"));

const bashInside: Act = () => runBash("echo hi > made.txt");
const bashOutside: Act = (isolated) => runBash(`echo hi > ${isolated.outside}/made.txt`);
const pythonOutside: Act = (isolated) => runBash(`python3 -c "open('${isolated.outside}/made.txt', 'w')"`);
const writeInside: Act = (isolated) => writeFile(join(isolated.cwd, "made.txt"), "hi");
const writeOutside: Act = (isolated) => writeFile(join(isolated.outside, "made.txt"), "hi");

const WAYS_OUT: readonly (readonly [string, Act])[] = [
  ["a redirection of the shell", bashOutside],
  ["a program", pythonOutside],
  ["its own tool", writeOutside],
];

describe.concurrent.each(BACKEND_IDS)("%s in a home that allows everything", (backend) => {
  it("would write outside its directory if nobody stopped it", async () => {
    expect(await writesAt(backend, "none", bashOutside)).toBe(true);
  });

  it.each([
    ["a redirection of the shell", bashInside],
    ["a redirection to the outside", bashOutside],
    ["its own tool", writeInside],
  ])("does not write read-only, by %s", async (_name, act) => {
    expect(await writesAt(backend, "read-only", act)).toBe(false);
  });

  it("writes in its directory at workspace-write", async () => {
    expect(await writesAt(backend, "workspace-write", writeInside)).toBe(true);
  });

  // copilot's own tool is a case of its own, below.
  it.each(WAYS_OUT.filter(([, act]) => backend !== "copilot" || act !== writeOutside))("does not write outside its directory at workspace-write, by %s", async (_name, act) => {
    expect(await writesAt(backend, "workspace-write", act)).toBe(false);
  });

  it("writes anywhere at full", async () => {
    expect(await writesAt(backend, "full", bashOutside)).toBe(true);
  });
});

describe.concurrent("copilot's directories that the user has allowed for good", () => {
  it("stay writable at workspace-write, whatever the flags", async () => {
    expect(await writesAt("copilot", "workspace-write", writeOutside)).toBe(true);
  });

  it("are unknown in a home that links everything but the permissions", async () => {
    await onStage("copilot", { settingsAllowEverything: true }, async ({ place, server }) => {
      const env = { ...place.env, COPILOT_ALLOW_ALL: "", COPILOT_HOME: join(place.home, "linked") };
      mkdirSync(env.COPILOT_HOME);
      for (const name of ["config.json", "settings.json"]) symlinkSync(join(place.home, ".copilot", name), join(env.COPILOT_HOME, name));
      server.enqueue(writeOutside(place), say("That was all."));
      await runProgram("copilot", RAW_LEVEL_ARGS.copilot["workspace-write"], { cwd: place.cwd, env, input: "go on" });
      expect(server.calls[1]?.toolResults).toHaveLength(1);
      expect(wasMade(place)).toBe(false);
    });
  });
});

describe("what the levels leave alone", () => {
  it("keeps claude's key helper and the user's memory when reading only", async () => {
    await onStage("claude", { withoutCredentials: true, settingsAllowEverything: true }, async ({ place, server }) => {
      writeFileSync(join(place.home, ".claude", "settings.json"), JSON.stringify({ apiKeyHelper: "echo key-of-the-helper" }));
      writeFileSync(join(place.home, ".claude", "CLAUDE.md"), "Remember the milk.");
      await runProgram("claude", RAW_LEVEL_ARGS.claude["read-only"], { cwd: place.cwd, env: place.env, input: "hello" });
      expect(server.requests.find(({ model }) => model !== null)?.auth).toEqual({ kind: "x-api-key", value: "key-of-the-helper" });
      expect(server.calls[0]?.rawPrompt).toContain("Remember the milk.");
    });
  });
});
