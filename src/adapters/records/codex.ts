import type { BackendRecord } from "../record.js";

/**
 * OpenAI Codex, measured with 0.171.0 (https://github.com/openai/codex, `codex exec`).
 * `error` records are retry notices or restate what `turn.failed` says; only `turn.completed` and `turn.failed` decide.
 */
export const codex: BackendRecord = {
  id: "codex",
  displayName: "Codex",
  homepage: "https://github.com/openai/codex",
  traits: {
    executorId: "codex",
    command: "codex",
    // Without the first setting it waits 5 s after its result for analytics that cannot be sent; without the second it
    // tries for ever to reach a service that refuses the connection, and prints nothing.
    args: ["exec", "--json", "--skip-git-repo-check", "-c", "analytics.enabled=false", "-c", "features.unbounded_connection_retries=false"],
    promptDelivery: "stdin",
    // `$name` anywhere in a prompt puts the skill of that name in; switched off for the run, it is a word. These variables
    // it leaves alone itself.
    mentionGuard: {
      when: String.raw`\$(?!(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|TEMP|TMP|LANG|TERM|XDG_CONFIG_HOME)(?![\w:-]))([\w:-]{1,64})`,
      each: "{name={json},enabled=false}",
      args: ["-c", "skills.config=[{mentions}]"],
    },
    // INT ends its running tool; a KILL of the launcher alone would leave the native child at work.
    endSignals: [
      { signal: "SIGINT", to: "tree", waitMs: 1500 },
      { signal: "SIGTERM", to: "tree", waitMs: 1000 },
    ],
    output: {
      payload: "jsonl",
      resultPath: ["item", "text"],
      resultWhen: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "agent_message" }] },
      failureWhen: { path: ["type"], oneOf: ["error", "turn.failed"] },
      statusPath: ["type"],
      errorStatusPrefix: "error",
      errorMessagePaths: [["error", "message"], ["message"]],
      terminal: { success: { path: ["type"], equals: "turn.completed" }, failure: { path: ["type"], equals: "turn.failed" } },
      sessionIdPath: ["thread_id"],
      usageWhen: { path: ["type"], equals: "turn.completed" },
      // Cached input is part of the input, reasoning part of the output: adding them would count twice.
      usagePaths: [["usage", "input_tokens"], ["usage", "output_tokens"]],
      usageParts: {
        inputTokens: ["usage", "input_tokens"],
        outputTokens: ["usage", "output_tokens"],
        cacheReadTokens: ["usage", "cached_input_tokens"],
        cacheWriteTokens: ["usage", "cache_write_input_tokens"],
        reasoningTokens: ["usage", "reasoning_output_tokens"],
      },
      usageGrowsOverSession: true,
      hopelessRetry: {
        // {"type":"error","message":"Reconnecting... 2/5 (unexpected status 401 Unauthorized: …)"}
        when: { all: [{ path: ["type"], equals: "error" }, { path: ["message"], matches: String.raw`^Reconnecting.*unexpected status 40[13]\b` }] },
        afterCount: 2,
      },
      events: [
        {
          emit: "agent_message_chunk",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "agent_message" }] },
          fields: { text: ["item", "text"], messageId: ["item", "id"] },
        },
        {
          emit: "agent_thought_chunk",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "reasoning" }] },
          fields: { text: ["item", "text"], messageId: ["item", "id"] },
        },
        {
          emit: "tool_call",
          when: { all: [{ path: ["type"], equals: "item.started" }, { path: ["item", "type"], equals: "command_execution" }] },
          fields: {
            toolCallId: ["item", "id"],
            title: ["item", "command"],
            kind: { constant: "execute" },
            status: { constant: "in_progress" },
            rawInput: ["item", "command"],
          },
        },
        {
          emit: "tool_call_update",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "command_execution" }] },
          fields: {
            toolCallId: ["item", "id"],
            status: { path: ["item", "status"], map: { failed: "failed", declined: "failed" }, otherwise: "completed" },
            output: ["item", "aggregated_output"],
            rawOutput: ["item"],
          },
        },
        {
          emit: "tool_call",
          when: { all: [{ path: ["type"], equals: "item.started" }, { path: ["item", "type"], oneOf: ["file_change", "web_search"] }] },
          fields: {
            toolCallId: ["item", "id"],
            title: ["item", "type"],
            kind: { path: ["item", "type"], map: { file_change: "edit", web_search: "fetch" }, otherwise: "other" },
            status: { constant: "in_progress" },
            rawInput: ["item"],
          },
        },
        {
          emit: "tool_call_update",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], oneOf: ["file_change", "web_search"] }] },
          fields: {
            toolCallId: ["item", "id"],
            status: { path: ["item", "status"], map: { failed: "failed" }, otherwise: "completed" },
            rawOutput: ["item"],
          },
        },
        {
          emit: "tool_call",
          when: { all: [{ path: ["type"], equals: "item.started" }, { path: ["item", "type"], equals: "mcp_tool_call" }] },
          fields: {
            toolCallId: ["item", "id"],
            title: ["item", "tool"],
            kind: { constant: "other" },
            status: { constant: "in_progress" },
            rawInput: ["item", "arguments"],
          },
        },
        {
          emit: "tool_call_update",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "mcp_tool_call" }] },
          fields: {
            toolCallId: ["item", "id"],
            status: { path: ["item", "status"], map: { failed: "failed" }, otherwise: "completed" },
            output: ["item", "result", "content"],
            rawOutput: ["item"],
          },
        },
        {
          emit: "plan",
          when: { path: ["item", "type"], equals: "todo_list" },
          fields: { entries: ["item", "items"] },
        },
        {
          emit: "warning",
          when: { all: [{ path: ["type"], equals: "error" }, { path: ["message"], startsWith: "Reconnecting" }] },
          fields: { code: { constant: "retry" }, message: ["message"] },
        },
        {
          emit: "warning",
          when: { all: [{ path: ["type"], equals: "item.completed" }, { path: ["item", "type"], equals: "error" }] },
          fields: { code: { constant: "backend-notice" }, message: ["item", "message"] },
        },
      ],
      failureReasons: [
        { reason: "unknown-model", detail: "model .*(does not exist|not found|not supported)" },
        { reason: "unauthenticated", detail: String.raw`unexpected status 40[13]\b|^missing environment variable` },
        { reason: "rate-limited", detail: String.raw`status:? (429|402)\b|usage limit|^quota exceeded` },
        { reason: "unknown-model", detail: String.raw`unexpected status 404\b` },
        { reason: "context-too-long", detail: String.raw`exceeds the maximum length|ran out of room|unexpected status 413\b` },
        { reason: "context-too-long", stderr: "exceeds the maximum length" },
        { reason: "overloaded", detail: String.raw`unexpected status 5\d\d\b|high demand|at capacity` },
        { reason: "network", detail: "connection failed|stream disconnected|idle timeout" },
        // The second is what it says of one whose file has no beginning: nothing can go on there either.
        { reason: "session-not-found", stderr: "no rollout found|failed to read session metadata" },
        // A 400 is passed on as its body came: {"error":{"message":"…","type":"invalid_request_error"}}
        { reason: "bad-request", when: { path: ["error", "message"], matches: String.raw`^\s*\{|unexpected status 400\b` } },
      ],
    },
  },
  options: {
    model: { args: ["-m", "{value}"] },
    effort: { args: ["-c", "model_reasoning_effort={json}"] },
    appendSystemPrompt: { args: ["-c", "developer_instructions={json}"] },
    // It asks its service for `strict`, which refuses a schema with optional or further properties.
    schema: { args: ["--output-schema", "{file}"], strictOnly: true },
    // The flag takes a list: a comma in a path would cut it.
    attach: { args: ["--image={value}"], extensions: [".png", ".jpg", ".jpeg", ".gif", ".webp"], separator: "," },
    resume: { args: ["resume", "{value}", "-"] },
    // It takes no file, and a name with a dot or a blank is dropped in silence.
    mcpServers: {
      each: {
        stdio: ["-c", "mcp_servers.{name}.command={command}", "-c", "mcp_servers.{name}.args={args}", "-c", "mcp_servers.{name}.env={env}"],
        http: ["-c", "mcp_servers.{name}.url={url}", "-c", "mcp_servers.{name}.http_headers={headers}"],
      },
      otherInNames: "[^A-Za-z0-9_-]",
    },
    access: {
      // Rules of the user's with the decision "allow" run outside the sandbox, so they are left out below full access.
      "read-only": { args: ["-s", "read-only", "-c", 'approval_policy="never"', "--ignore-rules"] },
      "workspace-write": {
        args: [
          "-s", "workspace-write", "-c", 'approval_policy="never"', "--ignore-rules",
          "-c", "sandbox_workspace_write.writable_roots=[]", "-c", "sandbox_workspace_write.network_access=false",
        ],
      },
      full: { args: ["-s", "danger-full-access", "-c", 'approval_policy="never"'] },
    },
    repeatableArgs: ["-c", "--config"],
    reservedArgs: [
      "--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto", "--approve-for-me", "-a", "--ask-for-approval",
      "-c sandbox", "-c approval_policy", "--config sandbox", "--config approval_policy", "--config analytics", "--model",
      "--config model_reasoning_effort", "--config developer_instructions", "--last", "-C", "--cd", "--add-dir", "-p", "--profile", "-i", "-o", "--output-last-message", "--output-schema", "--ephemeral",
    ],
  },
  availability: {
    install: "npm install -g @openai/codex",
    login: "codex login",
    evidence: { env: ["CODEX_API_KEY"], files: ["$CODEX_HOME/auth.json", "~/.codex/auth.json", "$CODEX_HOME/config.toml", "~/.codex/config.toml"] },
    // It looks only at auth.json: a provider of the user's own in config.toml counts as evidence before it is asked.
    statusCommand: { args: ["login", "status"], loggedOutExitCode: 1 },
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "0.171.0", testedBelow: "0.172.0" },
  },
};
