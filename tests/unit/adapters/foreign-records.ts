import type { ExecutorTraits } from "../../../src/adapters/traits.js";

/**
 * Records as another program that knows only the published types would write them: none of our additions.
 * Their output below is in the shape that each backend prints.
 */
export const claudeCode: ExecutorTraits = {
  executorId: "claude-code",
  command: "claude",
  args: ["--print", "--output-format", "stream-json", "--verbose", "--no-session-persistence", "--dangerously-skip-permissions"],
  promptDelivery: "stdin",
  output: {
    payload: "jsonl",
    resultPath: ["result"],
    resultWhen: { path: ["type"], equals: "result" },
    failureWhen: { path: ["type"], equals: "result" },
    errorFlagPath: ["is_error"],
    statusPath: ["subtype"],
    errorStatusPrefix: "error",
    metadata: { subtype: ["subtype"], session_id: ["session_id"] },
    usageWhen: { path: ["type"], equals: "result" },
    usagePaths: [
      ["usage", "input_tokens"],
      ["usage", "output_tokens"],
      ["usage", "cache_creation_input_tokens"],
      ["usage", "cache_read_input_tokens"],
    ],
    usageWindows: {
      when: { path: ["type"], equals: "rate_limit_event" },
      path: ["rate_limit_info", "unifiedWindows"],
      utilizationKey: "utilization",
      resetsAtKey: "resetsAt",
    },
  },
};

export const codex: ExecutorTraits = {
  executorId: "codex",
  command: "codex",
  args: ["exec", "--json", "--skip-git-repo-check"],
  promptDelivery: "stdin",
  output: {
    payload: "jsonl",
    resultPath: ["item", "text"],
    resultWhen: { path: ["item", "type"], equals: "agent_message" },
    statusPath: ["type"],
    errorStatusPrefix: "error",
    errorMessagePath: ["message"],
    usageWhen: { path: ["type"], equals: "turn.completed" },
    usagePaths: [["usage", "input_tokens"], ["usage", "output_tokens"]],
  },
};

export const opencode: ExecutorTraits = {
  executorId: "opencode",
  command: "opencode",
  args: ["run", "--format", "json"],
  promptDelivery: "argument",
  promptArgSeparator: "--",
  output: {
    payload: "jsonl",
    resultPath: ["part", "text"],
    resultWhen: { path: ["part", "type"], equals: "text" },
    statusPath: ["type"],
    errorStatusPrefix: "error",
    errorMessagePath: ["error"],
    metadata: { sessionID: ["sessionID"] },
    usageWhen: { path: ["type"], equals: "step_finish" },
    usagePaths: [["part", "tokens", "total"]],
  },
};

/** A backend that exists nowhere: a new one is a record, not code. */
export const stub: ExecutorTraits = {
  executorId: "stub",
  command: "stub-cli",
  args: ["ask", "--machine"],
  promptDelivery: "argument",
  output: {
    payload: "single-object",
    resultPath: ["answer", "body"],
    errorFlagPath: ["failed"],
    errorMessagePath: ["why"],
    metadata: { ticket: ["ticket"] },
    usageWhen: { path: ["kind"], equals: "reply" },
    usagePaths: [["spent"]],
  },
};

/** The record of claude as it was for its older one-object output. */
export const claudeJson: ExecutorTraits = {
  ...claudeCode,
  args: ["--print", "--output-format", "json", "--no-session-persistence", "--dangerously-skip-permissions"],
  output: {
    payload: "single-object",
    resultPath: ["result"],
    errorFlagPath: ["is_error"],
    statusPath: ["subtype"],
    errorStatusPrefix: "error",
    metadata: { subtype: ["subtype"], session_id: ["session_id"] },
    usageWhen: { path: ["type"], equals: "result" },
    usagePaths: [["usage", "input_tokens"], ["usage", "output_tokens"]],
  },
};

