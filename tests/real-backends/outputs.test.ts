import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { findProgram } from "./isolated-env.js";
import { listAt, textAt, valueAt } from "./json-value.js";
import { type ModelAnswer, failWith, say, writeFile } from "./model-answer.js";
import type { ModelRequest } from "./model-request.js";
import type { JlgcliRun } from "./run-jlgcli.js";

const SCHEMA = { type: "object", properties: { risk: { type: "string", enum: ["low", "high"] } }, required: ["risk"], additionalProperties: false };
/** Its one property may be left out, which the strict mode of a service does not take. */
const LOOSE_SCHEMA = { type: "object", properties: { risk: { type: "string" } } };

const schemaArgs = (schema: unknown): readonly string[] => ["--json", "--schema", JSON.stringify(schema)];

/** claude is answered by a call of its own tool for structured answers; the others by text. */
function answerWith(value: unknown): (request: ModelRequest) => ModelAnswer {
  return ({ tools, toolResults }) =>
    tools.some(({ name }) => name === "StructuredOutput") && toolResults.length === 0
      ? { kind: "tool", call: { name: "StructuredOutput", input: isRecord(value) ? value : {} } }
      : say(JSON.stringify(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** How each backend tells its service about the schema. */
const TELLS_SCHEMA: Record<BackendId, (request: ModelRequest) => unknown> = {
  claude: ({ body }) => valueAt(listAt(body, "tools").find((tool) => textAt(tool, "name") === "StructuredOutput"), "input_schema"),
  codex: ({ body }) => valueAt(body, "text", "format", "schema"),
  copilot: ({ prompt }) => JSON.parse(prompt.slice(prompt.indexOf("{"))) as unknown,
};

const attemptsOf = ({ result }: JlgcliRun): readonly unknown[] => listAt(result, "attempts");

describe.concurrent.each(BACKEND_IDS)("a schema on %s", (backend) => {
  it("reaches the model, and the answer comes back as a value", () =>
    onStage(backend, {}, async ({ run, server, place }) => {
      server.respondWith(answerWith({ risk: "low" }));
      const ended = await run([...schemaArgs(SCHEMA), "rate the risk"]);
      expect(ended.result).toMatchObject({ exitCode: 0, status: "success", structured: { risk: "low" } });
      expect(JSON.parse(textAt(ended.result, "text") ?? "")).toEqual({ risk: "low" });
      expect(ended.result).not.toHaveProperty("attempts");
      const [first] = server.calls;
      expect(first === undefined ? null : TELLS_SCHEMA[backend](first)).toMatchObject(SCHEMA);
      // The private file that codex reads the schema from is gone.
      expect(readdirSync(place.env["TMPDIR"] ?? "").filter((name) => name.startsWith("jlgcli-"))).toEqual([]);
    }));

  it("is asked for again with what was wrong, and fails with 65 and the raw answer when it stays so", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => say('{"risk":"medium"}'));
      const ended = await run([...schemaArgs(SCHEMA), "rate the risk"]);
      expect(ended.result).toMatchObject({ exitCode: 65, status: "invalid-data", partialText: '{"risk":"medium"}' });
      expect(ended.result).not.toHaveProperty("structured");
      expect(ended.result["text"]).toContain("/risk must be equal to one of the allowed values");
      expect(attemptsOf(ended)).toMatchObject([{ cause: "first", exitCode: 0 }, { cause: "repair", exitCode: 0 }]);
      expect(server.calls.filter(({ rawPrompt }) => rawPrompt.includes("/risk must be equal to one of the allowed values"))).not.toEqual([]);
    }));

  it("is satisfied by the repaired answer", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith((request) => (request.rawPrompt.includes("could not be used") ? answerWith({ risk: "high" })(request) : say("It is risky.")));
      const ended = await run([...schemaArgs(SCHEMA), "rate the risk"]);
      expect(ended.result).toMatchObject({ exitCode: 0, structured: { risk: "high" } });
      expect(attemptsOf(ended)).toHaveLength(2);
    }));
});

it("asks codex in the prompt for what the strict mode of its service does not take", () =>
  onStage("codex", {}, async ({ run, server }) => {
    server.respondWith(answerWith({}));
    const ended = await run([...schemaArgs(LOOSE_SCHEMA), "rate the risk"]);
    expect(ended.result).toMatchObject({ exitCode: 0, structured: {} });
    expect(valueAt(server.calls[0]?.body, "text", "format", "schema")).toBeUndefined();
    expect(server.calls[0]?.prompt).toContain(JSON.stringify(LOOSE_SCHEMA));
  }));

it("hands codex a schema also when a session is continued", () =>
  onStage("codex", {}, async ({ run, server }) => {
    server.respondWith(answerWith({ risk: "low" }));
    const first = await run(["--json", "hello"]);
    const ended = await run([...schemaArgs(SCHEMA), "--resume", textAt(first.result, "sessionId") ?? "", "rate the risk"]);
    expect(ended.result).toMatchObject({ exitCode: 0, structured: { risk: "low" } });
    expect(valueAt(server.calls.at(-1)?.body, "text", "format", "schema")).toMatchObject(SCHEMA);
  }));

