import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStage, type StageOptions } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { wordingCount } from "./error-bodies.js";
import { failWith } from "./model-answer.js";
import type { Dialect } from "./model-request.js";

const DIALECT: Record<BackendId, Dialect> = { claude: "anthropic-messages", codex: "openai-responses", copilot: "openai-chat" };

const wordingsOf = (backend: BackendId, status: number): number[] => [...Array(wordingCount(DIALECT[backend], status)).keys()];

/** Nobody waits longer to hear that they are not signed in. */
const SIGNED_OUT_LIMIT_MS = 20_000;

interface RefusalCase {
  readonly title: string;
  readonly backend: BackendId;
  readonly variant: number;
  readonly shouldRetry: boolean | undefined;
  readonly options: StageOptions;
}

/** Every wording, with each form of the header, with the backend's own retries on. */
const REFUSALS: readonly RefusalCase[] = BACKEND_IDS.flatMap((backend) =>
  wordingsOf(backend, 401).flatMap((variant) =>
    [undefined, true, false].flatMap((shouldRetry): RefusalCase[] => {
      const header = shouldRetry === undefined ? "without x-should-retry" : `with x-should-retry: ${shouldRetry}`;
      const title = `${backend}: wording ${variant}, ${header}`;
      const own = { title, backend, variant, shouldRetry, options: { withoutRetries: false } };
      // codex's own provider retries on another schedule, and tries a websocket first.
      const builtIn = { ...own, title: `${title}, built-in provider`, options: { withoutRetries: false, builtInProvider: true } };
      return backend === "codex" ? [own, builtIn] : [own];
    }),
  ),
);

describe.concurrent("a service that refuses the credentials (401)", () => {
  it.each(REFUSALS)("is 6 in time on $title", ({ backend, variant, shouldRetry, options }) =>
    onStage(backend, options, async ({ run, server }) => {
      server.respondWith(() => failWith(401, { variant, ...(shouldRetry === undefined ? {} : { shouldRetry }) }));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", reason: "unauthenticated" });
      expect(ended.result.details).toContain("sign in with");
      expect(ended.durationMs).toBeLessThan(SIGNED_OUT_LIMIT_MS);
      expect(ended.exitCode).toBe(6);
    }),
  );
});

describe.concurrent.each(BACKEND_IDS)("%s without credentials", (backend) => {
  it("is 6 in time, and asks no model", () =>
    onStage(backend, { withoutCredentials: true, withoutRetries: false, callsAreDue: false }, async ({ run }) => {
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated" });
      expect(ended.result.details).toContain("sign in with");
      expect(ended.durationMs).toBeLessThan(SIGNED_OUT_LIMIT_MS);
    }));
});

describe("copilot without credentials", () => {
  it("asks GitHub alone, through the proxy that it is given, and believes a network that is not there", async () => {
    const proxy = await startRefusingProxy();
    await onStage("copilot", { withoutCredentials: true, callsAreDue: false, env: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url } }, async ({ run }) => {
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", reason: "unauthenticated" });
      expect(ended.result.text).toContain("No authentication information found");
    });
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT api.github.com:443 HTTP/1.1"]));
    proxy.close();
  });
});

/** Notes what it is asked for and lets nobody through. */
async function startRefusingProxy(): Promise<{ readonly url: string; readonly asked: readonly string[]; close(): void }> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => {
      asked.push(data.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return { url: `http://127.0.0.1:${address.port}`, asked, close: () => void server.close() };
}

interface StatusCase {
  readonly status: number;
  readonly title: string;
  readonly exitCode: number;
  readonly is: { readonly status: string; readonly reason: string };
  /** A part of the sentence: the backend's own, or the service's. */
  readonly says: Record<BackendId, string>;
}

const STATUS_CASES: readonly StatusCase[] = [
  { status: 403, title: "forbids it", exitCode: 6, is: { status: "backend-unauthenticated", reason: "unauthenticated" }, says: { claude: "does not have permission", codex: "insufficient permissions", copilot: "HTTP 403" } },
  { status: 429, title: "limits the rate", exitCode: 69, is: { status: "rate-limited", reason: "rate-limited" }, says: { claude: "rate limit", codex: "429 Too Many Requests", copilot: "Rate limit reached" } },
  { status: 500, title: "fails", exitCode: 69, is: { status: "unavailable", reason: "overloaded" }, says: { claude: "Internal server error", codex: "high demand", copilot: "The server had an error" } },
  { status: 503, title: "is away", exitCode: 69, is: { status: "unavailable", reason: "overloaded" }, says: { claude: "Service temporarily unavailable", codex: "currently overloaded", copilot: "currently overloaded" } },
  { status: 529, title: "is overloaded", exitCode: 69, is: { status: "unavailable", reason: "overloaded" }, says: { claude: "Overloaded", codex: "Overloaded", copilot: "Overloaded" } },
  { status: 404, title: "does not know the model", exitCode: 1, is: { status: "error", reason: "unknown-model" }, says: { claude: "issue with the selected model", codex: "does not exist", copilot: "not found on provider" } },
  { status: 400, title: "takes the request for a bad one", exitCode: 1, is: { status: "error", reason: "bad-request" }, says: { claude: "text content blocks must be non-empty", codex: "Invalid type for 'input'", copilot: "Invalid type for 'input'" } },
];

describe.concurrent.each(BACKEND_IDS)("%s with a service that", (backend) => {
  it.each(STATUS_CASES)("$title ($status) ends with $exitCode and says why", ({ status, exitCode, is, says }) =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => failWith(status, { retryAfter: "0" }));
      const ended = await run(["--json", "hello"], { timeoutMs: 100_000 });
      expect(ended.result).toMatchObject({ exitCode, ...is });
      expect(ended.result.text).toContain(says[backend]);
      expect(ended.exitCode).toBe(exitCode);
    }),
  );

  it("cannot be reached ends with 69", () =>
    onStage(backend, { callsAreDue: false }, async ({ run, server }) => {
      await server.close();
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 69, status: "unavailable", reason: "network" });
    }));
});

describe.concurrent.each(BACKEND_IDS)("%s that is not installed", (backend) => {
  it("is 2 with the command that installs it", () =>
    onStage(backend, { callsAreDue: false }, async ({ run, place }) => {
      rmSync(join(place.bin, backend));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 2, status: "backend-missing", text: `the backend '${backend}' is not installed` });
      expect(ended.result.details).toContain("npm install -g");
    }));
});