export const toLines = (...records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** The quota reading of the sample below, verbatim. */
export const CLAUDE_WINDOWS = { five_hour: { utilization: 0.13, resetsAt: 1788491400 }, seven_day: { utilization: 0.4, resetsAt: 1788999000 } };

export const claudeInit = { type: "system", subtype: "init", session_id: "s-1", tools: ["Bash"], model: "claude-x" };
export const claudeHookError = { type: "system", subtype: "error_in_hook", session_id: "s-1" };
export const claudeQuota = { type: "rate_limit_event", rate_limit_info: { unifiedWindows: CLAUDE_WINDOWS }, session_id: "s-1" };
export const claudeResult = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "\n  First line  \nsecond line\n",
  session_id: "s-1",
  total_cost_usd: 0.12,
  usage: { input_tokens: 2, output_tokens: 4, cache_creation_input_tokens: 42206, cache_read_input_tokens: 17630 },
  modelUsage: { "claude-x": { inputTokens: 2, outputTokens: 4, cacheCreationInputTokens: 42206, cacheReadInputTokens: 17630 } },
};
export const codexThread = { type: "thread.started", thread_id: "t-1" };
export const codexReasoning = { type: "item.completed", item: { id: "i0", type: "reasoning", text: "thinking aloud" } };
export const codexAnswer = { type: "item.completed", item: { id: "i1", type: "agent_message", text: "codex says hi" } };
export const codexUsage = {
  type: "turn.completed",
  usage: { input_tokens: 28451, cached_input_tokens: 6912, cache_write_input_tokens: 0, output_tokens: 61, reasoning_output_tokens: 54 },
};
export const codexError = { type: "error", message: "You've hit your usage limit." };
export const opencodeText = { type: "text", timestamp: 1, sessionID: "ses_1", part: { type: "text", text: "opencode says hi" } };
export const opencodeReasoning = { type: "reasoning", timestamp: 1, sessionID: "ses_1", part: { type: "reasoning", text: "hm" } };
export const opencodeError = { type: "error", timestamp: 2, sessionID: "ses_1", error: { name: "APIError", data: { message: "overheated" } } };
export const opencodeStep = (total: unknown): unknown => ({ type: "step_finish", sessionID: "ses_1", part: { type: "step-finish", tokens: { total }, cost: 0.1 } });
export const stubReply = { kind: "reply", answer: { body: "stub says hi" }, failed: false, ticket: "T7", spent: 12 };

/** One good and one failed run of each record, and what they come to (taken from the vendors' samples by hand). */
export const SAMPLES = [
  {
    traits: claudeCode,
    good: toLines(claudeHookError, claudeInit, claudeQuota, claudeResult),
    data: { result: claudeResult.result, subtype: "success", session_id: "s-1", usage: 59842 },
    summary: "First line",
    blank: toLines(claudeInit, { ...claudeResult, result: " \n " }),
    failed: toLines(claudeInit, { ...claudeResult, is_error: true, result: "Not logged in · Please run /login" }),
    reason: "Not logged in · Please run /login",
  },
  {
    traits: codex,
    good: toLines(codexThread, codexReasoning, codexAnswer, codexUsage),
    data: { result: "codex says hi", usage: 28512 },
    summary: "codex says hi",
    blank: toLines(codexThread, { ...codexAnswer, item: { ...codexAnswer.item, text: "  " } }),
    failed: toLines(codexThread, codexError),
    reason: "You've hit your usage limit.",
  },
  {
    traits: opencode,
    good: toLines(opencodeReasoning, opencodeText, opencodeStep(42599)),
    data: { result: "opencode says hi", sessionID: "ses_1", usage: 42599 },
    summary: "opencode says hi",
    blank: toLines({ ...opencodeText, part: { type: "text", text: "" } }),
    failed: toLines(opencodeError),
    reason: "overheated",
  },
  {
    traits: stub,
    good: JSON.stringify(stubReply, null, 2),
    data: { result: "stub says hi", ticket: "T7", usage: 12 },
    summary: "stub says hi",
    blank: JSON.stringify({ ...stubReply, answer: { body: " " } }),
    failed: JSON.stringify({ ...stubReply, failed: true, why: "out of stubs" }),
    reason: "out of stubs",
  },
] as const;