// One stage has one backend; the other one of the chain is a program that is not installed there.
describe.concurrent.each(BACKEND_IDS)("a fallback of %s", (backend) => {
  const others = BACKEND_IDS.filter((id) => id !== backend).join(",");

  it("is what answers when the backends before it are missing", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => say("here I am"));
      const ended = await run(["--json", "--backend", `${others},${backend}`, "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 0, backend, text: "here I am" });
      expect(attemptsOf(ended)).toMatchObject([{ cause: "first", exitCode: 2 }, { cause: "fallback", exitCode: 2 }, { cause: "fallback", exitCode: 0, backend }]);
    }));

  it.each([
    [401, 6, "backend-unauthenticated"],
    [429, 69, "rate-limited"],
  ])("comes next on %i of its service, and the last code counts", (status, exitCode, word) =>
    onStage(backend, { env: { COPILOT_PROVIDER_MAX_RETRIES: "0" } }, async ({ run, server }) => {
      server.respondWith(() => failWith(status, { shouldRetry: false, retryAfter: "3600" }));
      const ended = await run(["--json", "--backend", `${backend},${others.split(",")[0] ?? ""}`, "hello"]);
      expect(attemptsOf(ended)).toMatchObject([{ cause: "first", backend, exitCode, status: word }, { cause: "fallback", exitCode: 2 }]);
      expect(ended.exitCode).toBe(2);
    }));

  it("is not asked after a tool has changed something, unless that is allowed", () =>
    onStage(backend, { env: { IS_SANDBOX: "1" } }, async ({ run, server, place }) => {
      const act = (request: ModelRequest): ModelAnswer => (request.toolResults.length === 0 ? writeFile(join(place.cwd, "made.txt"), "hi") : failWith(401, { shouldRetry: false }));
      server.respondWith(act);
      const args = ["--json", "--access", "full", "--backend", `${backend},${others.split(",")[0] ?? ""}`];
      const kept = await run([...args, "make it"]);
      expect(existsSync(join(place.cwd, "made.txt"))).toBe(true);
      expect(kept.result).toMatchObject({ exitCode: 6, backend });
      expect(kept.result).not.toHaveProperty("attempts");
      const allowed = await run([...args, "--fallback-after-tools", "make it again"]);
      expect(attemptsOf(allowed)).toHaveLength(2);
    }));

  it("is found by 'auto' where it alone is installed", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => say("found"));
      const ended = await run(["--json", "--backend", "auto", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 0, backend, text: "found" });
    }));
});

it.each([401, 429])("lets claude answer where codex meets %i", (status) =>
  onStage("codex", {}, async ({ run, server, place }) => {
    symlinkSync(findProgram("claude"), join((place.env["PATH"] ?? "").split(":")[0] ?? "", "claude"));
    server.respondWith(({ dialect }) => (dialect === "openai-responses" ? failWith(status, { shouldRetry: false }) : say("claude was asked")));
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-test-key" };
    const ended = await run(["--json", "--backend", "codex,claude", "hello"], { env });
    expect(ended.result).toMatchObject({ exitCode: 0, backend: "claude", text: "claude was asked" });
    expect(attemptsOf(ended)).toMatchObject([{ backend: "codex", cause: "first" }, { backend: "claude", cause: "fallback", exitCode: 0 }]);
  }));

describe.concurrent.each(BACKEND_IDS)("a retry of %s", (backend) => {
  it("answers when the service is there again", () =>
    onStage(backend, {}, async ({ run, server }) => {
      let isDown = true;
      server.respondWith(() => (isDown ? failWith(503, { shouldRetry: false }) : say("back again")));
      const ended = await run(["--output", "stream-json", "--retries", "3", "hello"], {
        onStart: () => void server.waitForCall(undefined, 60_000).then(() => setTimeout(() => (isDown = false), 1_000)),
        timeoutMs: 100_000,
      });
      const { attempts } = ended.result;
      // A backend that tries again by itself may outlast the outage.
      expect(ended.result).toMatchObject({ exitCode: 0, text: "back again" });
      if (attempts !== undefined) expect(listAt(ended.result, "attempts").at(-1)).toMatchObject({ cause: "retry", exitCode: 0 });
      expect(ended.events.filter(({ type }) => type === "result")).toHaveLength(1);
    }), 120_000);
});

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

describe.concurrent("an attachment", () => {
  it.each(["codex", "copilot"] as const)("reaches the model through %s", (backend) =>
    onStage(backend, {}, async ({ run, server, place }) => {
      writeFileSync(join(place.cwd, "pixel.png"), PIXEL);
      server.respondWith(() => say("a pixel"));
      const ended = await run(["--json", "--attach", "pixel.png", "what is this?"]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "a pixel" });
      expect(JSON.stringify(server.calls[0]?.body)).toContain(PIXEL.toString("base64").slice(0, 40));
    }));

  it("leaves codex its session", () =>
    onStage("codex", {}, async ({ run, server, place }) => {
      writeFileSync(join(place.cwd, "pixel.png"), PIXEL);
      server.respondWith(() => say("a pixel"));
      const first = await run(["--json", "hello"]);
      const sessionId = textAt(first.result, "sessionId");
      const ended = await run(["--json", "--attach", "pixel.png", "--resume", sessionId ?? "", "what is this?"]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "a pixel", sessionId });
    }));

  it("is refused with 64 by claude, which takes none", () =>
    onStage("claude", { callsAreDue: false }, async ({ run, place }) => {
      writeFileSync(join(place.cwd, "pixel.png"), PIXEL);
      expect((await run(["--json", "--attach", "pixel.png", "what is this?"])).result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
    }));
});
