import { describe, expect, it } from "vitest";
import { textAt, valueAt } from "../json-value.js";
import { cutAfter, failWith, runBash, say } from "../model-answer.js";
import type { JlgcliRun } from "../run-jlgcli.js";
import { MORE_BACKEND_IDS, type MoreBackendId } from "./backends.js";
import { onMoreStage } from "./stage.js";

const chunksOf = ({ events }: JlgcliRun): string => events.filter(({ type }) => type === "agent_message_chunk").map((event) => textAt(event, "content", "text") ?? "").join("|");

/** What the model server's answer of 100 input (80 of them cached) and 7 output tokens comes to in each vendor's own counting. */
const USAGE: Record<MoreBackendId, Record<string, unknown>> = {
  gemini: { inputTokens: 100, cacheReadTokens: 80, cacheWriteTokens: null, outputTokens: 7, reasoningTokens: null, totalTokens: 107 },
  // It counts cached input beside the rest.
  opencode: { inputTokens: 20, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: 0, totalTokens: 107 },
  // In safe mode it makes no call beside the answer.
  qwen: { inputTokens: expect.any(Number) as number, cacheReadTokens: expect.any(Number) as number, cacheWriteTokens: null, outputTokens: expect.any(Number) as number, reasoningTokens: null, totalTokens: expect.any(Number) as number },
  pi: { inputTokens: 20, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: null, totalTokens: 107 },
};

const MODEL_ARG: Record<MoreBackendId, string> = { gemini: "gemini-2.5-pro", opencode: "stub/stub-model", qwen: "stub-model", pi: "stub/stub-model" };
/** Who tells which model answered. */
const MODEL: Record<MoreBackendId, string | null> = { gemini: "gemini-2.5-pro", opencode: null, qwen: "stub-model", pi: "stub-model" };

const COST: Record<MoreBackendId, unknown> = { gemini: null, opencode: { amount: expect.any(Number) as number, currency: "USD" }, qwen: null, pi: { amount: expect.any(Number) as number, currency: "USD" } };

describe.concurrent.each(MORE_BACKEND_IDS)("an answer of %s", (backend) => {
  it("is streamed as events and told once in the result, with usage, cost, model and session", () =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.enqueue(say("alpha beta gamma delta", { chunks: 4, usage: { inputTokens: 20, cachedInputTokens: 80, outputTokens: 7 } }));
      const ended = await run(["--output", "stream-json", "--model", MODEL_ARG[backend], "hello"]);
      expect(ended.events[0]).toMatchObject({ type: "start", backend, simulated: false, access: "read-only" });
      expect(chunksOf(ended)).toBe(backend === "opencode" ? "alpha beta gamma delta" : "alpha |beta g|amma d|elta");
      expect(ended.result).toMatchObject({ type: "result", exitCode: 0, status: "success", text: "alpha beta gamma delta", usage: USAGE[backend], model: MODEL[backend], cost: COST[backend], reason: null });
      expect(ended.result.sessionId).toMatch(/^(ses_\w+|[0-9a-f-]{36})$/);
      expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    }));

  it("is what the model said last, where a tool ran before it", () =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.enqueue({ ...runBash("echo hi"), text: "Let me see." }, say("That was all."));
      const ended = await run(["--access", "full", "hello"]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "That was all.\n" });
    }));

  it("is whole where the backend's second try succeeds", () =>
    onMoreStage(backend, { withoutRetries: false }, async ({ run, server }) => {
      // gemini does not try again once the answer has begun.
      server.enqueue(backend === "gemini" ? failWith(500) : cutAfter(3));
      server.respondWith(() => say("the whole answer"));
      const ended = await run(["--json", "hello"], { timeoutMs: 100_000 });
      // qwen puts it behind what had come before the break, and says so nowhere.
      if (backend === "qwen") expect(ended.result).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^one.*the whole answer$/) as string });
      else expect(ended.result).toMatchObject({ exitCode: 0, text: "the whole answer" });
      expect(server.calls.length).toBeGreaterThan(1);
    }));
});

/** What a stream that breaks each time comes to; opencode tries again for minutes, qwen some twenty times. */
const BROKEN: Record<MoreBackendId, readonly string[]> = { gemini: ["unavailable"], opencode: ["timeout"], qwen: ["unavailable", "timeout"], pi: ["unavailable"] };

describe.concurrent.each(MORE_BACKEND_IDS)("an answer of %s that breaks off each time", (backend) => {
  it("is never a success", () =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => cutAfter(3));
      const ended = await run(["--json", "--timeout", "25s", "hello"]);
      expect(BROKEN[backend], ended.stdout).toContain(ended.result.status);
    }));
});

describe.concurrent.each(MORE_BACKEND_IDS)("a session of %s", (backend) => {
  it("goes on after the early end of its first run", () =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.respondWith((request) => say(request.prompt.includes("second") ? "the second answer" : "the first answer"));
      const first = await run(["--json", "the first question"]);
      const sessionId = textAt(first.result, "sessionId") ?? "";
      const second = await run(["--json", "--resume", sessionId, "the second question"]);
      expect(second.result).toMatchObject({ exitCode: 0, text: "the second answer", sessionId });
      const call = server.calls.find(({ prompt }) => prompt.includes("the second question"));
      expect(JSON.stringify(call?.body)).toContain("the first answer");
      // qwen adds up over the whole session; what this run used cannot be told.
      if (backend === "qwen") expect(second.result.usage).toBeNull();
      else expect(valueAt(second.result, "usage", "totalTokens")).toEqual(expect.any(Number));
    }));

  it("that does not exist is 66", () =>
    onMoreStage(backend, { callsAreDue: false }, async ({ run }) => {
      const unknown = backend === "opencode" ? "ses_doesnotexist" : "00000000-0000-4000-8000-000000000000";
      const ended = await run(["--json", "--resume", unknown, "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 66, status: "no-input", reason: "session-not-found" });
    }));
});
