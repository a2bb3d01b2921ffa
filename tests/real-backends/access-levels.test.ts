import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { type IsolatedEnv, createIsolatedEnv } from "./isolated-env.js";
import { endLeftOverProcesses } from "./left-over-processes.js";
import { type ModelAnswer, runBash, say, writeFile } from "./model-answer.js";
import { type ModelServer, startModelServer } from "./model-server.js";
import { RAW_ARGS, RAW_LEVEL_ARGS, RAW_LEVEL_VARIABLES_TO_REMOVE } from "./raw-invocations.js";
import { runProgram } from "./run-program.js";

/**
 * What the flags of a level do against a home whose own settings allow everything. It proves the facts on which
 * the backends' records rest; whether jlgcli passes these flags is another test's matter.
 */

let server: ModelServer;
let place: IsolatedEnv;

beforeAll(async () => {
  server = await startModelServer();
});

afterEach(async () => {
  await endLeftOverProcesses({ runId: place.runId, home: place.home });
  await place.cleanUp();
  server.reset();
});

afterAll(() => server.close());

type Level = "none" | "read-only" | "workspace-write" | "full";

type Act = (isolated: IsolatedEnv) => ModelAnswer;

async function runAt(backend: BackendId, level: Level, act: Act): Promise<void> {
  place = await createIsolatedEnv(backend, { serverUrl: server.url, settingsAllowEverything: true });
  const env: Record<string, string> = { ...place.env, IS_SANDBOX: "1" };
  if (level !== "none") for (const name of RAW_LEVEL_VARIABLES_TO_REMOVE) delete env[name];
  server.enqueue(act(place), say("That was all."));
  const args = level === "none" ? RAW_ARGS[backend] : RAW_LEVEL_ARGS[backend][level];
  const ended = await runProgram(backend, args, { cwd: place.cwd, env, input: "go on" });
  expect(ended.exitCode).toBe(0);
  expect(server.calls[1]?.toolResults).toHaveLength(1);
}

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

const wasMade = (): boolean => existsSync(join(place.cwd, "made.txt")) || existsSync(join(place.outside, "made.txt"));

describe.each(BACKEND_IDS)("%s in a home that allows everything", (backend) => {
  it("would write outside its directory if nobody stopped it", async () => {
    await runAt(backend, "none", bashOutside);
    expect(wasMade()).toBe(true);
  });

  it.each([
    ["a redirection of the shell", bashInside],
    ["a redirection to the outside", bashOutside],
    ["its own tool", writeInside],
  ])("does not write read-only, by %s", async (_name, act) => {
    await runAt(backend, "read-only", act);
    expect(wasMade()).toBe(false);
  });

  it("writes in its directory at workspace-write", async () => {
    await runAt(backend, "workspace-write", writeInside);
    expect(wasMade()).toBe(true);
  });

  // copilot's own tool is a case of its own, below.
  it.each(WAYS_OUT.filter(([, act]) => backend !== "copilot" || act !== writeOutside))("does not write outside its directory at workspace-write, by %s", async (_name, act) => {
    await runAt(backend, "workspace-write", act);
    expect(wasMade()).toBe(false);
  });

  it("writes anywhere at full", async () => {
    await runAt(backend, "full", bashOutside);
    expect(wasMade()).toBe(true);
  });
});

describe("copilot's directories that the user has allowed for good", () => {
  const args = RAW_LEVEL_ARGS.copilot["workspace-write"];

  it("stay writable at workspace-write, whatever the flags", async () => {
    await runAt("copilot", "workspace-write", writeOutside);
    expect(wasMade()).toBe(true);
  });

  it("are unknown in a home that links everything but the permissions", async () => {
    place = await createIsolatedEnv("copilot", { serverUrl: server.url, settingsAllowEverything: true });
    const env = { ...place.env, COPILOT_ALLOW_ALL: "", COPILOT_HOME: join(place.home, "linked") };
    mkdirSync(env.COPILOT_HOME);
    for (const name of ["config.json", "settings.json"]) symlinkSync(join(place.home, ".copilot", name), join(env.COPILOT_HOME, name));
    server.enqueue(writeOutside(place), say("That was all."));
    await runProgram("copilot", args, { cwd: place.cwd, env, input: "go on" });
    expect(server.calls[1]?.toolResults).toHaveLength(1);
    expect(wasMade()).toBe(false);
  });
});

describe("what the levels leave alone", () => {
  it("keeps claude's key helper and the user's memory when reading only", async () => {
    place = await createIsolatedEnv("claude", { serverUrl: server.url, withoutCredentials: true, settingsAllowEverything: true });
    writeFileSync(join(place.home, ".claude", "settings.json"), JSON.stringify({ apiKeyHelper: "echo key-of-the-helper" }));
    writeFileSync(join(place.home, ".claude", "CLAUDE.md"), "Remember the milk.");
    await runProgram("claude", RAW_LEVEL_ARGS.claude["read-only"], { cwd: place.cwd, env: place.env, input: "hello" });
    expect(server.requests.find(({ model }) => model !== null)?.auth).toEqual({ kind: "x-api-key", value: "key-of-the-helper" });
    expect(server.calls[0]?.rawPrompt).toContain("Remember the milk.");
  });
});
