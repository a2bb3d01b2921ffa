import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failWith } from "../model-answer.js";
import { MORE_BACKEND_IDS, type MoreBackendId } from "./backends.js";
import { onMoreStage } from "./stage.js";

/** Nobody waits longer to hear that they are not signed in. */
const SIGNED_OUT_LIMIT_MS = 30_000;

describe.concurrent.each(MORE_BACKEND_IDS)("%s without credentials", (backend) => {
  it("is 6 in time, and asks no model", () =>
    onMoreStage(backend, { withoutCredentials: true, withoutRetries: false, callsAreDue: false }, async ({ run }) => {
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 6, status: "backend-unauthenticated", reason: "unauthenticated" });
      expect(ended.result.details).toContain("sign in with");
      expect(ended.durationMs).toBeLessThan(SIGNED_OUT_LIMIT_MS);
    }));
});

interface StatusCase {
  readonly status: number;
  readonly title: string;
  readonly exitCode: number;
  readonly is: { readonly status: string; readonly reason: string };
}

const STATUS_CASES: readonly StatusCase[] = [
  { status: 401, title: "refuses the key", exitCode: 6, is: { status: "backend-unauthenticated", reason: "unauthenticated" } },
  { status: 429, title: "limits the rate", exitCode: 69, is: { status: "rate-limited", reason: "rate-limited" } },
  { status: 500, title: "fails", exitCode: 69, is: { status: "unavailable", reason: "overloaded" } },
  { status: 404, title: "does not know the model", exitCode: 1, is: { status: "error", reason: "unknown-model" } },
];

/** qwen waits for a minute and more before it tries again; nobody who gives a time limit waits for that. */
const RETRIED_PAST_THE_LIMIT: Record<MoreBackendId, readonly number[]> = { gemini: [], opencode: [], qwen: [429, 500], pi: [] };

describe.concurrent.each(MORE_BACKEND_IDS)("%s with a service that", (backend) => {
  it.each(STATUS_CASES)("$title ($status) ends with $exitCode and says why", ({ status, exitCode, is }) =>
    onMoreStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => failWith(status, { retryAfter: "1" }));
      const isLate = RETRIED_PAST_THE_LIMIT[backend].includes(status);
      const ended = await run(["--json", "--timeout", isLate ? "25s" : "80s", "hello"], { timeoutMs: 100_000 });
      expect(ended.result).toMatchObject(isLate ? { exitCode: 75, status: "timeout" } : { exitCode, ...is });
      expect(ended.result.text).not.toMatch(/^\S+ failed$/);
      expect(ended.exitCode).toBe(isLate ? 75 : exitCode);
    }),
  );
});

describe.concurrent.each(MORE_BACKEND_IDS)("%s that is not installed", (backend) => {
  it("is 2 with the command that installs it", () =>
    onMoreStage(backend, { callsAreDue: false }, async ({ run, place }) => {
      rmSync(join(place.bin, backend));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 2, status: "backend-missing" });
      expect(ended.result.details).toContain("npm install -g");
    }));
});

describe("opencode's hosted free model", () => {
  it("is not asked where another provider is set up whose name sorts after it", () =>
    onMoreStage("opencode", { withoutCredentials: true, callsAreDue: false, env: { OPENROUTER_API_KEY: "sk-test", XAI_API_KEY: "sk-test" } }, async ({ run }) => {
      const ended = await run(["--json", "--timeout", "12s", "hello"]);
      expect(ended.result.text).not.toContain("opencode.ai");
      expect(ended.child?.env).toBeUndefined();
    }));
});
