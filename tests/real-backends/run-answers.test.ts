import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { bigText } from "./directives.js";
import { textAt, valueAt } from "./json-value.js";
import { cutAfter, failWith, say } from "./model-answer.js";
import { createIsolatedEnv } from "./isolated-env.js";
import { startModelServer } from "./model-server.js";
import { runProgram } from "./run-program.js";
import type { JlgcliRun } from "./run-jlgcli.js";

const chunksOf = ({ events }: JlgcliRun): (string | null)[] =>
  events.filter(({ type }) => type === "agent_message_chunk").map((event) => textAt(event, "content", "text"));

/** What the model server's answer of 100 input (80 of them cached) and 7 output tokens comes to in each vendor's own counting. */
const USAGE: Record<BackendId, Record<string, number | null>> = {
  // claude counts cached input beside the rest.
  claude: { inputTokens: 20, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: null, totalTokens: 107 },
  // codex and copilot count it as a part.
  codex: { inputTokens: 100, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: 0, totalTokens: 107 },
  copilot: { inputTokens: 100, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: null, totalTokens: 107 },
};

/** Who tells which model answered. */
const MODEL: Record<BackendId, string | null> = { claude: "claude-sonnet-4-5", codex: null, copilot: "claude-sonnet-4-5" };

describe.concurrent.each(BACKEND_IDS)("an answer of %s", (backend) => {
  it("is streamed as events and told once in the result, with its usage, model and session", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.enqueue(say("alpha beta gamma delta", { chunks: 4, usage: { inputTokens: 20, cachedInputTokens: 80, outputTokens: 7 } }));
      const ended = await run(["--output", "stream-json", "--model", "claude-sonnet-4-5", "hello"]);
      expect(ended.events[0]).toMatchObject({ type: "start", backend, simulated: false, access: "read-only" });
      expect(chunksOf(ended)).toEqual(backend === "codex" ? ["alpha beta gamma delta"] : ["alpha ", "beta g", "amma d", "elta"]);
      expect(ended.result).toMatchObject({ type: "result", exitCode: 0, status: "success", text: "alpha beta gamma delta", usage: USAGE[backend], model: MODEL[backend], reason: null });
      expect(ended.result.sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(ended.exitCode).toBe(0);
      expect(ended.stderr).toBe("");
    }));

  it("is all that stdout carries in text mode", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.enqueue(say("# A title\n\n- one\n- *two*", { chunks: 3 }));
      const ended = await run(["-q", "hello"]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "# A title\n\n- one\n- *two*\n", stderr: "" });
    }));
});

const BIG = bigText(1_900_000);

/** Resolves three seconds after the model was first called, when the backend is in the middle of its answer. */
async function afterThreeSeconds({ server }: BackendStage): Promise<void> {
  await server.waitForCall(undefined, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

describe.concurrent.each(BACKEND_IDS)("an answer of 1.9 MB of %s, while its reader takes nothing for three seconds", (backend) => {
  it("is complete as text", () =>
    onStage(backend, {}, async (stage) => {
      stage.server.respondWith(() => say(BIG, { chunks: 100 }));
      const ended = await stage.run(["hello"], { readFrom: afterThreeSeconds(stage), timeoutMs: 110_000 });
      expect(ended.exitCode).toBe(0);
      // Not compared by the assertion: the difference of two such texts would be printed.
      expect(ended.stdout.length).toBe(BIG.length + (BIG.endsWith("\n") ? 0 : 1));
      expect(ended.stdout.trimEnd() === BIG.trimEnd()).toBe(true);
      expect(ended.durationMs).toBeGreaterThan(3000);
    }));

  it("is complete as events", () =>
    onStage(backend, {}, async (stage) => {
      stage.server.respondWith(() => say(BIG, { chunks: 100 }));
      const ended = await stage.run(["--output", "stream-json", "hello"], { readFrom: afterThreeSeconds(stage), timeoutMs: 110_000 });
      expect(ended.exitCode).toBe(0);
      expect(ended.result.text === BIG).toBe(true);
      // copilot drops deltas in a burst; what it streams is a hint.
      if (backend !== "copilot") expect(chunksOf(ended).join("") === BIG).toBe(true);
    }));
});

// The control: a reader that comes when claude has gone finds what a pipe holds, and no more.
it("claude by itself loses a part of it to such a reader", async () => {
  const server = await startModelServer();
  const place = await createIsolatedEnv("claude", { serverUrl: server.url });
  server.respondWith(() => say(BIG, { chunks: 100 }));
  const ended = await runProgram("sh", ["-c", "(claude -p; touch gone) | (until [ -e gone ]; do sleep 0.1; done; wc -c)"], { cwd: place.cwd, env: place.env, input: "hello" });
  expect(server.calls.length).toBeGreaterThan(0);
  expect(Number(ended.stdout)).toBeLessThan(BIG.length);
  await server.close();
  await place.cleanUp();
});

/** What each backend does about a broken stream by itself would hide it. */
const WITHOUT_SECOND_TRY: Record<BackendId, Record<string, string>> = {
  claude: { CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1" },
  codex: {},
  copilot: {},
};

describe.concurrent.each(BACKEND_IDS)("an answer of %s that breaks off", (backend) => {
  it("fails as unavailable and keeps what was said", () =>
    onStage(backend, { env: WITHOUT_SECOND_TRY[backend] }, async ({ run, server }) => {
      server.respondWith(() => cutAfter(3));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 69, status: "unavailable", reason: "network" });
      // codex prints whole messages alone: of one that broke off it says nothing.
      const partial = valueAt(ended.result, "partialText");
      if (backend === "codex") expect(partial).toBeNull();
      else expect(partial).toContain("one two");
    }));

  it("is whole where the backend's second try succeeds", () =>
    onStage(backend, { withoutRetries: false }, async ({ run, server }) => {
      server.enqueue(cutAfter(3));
      server.respondWith(() => say("the whole answer"));
      const ended = await run(["hello"]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "the whole answer\n" });
      expect(server.calls.length).toBeGreaterThan(1);
    }));
});

describe.concurrent.each(BACKEND_IDS)("a session of %s", (backend) => {
  it("goes on after the early end of its first run", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.enqueue(say("the first answer"), say("the second answer"));
      const first = await run(["--json", "the first question"]);
      const sessionId = textAt(first.result, "sessionId") ?? "";
      const second = await run(["--json", "--resume", sessionId, "the second question"]);
      expect(second.result).toMatchObject({ exitCode: 0, text: "the second answer", sessionId });
      expect(JSON.stringify(server.calls[1]?.body)).toContain("the first answer");
      expect(server.calls[1]?.prompt).toBe("the second question");
      // codex adds up over the whole thread; what this run used cannot be told.
      if (backend === "codex") expect(second.result.usage).toBeNull();
      else expect(second.result.usage).toMatchObject({ totalTokens: expect.any(Number) as number });
    }));

  it("that does not exist is 66", () =>
    onStage(backend, { callsAreDue: false }, async ({ run }) => {
      const ended = await run(["--json", "--resume", "00000000-0000-4000-8000-000000000000", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 66, status: "no-input", reason: "session-not-found" });
    }));
});

describe("claude's fallback", () => {
  it("after a broken stream that fails too is told as it is", () =>
    onStage("claude", {}, async ({ run, server }) => {
      server.enqueue(cutAfter(3));
      server.respondWith(() => failWith(529));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 69, status: "unavailable" });
    }));
});
