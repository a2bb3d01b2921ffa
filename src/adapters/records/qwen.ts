import type { BackendRecord } from "../record.js";

/** Plan mode leaves these: a git worktree is made, another agent is started, a schedule is set. */
const TOOLS_THAT_ACT = [
  "run_shell_command", "write_file", "edit", "notebook_edit", "monitor", "enter_worktree", "exit_worktree", "record_artifact", "agent",
  "send_message", "cron_create", "cron_delete", "loop_wakeup", "skill", "web_fetch",
];

/** 0.15.10, the last for Node 20, tells an API error as the answer of a good run. */
const ANSWER_IS_AN_ERROR = { path: ["result"], matches: String.raw`^\[API Error: [\s\S]*\]$` };

/**
 * Qwen Code, measured with 0.24.4 and 0.15.10 (https://github.com/QwenLM/qwen-code).
 * Its stream is Claude Code's, with deltas and refused tools.
 */
export const qwen: BackendRecord = {
  id: "qwen",
  displayName: "Qwen Code",
  homepage: "https://github.com/QwenLM/qwen-code",
  traits: {
    executorId: "qwen",
    command: "qwen",
    args: ["--output-format", "stream-json", "--include-partial-messages"],
    promptDelivery: "stdin",
    // A known `/word` is a command of its own, most of which fail here; a leading space makes it a prompt.
    promptGuard: { when: String.raw`^/[\w:-]+(\s|$)`, prefix: " " },
    // Its wrapper dies of a signal that it does not pass on.
    endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 1500 }],
    output: {
      payload: "jsonl",
      resultPath: ["result"],
      resultWhen: { all: [{ path: ["type"], equals: "result" }, { not: ANSWER_IS_AN_ERROR }] },
      failureWhen: { path: ["type"], equals: "result" },
      errorFlagPath: ["is_error"],
      statusPath: ["subtype"],
      errorStatusPrefix: "error",
      errorMessagePaths: [["error", "message"], ["result"]],
      // [API Error: 401 invalid x-api-key]
      detailNoise: [
        String.raw`(?<=^\[API Error: [\s\S]*)\](?![\s\S])`,
        String.raw`^\[API Error: `,
        "^(Ripgrep not available|Warning: running headless|⚠ S(afe mode|AFE MODE)).*$",
      ],
      metadata: { subtype: ["subtype"], session_id: ["session_id"] },
      terminal: {
        success: { all: [{ path: ["type"], equals: "result" }, { path: ["subtype"], equals: "success" }, { path: ["is_error"], equals: false }, { not: ANSWER_IS_AN_ERROR }] },
        failure: { all: [{ path: ["type"], equals: "result" }, { any: [{ path: ["is_error"], equals: true }, { path: ["subtype"], startsWith: "error" }, ANSWER_IS_AN_ERROR] }] },
      },
      sessionIdPath: ["session_id"],
      modelPaths: [["model"], ["message", "model"]],
      usageWhen: { path: ["type"], equals: "result" },
      // Cached tokens are part of the input. Calls that it makes beside the answer are counted with it.
      usagePaths: [["usage", "input_tokens"], ["usage", "output_tokens"]],
      usageParts: {
        inputTokens: ["usage", "input_tokens"],
        outputTokens: ["usage", "output_tokens"],
        cacheReadTokens: ["usage", "cache_read_input_tokens"],
      },
      usageGrowsOverSession: true,
      deniedTools: [{ when: { path: ["type"], equals: "result" }, each: ["permission_denials"], name: ["tool_name"], toolCallId: ["tool_use_id"] }],
      events: [
        {
          emit: "agent_message_chunk",
          when: { all: [{ path: ["type"], equals: "stream_event" }, { path: ["event", "delta", "type"], equals: "text_delta" }, { path: ["parent_tool_use_id"], equals: null }] },
          fields: { text: ["event", "delta", "text"] },
        },
        {
          emit: "agent_thought_chunk",
          when: { all: [{ path: ["type"], equals: "stream_event" }, { path: ["event", "delta", "type"], equals: "thinking_delta" }] },
          fields: { text: ["event", "delta", "thinking"] },
        },
        {
          emit: "tool_call",
          when: { path: ["type"], equals: "assistant" },
          each: ["message", "content"],
          eachWhen: { path: ["type"], equals: "tool_use" },
          fields: {
            toolCallId: ["id"],
            title: ["name"],
            status: { constant: "in_progress" },
            kind: {
              path: ["name"],
              map: {
                run_shell_command: "execute", read_file: "read", list_directory: "read", write_file: "edit", edit: "edit", notebook_edit: "edit",
                glob: "search", grep_search: "search", web_fetch: "fetch", agent: "think",
              },
              otherwise: "other",
            },
            rawInput: ["input"],
          },
        },
        {
          emit: "tool_call_update",
          when: { path: ["type"], equals: "user" },
          each: ["message", "content"],
          eachWhen: { path: ["type"], equals: "tool_result" },
          fields: {
            toolCallId: ["tool_use_id"],
            status: { path: ["is_error"], map: { true: "failed" }, otherwise: "completed" },
            output: ["content"],
            rawOutput: ["content"],
          },
        },
        {
          emit: "warning",
          when: { all: [{ path: ["subtype"], equals: "retry" }, { path: ["data", "attempt"], exists: true }] },
          fields: { code: { constant: "retry" }, message: ["data"] },
        },
      ],
      failureReasons: [
        { reason: "unauthenticated", when: { path: ["error", "message"], matches: "^no auth type is selected|missing api key|api key not found" } },
        { reason: "unauthenticated", detail: String.raw`^40[13]\b` },
        { reason: "rate-limited", detail: String.raw`^(402|429)\b` },
        { reason: "unknown-model", detail: String.raw`^404\b` },
        { reason: "context-too-long", detail: String.raw`^413\b|maximum context length|context window` },
        { reason: "bad-request", detail: String.raw`^400\b` },
        { reason: "overloaded", detail: String.raw`^5\d\d\b` },
        { reason: "network", detail: "^connection error|fetch failed|^terminated|UND_ERR_" },
        { reason: "session-not-found", stderr: "no saved session found" },
      ],
    },
  },
  options: {
    model: { args: ["--model", "{value}"] },
    systemPrompt: { args: ["--system-prompt", "{value}"] },
    appendSystemPrompt: { args: ["--append-system-prompt", "{value}"] },
    resume: { args: ["--resume", "{value}"] },
    access: {
      // Safe mode leaves out hooks, extensions, MCP servers and the allow rules of the settings.
      "read-only": { args: ["--safe-mode", "--approval-mode", "plan", "--exclude-tools", TOOLS_THAT_ACT.join(",")] },
      // Its own tools write anywhere, so there is no level between.
      full: { args: ["--approval-mode", "yolo"], env: { set: { QWEN_CODE_SUPPRESS_YOLO_WARNING: "1" } } },
    },
    reservedArgs: [
      "-o", "-m", "-r", "-p", "--prompt", "-i", "--prompt-interactive", "-y", "--yolo", "--allowed-tools", "--core-tools", "--input-format", "--input-file",
      "--json-fd", "--json-file", "-c", "--continue", "--session-id", "--fork-session", "--include-directories", "--add-dir", "--mcp-config", "-e", "--extensions",
      "--acp", "--worktree", "--bare",
    ],
  },
  availability: {
    install: "npm install -g @qwen-code/qwen-code",
    login: "qwen (in a terminal; /auth), or set OPENAI_API_KEY",
    evidence: {
      env: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DASHSCOPE_API_KEY"],
      files: ["~/.qwen/settings.json", "~/.qwen/oauth_creds.json"],
    },
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "0.24.4", testedBelow: "0.25.0" },
  },
};
