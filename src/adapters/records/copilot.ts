import type { BackendRecord } from "../record.js";
import type { Condition } from "../traits.js";

/** `true` also trusts the folder, so that its hooks run. */
const ALLOWING_VARIABLES = ["COPILOT_ALLOW_ALL", "COPILOT_ASSISTED_APPROVAL"];

/** Of the conversation itself: what a helper says and does, which has a context of its own, names the call that started it. */
const OF_NO_HELPER: Condition = { path: ["data", "parentToolCallId"], exists: false };

const CONTEXT_TOKENS = ["data", "toolTelemetry", "metrics", "context_current_tokens"];
const TELLS_CONTEXT: Condition = { all: [{ path: ["type"], equals: "tool.execution_complete" }, OF_NO_HELPER, { path: CONTEXT_TOKENS, exists: true }] };

/**
 * GitHub Copilot CLI, measured with 1.0.102 on a provider of the user's own (https://github.com/github/copilot-cli).
 * Its deltas drop text in bursts and repeat after a retry; the last `assistant.message` is the truth.
 */
export const copilot: BackendRecord = {
  id: "copilot",
  displayName: "GitHub Copilot CLI",
  homepage: "https://github.com/github/copilot-cli",
  traits: {
    executorId: "copilot",
    command: "copilot",
    args: ["--output-format", "json", "--no-auto-update", "--no-ask-user"],
    promptDelivery: "stdin",
    // The only place where it tells its tokens.
    sideFile: { args: ["--usage-output-file={file}"] },
    // Its native child must get the signal: the launcher alone dies and leaves it behind.
    endSignals: [
      { signal: "SIGTERM", to: "tree", waitMs: 2000 },
    ],
    output: {
      payload: "jsonl",
      resultPath: ["data", "content"],
      resultWhen: { all: [{ path: ["type"], equals: "assistant.message" }, OF_NO_HELPER] },
      provisionalWhen: { path: ["type"], equals: "model.call_failure" },
      failureWhen: { path: ["type"], equals: "session.error" },
      statusPath: ["type"],
      errorStatusPrefix: "session.error",
      errorMessagePaths: [["data", "message"], ["data", "errorMessage"]],
      terminal: {
        success: { all: [{ path: ["type"], equals: "result" }, { path: ["exitCode"], equals: 0 }] },
        failure: { any: [{ path: ["type"], oneOf: ["session.error", "abort"] }, { path: ["data", "aborted"], equals: true }, { all: [{ path: ["type"], equals: "result" }, { not: { path: ["exitCode"], equals: 0 } }] }] },
      },
      sessionIdPath: ["sessionId"],
      modelPaths: [["data", "model"]],
      modelWhen: OF_NO_HELPER,
      usageWhen: { path: ["modelMetrics", "*"], exists: true },
      // Tokens read from the cache are part of the input.
      usagePaths: [["modelMetrics", "*", "usage", "inputTokens"], ["modelMetrics", "*", "usage", "outputTokens"]],
      usageParts: {
        inputTokens: ["modelMetrics", "*", "usage", "inputTokens"],
        outputTokens: ["modelMetrics", "*", "usage", "outputTokens"],
        cacheReadTokens: ["modelMetrics", "*", "usage", "cacheReadTokens"],
        cacheWriteTokens: ["modelMetrics", "*", "usage", "cacheWriteTokens"],
      },
      // Its own count, told with each tool that has ended.
      contextWindow: {
        usedWhen: TELLS_CONTEXT,
        usedPaths: [CONTEXT_TOKENS],
        sizeWhen: TELLS_CONTEXT,
        sizePath: ["data", "toolTelemetry", "metrics", "context_token_limit"],
      },
      deniedTools: [
        {
          when: { all: [{ path: ["type"], equals: "tool.execution_complete" }, { path: ["data", "error", "code"], equals: "denied" }] },
          toolCallId: ["data", "toolCallId"],
          reason: ["data", "error", "message"],
        },
        // So it speaks of a tool that the access level takes away, and of one that the model has made up.
        {
          when: { all: [{ path: ["type"], equals: "tool.execution_complete" }, { path: ["data", "error", "message"], matches: "^Tool '(bash|write_bash|create|edit|apply_patch|str_replace_editor|web_fetch|task)' does not exist" }] },
          toolCallId: ["data", "toolCallId"],
          reason: ["data", "error", "message"],
        },
      ],
      events: [
        {
          emit: "agent_message_chunk",
          when: { all: [{ path: ["type"], equals: "assistant.message_delta" }, OF_NO_HELPER] },
          fields: { text: ["data", "deltaContent"], messageId: ["data", "messageId"] },
        },
        {
          emit: "agent_thought_chunk",
          when: { path: ["type"], equals: "assistant.reasoning_delta" },
          fields: { text: ["data", "deltaContent"], messageId: ["data", "reasoningId"] },
        },
        {
          emit: "tool_call",
          when: { path: ["type"], equals: "tool.execution_start" },
          fields: {
            toolCallId: ["data", "toolCallId"],
            title: ["data", "toolName"],
            status: { constant: "in_progress" },
            kind: { path: ["data", "toolName"], map: { bash: "execute", view: "read", edit: "edit", create: "edit", grep: "search", glob: "search", web_fetch: "fetch", task: "think" }, otherwise: "other" },
            rawInput: ["data", "arguments"],
          },
        },
        {
          emit: "tool_call_update",
          when: { path: ["type"], equals: "tool.execution_complete" },
          fields: {
            toolCallId: ["data", "toolCallId"],
            status: { path: ["data", "success"], map: { true: "completed" }, otherwise: "failed" },
            output: ["data", "result", "content"],
            rawOutput: ["data"],
          },
        },
        {
          emit: "warning",
          when: { path: ["type"], equals: "assistant.turn_retry" },
          fields: { code: { constant: "retry" }, message: ["data", "reason"] },
        },
      ],
      failureReasons: [
        { reason: "unauthenticated", when: { any: [{ path: ["data", "errorType"], equals: "authentication" }, { path: ["data", "statusCode"], oneOf: [401, 403] }] } },
        { reason: "unauthenticated", stderr: "no authentication information|authentication token found but|personal access tokens" },
        { reason: "rate-limited", when: { any: [{ path: ["data", "errorType"], equals: "rate_limit" }, { path: ["data", "statusCode"], equals: 429 }] } },
        { reason: "unknown-model", when: { path: ["data", "statusCode"], equals: 404 } },
        { reason: "bad-request", when: { path: ["data", "statusCode"], equals: 400 } },
        { reason: "overloaded", when: { path: ["data", "statusCode"], atLeast: 500 } },
        { reason: "context-too-long", detail: "prompt budget" },
        { reason: "network", when: { all: [{ path: ["data", "errorType"], equals: "query" }, { path: ["data", "statusCode"], exists: false }] } },
        // The second is what it says of one whose file is broken: nothing can go on there either.
        { reason: "session-not-found", stderr: "no session, task, or name matched|was found but could not be loaded" },
      ],
      hopelessRetry: {
        when: { all: [{ path: ["type"], equals: "model.call_failure" }, { path: ["data", "statusCode"], oneOf: [401, 403] }] },
        afterCount: 2,
      },
    },
  },
  options: {
    model: { args: ["--model", "{value}"] },
    effort: { args: ["--reasoning-effort", "{value}"], values: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
    attach: { args: ["--attachment={value}"] },
    resume: { args: ["--resume={value}"] },
    // It puts variables into the values of its file: `$HOME` must stay as it is.
    mcpServers: { args: ["--additional-mcp-config=@{file}"], each: { stdio: [], http: [], sse: [] }, dollar: "${JLGCLI_DOLLAR}", env: { JLGCLI_DOLLAR: "$" } },
    // Rules of kinds; a tool's own name (`bash`) is taken in silence, as that of an MCP server, and denies nothing. With
    // `--available-tools`, `--excluded-tools` has no effect.
    disallowTools: { args: ["--deny-tool={value}"], known: String.raw`^(?:shell|write|read|url)(?:\([^()]+\))?$` },
    access: {
      // Named tools alone also leave MCP tools out; a denied tool would still find another way.
      "read-only": { args: ["--available-tools=view,grep,glob"], env: { remove: ALLOWING_VARIABLES } },
      // Without a shell: with one, a program could write anywhere.
      "workspace-write": {
        args: ["--available-tools=view,grep,glob,create,edit", "--allow-tool=write"],
        env: { remove: ALLOWING_VARIABLES },
        refuseIf: {
          files: ["$COPILOT_HOME/permissions-config.json", "~/.copilot/permissions-config.json"],
          matches: String.raw`"allowed_directories"\s*:\s*\[\s*"`,
          because: "its saved permissions allow directories outside the working directory, and no flag of its own stops that",
        },
      },
      full: { args: ["--allow-all"] },
    },
    reservedArgs: [
      "-p", "--prompt", "-i", "--interactive", "-s", "--silent", "--stream", "--yolo", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls",
      "--deny-tool", "--excluded-tools", "--add-dir", "--continue", "--session-id", "--mode", "--plan", "--autopilot", "-C", "--effort", "--acp", "--usage-output-file", "--config-dir", "--additional-mcp-config",
    ],
  },
  availability: {
    install: "npm install -g @github/copilot",
    login: "copilot login",
    // `--version` would unpack 235 MB into a home where it never ran.
    version: { args: ["--binary-version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "1.0.102", testedBelow: "1.1.0" },
  },
};
