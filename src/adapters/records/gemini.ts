import type { BackendRecord } from "../record.js";

/** Tools that read files and nothing else. */
const READING_TOOLS = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"];
const WRITING_TOOLS = ["write_file", "replace"];

/** A policy of the administrator's tier, the only one that beats the allow rules of the user's own policies and settings. */
function policyThatAllows(tools: readonly string[]): string {
  return [
    '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n',
    `[[rule]]\ntoolName = ${JSON.stringify(tools)}\ndecision = "allow"\npriority = 950\n`,
  ].join("\n");
}

/** No extensions and no MCP servers: both are programs of their own. A server of this name does not exist. */
const NOTHING_ELSE = ["--extensions", "none", "--allowed-mcp-server-names", "none"];

/** `~/.gemini/settings.json` and the project's; hooks are programs, and further directories widen the workspace. */
const SETTINGS_FILES = ["~/.gemini/settings.json", "./.gemini/settings.json"];

/**
 * Google Gemini CLI, measured with 0.61.0 (https://github.com/google-gemini/gemini-cli).
 * Its exit code is an HTTP status modulo 256 where the API failed, and 0 after TERM: only the `result` record decides.
 */
export const gemini: BackendRecord = {
  id: "gemini",
  displayName: "Gemini CLI",
  homepage: "https://github.com/google-gemini/gemini-cli",
  traits: {
    executorId: "gemini",
    command: "gemini",
    args: ["--output-format", "stream-json"],
    promptDelivery: "stdin",
    // In a folder that nobody has trusted it runs nothing (exit code 55). Without the second one it starts itself anew,
    // which costs half a second, and the parent does not pass signals on.
    env: { set: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" } },
    // TERM to the child alone leaves its running tool behind.
    endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 1500 }],
    output: {
      payload: "jsonl",
      resultPath: ["content"],
      resultWhen: { all: [{ path: ["type"], equals: "message" }, { path: ["role"], equals: "assistant" }] },
      resultParts: { startsAnewWhen: { path: ["type"], oneOf: ["tool_use", "tool_result"] } },
      failureWhen: { path: ["type"], equals: "result" },
      statusPath: ["status"],
      errorStatusPrefix: "error",
      errorMessagePaths: [["error", "message"]],
      detailNoise: [
        // [API Error: {"error":{"code":401,"message":"…","status":"UNAUTHENTICATED"}}]
        String.raw`(?<=^\[API Error: [\s\S]*)\](?![\s\S])`,
        String.raw`^\[API Error: `,
        String.raw`^(Warning: (Basic terminal|256-color)|Ripgrep is not available|\[STARTUP\]|YOLO mode is enabled).*$`,
        String.raw`^\s+at .*$`,
      ],
      terminal: {
        success: { all: [{ path: ["type"], equals: "result" }, { path: ["status"], equals: "success" }] },
        failure: { all: [{ path: ["type"], equals: "result" }, { path: ["status"], equals: "error" }] },
      },
      sessionIdPath: ["session_id"],
      modelPaths: [["model"]],
      // Without a model it chooses one by itself and tells only "auto".
      modelWhen: { not: { path: ["model"], startsWith: "auto" } },
      usageWhen: { path: ["stats", "total_tokens"], exists: true },
      // The total holds thinking, which stands in no other figure; the cached tokens are part of the input.
      usagePaths: [["stats", "total_tokens"]],
      usageParts: {
        inputTokens: ["stats", "input_tokens"],
        outputTokens: ["stats", "output_tokens"],
        cacheReadTokens: ["stats", "cached"],
      },
      deniedTools: [
        {
          when: {
            all: [
              { path: ["type"], equals: "tool_result" },
              { any: [{ path: ["error", "type"], oneOf: ["tool_not_registered", "policy_violation", "permission_denied"] }, { path: ["error", "message"], matches: "requires user confirmation" }] },
            ],
          },
          toolCallId: ["tool_id"],
          reason: ["error", "message"],
        },
      ],
      events: [
        {
          emit: "agent_message_chunk",
          when: { all: [{ path: ["type"], equals: "message" }, { path: ["role"], equals: "assistant" }] },
          fields: { text: ["content"] },
        },
        {
          emit: "tool_call",
          when: { path: ["type"], equals: "tool_use" },
          fields: {
            toolCallId: ["tool_id"],
            title: ["tool_name"],
            status: { constant: "in_progress" },
            kind: {
              path: ["tool_name"],
              map: {
                run_shell_command: "execute", read_file: "read", read_many_files: "read", list_directory: "read", write_file: "edit", replace: "edit",
                glob: "search", grep_search: "search", search_file_content: "search", web_fetch: "fetch", google_web_search: "fetch",
              },
              otherwise: "other",
            },
            rawInput: ["parameters"],
          },
        },
        {
          emit: "tool_call_update",
          when: { path: ["type"], equals: "tool_result" },
          fields: {
            toolCallId: ["tool_id"],
            status: { path: ["status"], map: { success: "completed" }, otherwise: "failed" },
            output: ["output"],
            rawOutput: ["output"],
          },
        },
        { emit: "warning", when: { path: ["type"], equals: "error" }, fields: { code: { constant: "backend-notice" }, message: ["message"] } },
      ],
      failureReasons: [
        { reason: "unauthenticated", when: { path: ["error", "message"], matches: String.raw`"code":\s*(401|403)\b|API key not valid` } },
        { reason: "rate-limited", when: { path: ["error", "message"], matches: String.raw`"code":\s*429\b|exhausted your (daily )?(quota|capacity)` } },
        { reason: "unknown-model", when: { path: ["error", "message"], matches: String.raw`"code":\s*404\b|is not found for API version|model not found` } },
        { reason: "context-too-long", when: { path: ["error", "message"], matches: "exceeds the maximum number of tokens" } },
        { reason: "bad-request", when: { path: ["error", "message"], matches: String.raw`"code":\s*400\b` } },
        { reason: "overloaded", when: { path: ["error", "message"], matches: String.raw`"code":\s*5\d\d\b` } },
        { reason: "network", when: { path: ["error", "message"], matches: "fetch failed|terminated|socket" } },
        { reason: "session-not-found", stderr: "error resuming session" },
        // Where it ends without a result: 41 is its own code, the others are a status modulo 256.
        { reason: "unauthenticated", exitCodes: [41, 145, 147] },
        { reason: "rate-limited", exitCodes: [173] },
        { reason: "overloaded", exitCodes: [244, 246, 247] },
        { reason: "permission-denied", exitCodes: [55] },
        { reason: "bad-request", exitCodes: [42, 52, 144] },
      ],
    },
  },
  options: {
    model: { args: ["--model", "{value}"] },
    resume: { args: ["--resume", "{value}"] },
    access: {
      "read-only": {
        args: ["--approval-mode", "default", "--admin-policy", "{file}", ...NOTHING_ELSE],
        file: { name: "read-only.toml", content: policyThatAllows(READING_TOOLS) },
        refuseIf: { files: SETTINGS_FILES, matches: String.raw`"hooks"\s*:\s*\{\s*"`, because: "its settings name hooks, which are programs that run all the same" },
      },
      // Without a shell: with one, a program could write anywhere.
      "workspace-write": {
        args: ["--approval-mode", "auto_edit", "--admin-policy", "{file}", ...NOTHING_ELSE],
        file: { name: "workspace-write.toml", content: policyThatAllows([...READING_TOOLS, ...WRITING_TOOLS]) },
        refuseIf: {
          files: SETTINGS_FILES,
          matches: String.raw`"hooks"\s*:\s*\{\s*"|"includeDirectories"\s*:\s*\[\s*"`,
          because: "its settings name hooks, which are programs, or directories outside the working directory",
        },
      },
      full: { args: ["--approval-mode", "yolo"] },
    },
    reservedArgs: [
      "-o", "-m", "-r", "-p", "--prompt", "-i", "--prompt-interactive", "-y", "--yolo", "--policy", "--allowed-tools", "-e", "--include-directories",
      "--session-id", "--session-file", "--acp", "--experimental-acp", "--raw-output", "-w", "--worktree",
    ],
  },
  availability: {
    install: "npm install -g @google/gemini-cli",
    login: "gemini (in a terminal; choose a way to sign in), or set GEMINI_API_KEY",
    evidence: {
      env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"],
      files: ["~/.gemini/oauth_creds.json", "~/.gemini/gemini-credentials.json", "~/.gemini/settings.json"],
    },
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "0.61.0", testedBelow: "0.62.0" },
  },
};
