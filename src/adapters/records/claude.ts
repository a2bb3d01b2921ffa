import type { BackendRecord } from "../record.js";
import type { Condition } from "../traits.js";

/**
 * An error text of its own stands in a message of the model "<synthetic>". A helper that it starts may run on another
 * model, and has a context of its own.
 */
const OF_THE_CONVERSATION: Condition = {
  not: { any: [{ path: ["message", "model"], equals: "<synthetic>" }, { path: ["parent_tool_use_id"], exists: true }] },
};

/** The tools that it does not call a slip of the pen, each with or without a pattern in brackets, those of MCP servers, and all. */
const TOOLS = [
  "Agent", "AgentOutputTool", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
  "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "LSP", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "PowerShell", "Read",
  "ReadMcpResourceTool", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop",
  "TaskUpdate", "TodoWrite", "WebFetch", "WebSearch", "Workflow", "Write",
];
const TOOL_RULES = String.raw`^(?:\*|mcp__.+|(?:${TOOLS.join("|")})(?:\(.+\))?)$`;

/**
 * Anthropic Claude Code, measured with 2.1.197 (https://docs.anthropic.com/en/docs/claude-code/headless).
 * On API errors its result keeps `subtype: "success"`: `is_error` decides.
 */
export const claude: BackendRecord = {
  id: "claude",
  displayName: "Claude Code",
  homepage: "https://github.com/anthropics/claude-code",
  traits: {
    executorId: "claude",
    command: "claude",
    args: ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    promptDelivery: "stdin",
    // `/word …` runs a command of its own, without the model, and exits 0; a path such as /etc/hosts does not.
    promptGuard: { when: String.raw`^/[^\s/]+(\s|$)`, prefix: " " },
    // `@path` puts a file in, from outside of the working directory too; this variable leaves it a word. It also leaves
    // out attachments of its own (which skills there are), so it is set only for a prompt that could mention something.
    mentionGuard: { when: String.raw`(?:^|\W)@\S`, env: { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" } },
    // It exits without flushing a pipe; what the reader has not taken by then is lost. A regular file is complete.
    stdout: "file",
    // Without this a second model call is made for a session title.
    env: { set: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" } },
    // INT ends its running tool; TERM leaves it behind.
    endSignals: [
      { signal: "SIGINT", to: "child", waitMs: 2000 },
      { signal: "SIGTERM", to: "tree", waitMs: 1000 },
    ],
    output: {
      payload: "jsonl",
      resultPath: ["result"],
      resultWhen: { path: ["type"], equals: "result" },
      structuredPath: ["structured_output"],
      failureWhen: { path: ["type"], equals: "result" },
      errorFlagPath: ["is_error"],
      statusPath: ["subtype"],
      errorStatusPrefix: "error",
      errorMessagePaths: [["errors", "*"], ["result"]],
      metadata: { subtype: ["subtype"], session_id: ["session_id"] },
      terminal: {
        success: { all: [{ path: ["type"], equals: "result" }, { path: ["is_error"], equals: false }, { not: { path: ["subtype"], startsWith: "error" } }] },
        failure: { all: [{ path: ["type"], equals: "result" }, { any: [{ path: ["is_error"], equals: true }, { path: ["subtype"], startsWith: "error" }] }] },
      },
      sessionIdPath: ["session_id"],
      // The one that was asked for stands in the first record, the one that answered in each message.
      modelPaths: [["model"], ["message", "model"]],
      modelWhen: OF_THE_CONVERSATION,
      usageWhen: { path: ["type"], equals: "result" },
      usagePaths: [
        ["usage", "input_tokens"],
        ["usage", "output_tokens"],
        ["usage", "cache_creation_input_tokens"],
        ["usage", "cache_read_input_tokens"],
      ],
      usageParts: {
        inputTokens: ["usage", "input_tokens"],
        outputTokens: ["usage", "output_tokens"],
        cacheReadTokens: ["usage", "cache_read_input_tokens"],
        cacheWriteTokens: ["usage", "cache_creation_input_tokens"],
      },
      costPath: { path: ["total_cost_usd"], when: { path: ["type"], equals: "result" }, currency: "USD" },
      // What went with the last call of the model; the answer itself is told by no record that always comes. The size
      // stands in the result beside those of the helpers' models.
      contextWindow: {
        usedWhen: { all: [{ path: ["type"], equals: "assistant" }, OF_THE_CONVERSATION] },
        usedPaths: [
          ["message", "usage", "input_tokens"],
          ["message", "usage", "cache_creation_input_tokens"],
          ["message", "usage", "cache_read_input_tokens"],
        ],
        sizeWhen: { path: ["type"], equals: "result" },
        sizePath: ["modelUsage", "{model}", "contextWindow"],
      },
      usageWindows: {
        when: { path: ["type"], equals: "rate_limit_event" },
        path: ["rate_limit_info", "unifiedWindows"],
        utilizationKey: "utilization",
        resetsAtKey: "resetsAt",
      },
      deniedTools: [
        {
          when: { path: ["type"], equals: "result" },
          each: ["permission_denials"],
          name: ["tool_name"],
          toolCallId: ["tool_use_id"],
        },
        // A tool that the access level takes away is no refusal to claude: "No such tool available: Bash. Bash exists but is not enabled …"
        {
          when: { all: [{ path: ["type"], equals: "user" }, { path: ["tool_use_result"], matches: "exists but is not enabled in this context" }] },
          each: ["message", "content"],
          toolCallId: ["tool_use_id"],
          reason: ["content"],
        },
      ],
      hopelessRetry: {
        when: { all: [{ path: ["subtype"], equals: "api_retry" }, { path: ["error_status"], oneOf: [401, 403] }] },
        afterCount: 2,
      },
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
                Bash: "execute", Read: "read", Edit: "edit", Write: "edit", NotebookEdit: "edit",
                Glob: "search", Grep: "search", WebFetch: "fetch", WebSearch: "fetch", Task: "think", Agent: "think",
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
          when: { path: ["subtype"], equals: "api_retry" },
          fields: { code: { constant: "retry" }, message: ["error"] },
        },
      ],
      failureReasons: [
        { reason: "unauthenticated", when: { any: [{ path: ["api_error_status"], oneOf: [401, 403] }, { path: ["error_status"], oneOf: [401, 403] }] } },
        { reason: "unauthenticated", detail: "^not logged in" },
        { reason: "rate-limited", detail: "credit balance|billing" },
        { reason: "rate-limited", when: { path: ["api_error_status"], equals: 402 } },
        { reason: "rate-limited", when: { path: ["api_error_status"], equals: 429 } },
        { reason: "rate-limited", detail: "hit your .*limit" },
        { reason: "unknown-model", when: { path: ["api_error_status"], equals: 404 } },
        { reason: "context-too-long", when: { any: [{ path: ["api_error_status"], equals: 413 }, { path: ["terminal_reason"], equals: "prompt_too_long" }] } },
        { reason: "bad-request", when: { path: ["api_error_status"], equals: 400 } },
        { reason: "overloaded", when: { path: ["api_error_status"], atLeast: 500 } },
        { reason: "overloaded", detail: "overloaded" },
        { reason: "permission-denied", stderr: "cannot be used with root" },
        { reason: "network", detail: "unable to connect|connection .*lost|request timed out" },
      ],
    },
  },
  options: {
    model: {
      args: ["--model", "{value}"],
      // https://docs.anthropic.com/en/docs/claude-code/model-config
      aliases: { default: ".", best: ".", sonnet: "sonnet", opus: "opus", haiku: "haiku", opusplan: "opus|sonnet" },
    },
    effort: { args: ["--effort", "{value}"], values: ["low", "medium", "high", "xhigh", "max"] },
    systemPrompt: { args: ["--system-prompt", "{value}"] },
    appendSystemPrompt: { args: ["--append-system-prompt", "{value}"] },
    resume: { args: ["--resume", "{value}"] },
    schema: { args: ["--json-schema", "{value}"] },
    // It puts variables into the values of its file, though not into names: `${HOME}` must stay as it is. In headers it does so twice.
    mcpServers: { args: ["--mcp-config={file}"], each: { stdio: [], http: [], sse: [] }, dollar: "${JLGCLI_DOLLAR}", env: { JLGCLI_DOLLAR: "$" } },
    // Each adds to those before it. Of names that are none of its tools it tells on stderr alone, and goes on.
    disallowTools: { args: ["--disallowedTools={value}"], known: TOOL_RULES },
    access: {
      // A mode alone is not enough: `plan` lets Bash write, and every mode obeys allow rules of the user's settings.
      // Without strict MCP an allowed server's tool may write; a project's hooks would run even untrusted.
      "read-only": {
        args: ["--permission-mode", "default", "--tools", "Read,Glob,Grep", "--strict-mcp-config", "--settings", '{"disableAllHooks":true}'],
      },
      // Only without the settings files do allow rules not reach beyond the working directory; this also leaves out
      // apiKeyHelper, CLAUDE.md and MCP servers. Credentials of `claude auth login` and of the environment stay.
      "workspace-write": { args: ["--permission-mode", "acceptEdits", "--setting-sources", "", "--strict-mcp-config"] },
      // Refused by claude itself as root; IS_SANDBOX=1 is the user's to set.
      full: { args: ["--permission-mode", "bypassPermissions"] },
    },
    reservedArgs: [
      "--print", "--input-format", "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--allowedTools",
      "--allowed-tools", "--disallowedTools", "--disallowed-tools", "--mcp-config", "--add-dir", "--plugin-dir", "--continue", "-c", "-r", "--session-id", "--fork-session",
    ],
  },
  availability: {
    install: "npm install -g @anthropic-ai/claude-code",
    login: "claude auth login",
    evidence: {
      env: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"],
      files: ["$CLAUDE_CONFIG_DIR/.credentials.json", "~/.claude/.credentials.json"],
    },
    statusCommand: { args: ["auth", "status"], loggedOutExitCode: 1 },
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "2.1.197", testedBelow: "2.2.0" },
  },
};
