import type { ConversationSurroundings } from "../../../src/conversation/surroundings.js";
import type { StoredTurn } from "../../../src/conversation/types.js";
import type { RunResult } from "../../../src/events/schema.js";
import type { RunOptions } from "../../../src/runner/types.js";
import { toEndedResult } from "../../../src/runner/run.js";

export function aTurn(fields: Partial<StoredTurn> = {}): StoredTurn {
  return {
    prompt: "question",
    answer: "answer",
    status: "success",
    problem: null,
    tools: [],
    settings: { backend: "codex", model: null, access: null },
    sessionId: null,
    usage: null,
    cost: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 5,
    ...fields,
  };
}

export function aResult(fields: Partial<RunResult> = {}): RunResult {
  return { ...toEndedResult({ exitCode: 0, text: "answer", status: "success" }, { backend: "codex", cwd: "/" }), ...fields };
}

/** Surroundings whose turns are answered by a function; `asked` has the options of each. */
export function fakeSurroundings(fields: Partial<ConversationSurroundings>, answer: (options: RunOptions) => RunResult | Promise<RunResult>): ConversationSurroundings & { readonly asked: RunOptions[] } {
  const asked: RunOptions[] = [];
  return {
    asked,
    cwd: "/",
    mcpServers: [],
    folder: "/dev/null/nowhere",
    places: { env: {} },
    settings: { backend: "codex", model: null, access: null },
    configuredModel: () => null,
    runTurn: async (options) => {
      asked.push(options);
      return answer(options);
    },
    toSlash: (services) => ({ config: { cwd: "/", env: {}, services }, settings: {} }),
    backends: async () => [{ id: "codex", displayName: "Codex", status: "available", isSelected: false }],
    redactText: async (text) => text.replaceAll("s3cret", "***"),
    toTitle: async (prompt) => prompt.split("\n")[0] ?? "",
    ...fields,
  };
}
