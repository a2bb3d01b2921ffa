import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { bigText } from "./directives.js";
import { type IsolatedEnv, type IsolatedEnvOptions, createIsolatedEnv } from "./isolated-env.js";
import { valueAt } from "./json-value.js";
import { endLeftOverProcesses, findLeftOverProcesses, waitForNoLeftOvers } from "./left-over-processes.js";
import { failWith, runBash, say, silence } from "./model-answer.js";
import { type ModelServer, startModelServer } from "./model-server.js";
import { RAW_ARGS, RAW_ARGS_ALLOWING_TOOLS } from "./raw-invocations.js";
import { type ProgramRun, type ProgramRunOptions, runProgram } from "./run-program.js";

let server: ModelServer;
let isolated: IsolatedEnv | undefined;

beforeAll(async () => {
  server = await startModelServer();
});

afterEach(async () => {
  if (isolated !== undefined) {
    await endLeftOverProcesses({ runId: isolated.runId, home: isolated.home });
    await isolated.cleanUp();
  }
  isolated = undefined;
  server.reset();
});

afterAll(() => server.close());

const setUp = async (backend: BackendId, options: Omit<IsolatedEnvOptions, "serverUrl"> = {}): Promise<IsolatedEnv> =>
  (isolated = await createIsolatedEnv(backend, { serverUrl: server.url, ...options }));

const run = (backend: BackendId, place: IsolatedEnv, args: readonly string[], options: Partial<ProgramRunOptions>): Promise<ProgramRun> =>
  runProgram(backend, args, { cwd: place.cwd, env: place.env, ...options });

/** The final answer, read where each backend puts it. */
const FINAL_TEXT: Record<BackendId, (records: readonly unknown[]) => unknown> = {
  claude: (records) => valueAt(records.findLast((record) => valueAt(record, "type") === "result"), "result"),
  codex: (records) => valueAt(records.findLast((record) => valueAt(record, "item", "type") === "agent_message"), "item", "text"),
  copilot: (records) =>
    valueAt(records.findLast((record) => valueAt(record, "type") === "assistant.message" && valueAt(record, "data", "content") !== ""), "data", "content"),
};

describe.each(BACKEND_IDS)("%s against the model server", (backend) => {
  it("answers with the model's text and sends the prompt unchanged", async () => {
    const place = await setUp(backend);
    const prompt = "What is in a name? “Ünïcode”, 'quotes', $HOME and\ntwo lines";
    server.enqueue(say("A rose — by any other word.", { chunks: 5, delayMs: 5 }));
    const ended = await run(backend, place, RAW_ARGS[backend], { input: prompt });
    expect(ended).toMatchObject({ exitCode: 0, signal: null });
    expect(FINAL_TEXT[backend](ended.records)).toBe("A rose — by any other word.");
    expect(server.calls.map((call) => call.prompt)).toEqual([prompt]);
    expect(await waitForNoLeftOvers({ runId: place.runId })).toEqual([]);
  });

  it("fails when the service refuses the key", async () => {
    const place = await setUp(backend);
    server.respondWith(() => failWith(401, { variant: 1, shouldRetry: false }));
    const ended = await run(backend, place, RAW_ARGS[backend], { input: "hello" });
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(/401|Invalid API key/);
  });

  it("runs a command of the model where its flags allow that, and hands the output back", async () => {
    const place = await setUp(backend);
    server.enqueue(runBash("echo written by a tool > out.txt; cat out.txt"), say("It is done."));
    const ended = await run(backend, place, RAW_ARGS_ALLOWING_TOOLS[backend], { input: "write a file" });
    expect(ended.exitCode).toBe(0);
    expect(readFileSync(join(place.cwd, "out.txt"), "utf8")).toBe("written by a tool\n");
    expect(server.calls[1]?.toolResults.join()).toContain("written by a tool");
    expect(FINAL_TEXT[backend](ended.records)).toBe("It is done.");
  });

  it("stays silent with a silent server, and nothing of it is left once it is killed", async () => {
    const place = await setUp(backend);
    server.respondWith(() => silence);
    const running = run(backend, place, RAW_ARGS[backend], { input: "anyone there?" });
    await server.waitForCall();
    expect(findLeftOverProcesses({ runId: place.runId }).length).toBeGreaterThan(0);
    await endLeftOverProcesses({ runId: place.runId });
    const ended = await running;
    expect(ended.exitCode === 0 && ended.signal === null).toBe(false);
    expect(findLeftOverProcesses({ home: place.home })).toEqual([]);
  });

  it("gets a long answer whole", async () => {
    const place = await setUp(backend);
    const text = bigText(300_000);
    server.enqueue(say(text, { chunks: 20 }));
    const ended = await run(backend, place, RAW_ARGS[backend], { input: "a long answer, please", stdoutTo: "file" });
    expect(FINAL_TEXT[backend](ended.records)).toBe(text);
  });

  it("makes no call without credentials", async () => {
    const place = await setUp(backend, { withoutCredentials: true });
    const ended = await run(backend, place, RAW_ARGS[backend], { input: "hello" });
    expect(ended.exitCode).toBe(1);
    expect(server.calls).toEqual([]);
    expect(ended.stdout + ended.stderr).toMatch(/Not logged in|Missing environment variable|No authentication information found/);
  });
});
