import type { Condition } from "../traits.js";
import type { BackendRecord } from "../record.js";

const FROM_THE_MODEL: Condition = { all: [{ path: ["type"], equals: "message_end" }, { path: ["message", "role"], equals: "assistant" }] };

/**
 * pi, measured with 0.73.1 (https://github.com/badlogic/pi-mono). In JSON mode it exits with 0 whatever happened:
 * why the model's last message stopped decides. `agent_end` comes after each attempt, also before a retry.
 */
export const pi: BackendRecord = {
  id: "pi",
  displayName: "pi",
  homepage: "https://github.com/badlogic/pi-mono",
  traits: {
    executorId: "pi",
    command: "pi",
    args: ["--mode", "json"],
    promptDelivery: "stdin",
    env: { set: { PI_SKIP_VERSION_CHECK: "1" } },
    // One process; its running tool is in a group of its own.
    endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 1500 }],
    output: {
      payload: "jsonl",
      resultPath: ["message", "content", "*", "text"],
      resultWhen: { all: [FROM_THE_MODEL, { path: ["message", "stopReason"], oneOf: ["stop", "length"] }] },
      provisionalWhen: { all: [FROM_THE_MODEL, { path: ["message", "stopReason"], oneOf: ["error", "aborted"] }] },
      errorMessagePaths: [["finalError"], ["message", "errorMessage"], ["message", "stopReason"]],
      terminal: {
        success: { all: [{ path: ["type"], equals: "agent_end" }, { path: ["messages", "*", "stopReason"], oneOf: ["stop", "length"] }] },
        failure: { all: [{ path: ["type"], equals: "auto_retry_end" }, { path: ["success"], equals: false }] },
      },
      sessionIdPath: ["id"],
      modelPaths: [["message", "model"]],
      modelWhen: FROM_THE_MODEL,
      usageWhen: FROM_THE_MODEL,
      usagePaths: [["message", "usage", "totalTokens"]],
      usageParts: {
        inputTokens: ["message", "usage", "input"],
        outputTokens: ["message", "usage", "output"],
        cacheReadTokens: ["message", "usage", "cacheRead"],
        cacheWriteTokens: ["message", "usage", "cacheWrite"],
      },
      costPath: { path: ["message", "usage", "cost", "total"], when: FROM_THE_MODEL, currency: "USD" },
      deniedTools: [
        {
          when: { all: [{ path: ["type"], equals: "tool_execution_end" }, { path: ["isError"], equals: true }, { path: ["result", "content", "*", "text"], matches: String.raw`^Tool \S+ not found$` }] },
          name: ["toolName"],
          toolCallId: ["toolCallId"],
          reason: ["result", "content", "*", "text"],
        },
      ],
      events: [
        {
          emit: "agent_message_chunk",
          when: { all: [{ path: ["type"], equals: "message_update" }, { path: ["assistantMessageEvent", "type"], equals: "text_delta" }] },
          fields: { text: ["assistantMessageEvent", "delta"], messageId: ["message", "responseId"] },
        },
        {
          emit: "agent_thought_chunk",
          when: { all: [{ path: ["type"], equals: "message_update" }, { path: ["assistantMessageEvent", "type"], equals: "thinking_delta" }] },
          fields: { text: ["assistantMessageEvent", "delta"], messageId: ["message", "responseId"] },
        },
        {
          emit: "tool_call",
          when: { path: ["type"], equals: "tool_execution_start" },
          fields: {
            toolCallId: ["toolCallId"],
            title: ["toolName"],
            status: { constant: "in_progress" },
            kind: { path: ["toolName"], map: { bash: "execute", read: "read", ls: "read", edit: "edit", write: "edit", grep: "search", find: "search" }, otherwise: "other" },
            rawInput: ["args"],
          },
        },
        {
          emit: "tool_call_update",
          when: { path: ["type"], equals: "tool_execution_end" },
          fields: {
            toolCallId: ["toolCallId"],
            status: { path: ["isError"], map: { true: "failed" }, otherwise: "completed" },
            output: ["result", "content", "*", "text"],
            rawOutput: ["result"],
          },
        },
        {
          emit: "warning",
          when: { path: ["type"], equals: "auto_retry_start" },
          fields: { code: { constant: "retry" }, message: ["errorMessage"] },
        },
        {
          emit: "warning",
          when: { all: [FROM_THE_MODEL, { path: ["message", "stopReason"], equals: "length" }] },
          fields: { code: { constant: "backend-notice" }, message: { constant: "the answer was cut off at the model's output limit" } },
        },
      ],
      failureReasons: [
        { reason: "unauthenticated", detail: String.raw`^40[13]\b` },
        { reason: "rate-limited", detail: String.raw`^(402|429)\b` },
        { reason: "unknown-model", detail: String.raw`^404\b` },
        { reason: "context-too-long", detail: String.raw`^413\b|maximum context length|prompt is too long` },
        { reason: "bad-request", detail: String.raw`^400\b` },
        { reason: "overloaded", detail: String.raw`^5\d\d\b` },
        { reason: "network", detail: "^(connection error|terminated|fetch failed|stream ended)" },
        { reason: "unauthenticated", stderr: "no api key found|no models available" },
        { reason: "session-not-found", stderr: "no session found matching" },
      ],
    },
  },
  options: {
    model: { args: ["--model", "{value}"] },
    effort: { args: ["--thinking", "{value}"], values: ["off", "minimal", "low", "medium", "high", "xhigh"] },
    systemPrompt: { args: ["--system-prompt", "{value}"] },
    appendSystemPrompt: { args: ["--append-system-prompt", "{value}"] },
    resume: { args: ["--session", "{value}"] },
    access: {
      // It asks nobody: what a level does not allow must not be there. Extensions are programs, and may bring tools.
      "read-only": { args: ["--tools", "read,grep,find,ls", "--no-extensions"] },
      // Its tools write anywhere, so there is no level between.
      full: { args: [] },
    },
    reservedArgs: [
      "-p", "--print", "-c", "--continue", "-r", "--resume", "--fork", "--session-dir", "--no-session", "-t", "-nt", "--no-tools", "-nbt", "--no-builtin-tools",
      "-e", "--extension", "-ne", "--export", "--list-models",
    ],
  },
  availability: {
    install: "npm install -g @mariozechner/pi-coding-agent",
    login: "pi (in a terminal; /login), or set the key of a provider, for instance ANTHROPIC_API_KEY",
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "0.73.1", testedBelow: "0.74.0" },
  },
};
