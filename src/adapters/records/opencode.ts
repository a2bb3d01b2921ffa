import type { BackendRecord } from "../record.js";

const READING = { read: "allow", glob: "allow", grep: "allow", list: "allow" } as const;

/**
 * An agent of our own per level. Its rules come after those of the user's settings and of the user's agents, and the last
 * rule that fits decides; a tool that is denied is not offered at all. `external_directory` confines paths.
 */
const AGENTS = {
  "jlgcli-read-only": { mode: "primary", permission: { "*": "deny", ...READING } },
  "jlgcli-workspace-write": { mode: "primary", permission: { "*": "deny", ...READING, edit: "allow", external_directory: "deny" } },
} as const;

/** A project's own settings and plugins are programs: MCP servers, formatters, tools. */
const WITHOUT_THE_PROJECT = { OPENCODE_DISABLE_PROJECT_CONFIG: "1" };

/**
 * opencode, measured with 1.18.33 (https://github.com/anomalyco/opencode). It has no last record: a step that finishes for
 * the reason "stop" is the answer's end. Nothing is streamed: a text comes whole.
 */
export const opencode: BackendRecord = {
  id: "opencode",
  displayName: "opencode",
  homepage: "https://opencode.ai",
  traits: {
    executorId: "opencode",
    command: "opencode",
    // What went wrong inside it stands only in its log. Without a title a second model call is made for one.
    args: ["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--title", "jlgcli"],
    promptDelivery: "stdin",
    env: { set: { OPENCODE_DISABLE_AUTOUPDATE: "1" } },
    // It writes its session after the last record, and ends by itself.
    exitGraceMs: 5000,
    // It dies at once of either signal and leaves its running tool behind.
    endSignals: [{ signal: "SIGTERM", to: "tree", waitMs: 1000 }],
    output: {
      payload: "jsonl",
      resultPath: ["part", "text"],
      resultWhen: { path: ["type"], equals: "text" },
      resultParts: { separator: "\n\n", startsAnewWhen: { path: ["type"], equals: "step_start" } },
      failureWhen: { path: ["type"], equals: "error" },
      statusPath: ["error", "name"],
      errorStatusPrefix: "error",
      errorMessagePaths: [["error", "data", "message"], ["error", "message"]],
      detailNoise: [
        String.raw`^Unexpected server error\. Check server logs for details\.$`,
        // timestamp=… level=ERROR run=… message=failed ref=… error="ProviderModelNotFoundError: …" cause="…\n    at …"
        "^timestamp=.*share subscriber failed.*$",
        String.raw`(?<=^timestamp=.*)(" cause=".*|")$`,
        '^timestamp=.*? (error|cause)="',
      ],
      terminal: {
        success: { all: [{ path: ["type"], equals: "step_finish" }, { path: ["part", "reason"], oneOf: ["stop", "length"] }] },
        failure: { path: ["type"], equals: "error" },
      },
      sessionIdPath: ["sessionID"],
      usageWhen: { path: ["type"], equals: "step_finish" },
      usagePaths: [
        ["part", "tokens", "input"],
        ["part", "tokens", "output"],
        ["part", "tokens", "reasoning"],
        ["part", "tokens", "cache", "read"],
        ["part", "tokens", "cache", "write"],
      ],
      usageParts: {
        inputTokens: ["part", "tokens", "input"],
        outputTokens: ["part", "tokens", "output"],
        reasoningTokens: ["part", "tokens", "reasoning"],
        cacheReadTokens: ["part", "tokens", "cache", "read"],
        cacheWriteTokens: ["part", "tokens", "cache", "write"],
      },
      costPath: { path: ["part", "cost"], when: { path: ["type"], equals: "step_finish" }, currency: "USD" },
      deniedTools: [
        {
          when: {
            all: [
              { path: ["type"], equals: "tool_use" },
              {
                any: [
                  { path: ["part", "state", "error"], matches: "call unavailable tool|rejected permission|prevents you from using" },
                  { path: ["part", "tool"], equals: "invalid" },
                ],
              },
            ],
          },
          name: ["part", "tool"],
          toolCallId: ["part", "callID"],
          reason: ["part", "state", "error"],
        },
      ],
      events: [
        {
          emit: "agent_message_chunk",
          when: { path: ["type"], equals: "text" },
          fields: { text: ["part", "text"], messageId: ["part", "messageID"] },
        },
        {
          emit: "agent_thought_chunk",
          when: { path: ["type"], equals: "reasoning" },
          fields: { text: ["part", "text"], messageId: ["part", "messageID"] },
        },
        // A tool is told once, when it has ended.
        {
          emit: "tool_call",
          when: { path: ["type"], equals: "tool_use" },
          fields: {
            toolCallId: ["part", "callID"],
            title: ["part", "tool"],
            status: { constant: "in_progress" },
            kind: {
              path: ["part", "tool"],
              map: {
                bash: "execute", read: "read", list: "read", edit: "edit", write: "edit", patch: "edit", glob: "search", grep: "search",
                webfetch: "fetch", websearch: "fetch", task: "think",
              },
              otherwise: "other",
            },
            rawInput: ["part", "state", "input"],
          },
        },
        {
          emit: "tool_call_update",
          when: { path: ["type"], equals: "tool_use" },
          fields: {
            toolCallId: ["part", "callID"],
            status: { path: ["part", "state", "status"], map: { completed: "completed" }, otherwise: "failed" },
            output: ["part", "state", "output"],
            rawOutput: ["part", "state"],
          },
        },
        {
          emit: "warning",
          when: { all: [{ path: ["type"], equals: "step_finish" }, { path: ["part", "reason"], equals: "length" }] },
          fields: { code: { constant: "backend-notice" }, message: { constant: "the answer was cut off at the model's output limit" } },
        },
      ],
      failureReasons: [
        { reason: "unauthenticated", when: { any: [{ path: ["error", "data", "statusCode"], oneOf: [401, 403] }, { path: ["error", "name"], equals: "ProviderAuthError" }] } },
        { reason: "rate-limited", when: { path: ["error", "data", "statusCode"], oneOf: [402, 429] } },
        { reason: "unknown-model", when: { path: ["error", "data", "statusCode"], equals: 404 } },
        { reason: "context-too-long", when: { any: [{ path: ["error", "data", "statusCode"], equals: 413 }, { path: ["error", "name"], equals: "ContextOverflowError" }] } },
        { reason: "bad-request", when: { path: ["error", "data", "statusCode"], equals: 400 } },
        { reason: "overloaded", when: { path: ["error", "data", "statusCode"], atLeast: 500 } },
        // No provider has credentials, and the hosted one is shut off.
        { reason: "unauthenticated", stderr: "ProviderNoProvidersError|no providers are available|api key is missing" },
        { reason: "unknown-model", stderr: "ProviderModelNotFoundError" },
        { reason: "network", detail: "cannot connect to api|unable to connect" },
        { reason: "session-not-found", stderr: "session not found" },
      ],
    },
  },
  options: {
    model: { args: ["--model", "{value}"] },
    effort: { args: ["--variant", "{value}"] },
    resume: { args: ["--session", "{value}"] },
    access: {
      "read-only": {
        args: ["--pure", "--agent", "jlgcli-read-only"],
        env: { set: WITHOUT_THE_PROJECT, mergeJson: { OPENCODE_CONFIG_CONTENT: { agent: AGENTS } } },
      },
      // Without a shell: with one, a program could write anywhere.
      "workspace-write": {
        args: ["--pure", "--agent", "jlgcli-workspace-write"],
        env: { set: WITHOUT_THE_PROJECT, mergeJson: { OPENCODE_CONFIG_CONTENT: { agent: AGENTS } } },
      },
      full: { args: ["--auto"] },
    },
    reservedArgs: [
      "-m", "-s", "-c", "--continue", "--fork", "--share", "--command", "-f", "--file", "--attach", "-p", "--password", "-u", "--username", "--dir", "--port", "-i", "--interactive",
    ],
  },
  availability: {
    install: "npm install -g opencode-ai",
    login: "opencode auth login",
    version: { args: ["--version"], pattern: String.raw`(\d+\.\d+\.\d+)`, testedFrom: "1.18.33", testedBelow: "1.19.0" },
  },
  // Without credentials, or with a provider whose name sorts after it, it sends the prompt to a free model of its makers.
  unaskedService: {
    env: { mergeJson: { OPENCODE_CONFIG_CONTENT: { disabled_providers: ["opencode"] } } },
    unless: {
      model: "^opencode/",
      env: ["OPENCODE_API_KEY"],
      files: [
        { file: "$XDG_DATA_HOME/opencode/auth.json", matches: String.raw`"opencode"\s*:` },
        { file: "~/.local/share/opencode/auth.json", matches: String.raw`"opencode"\s*:` },
        { file: "$XDG_CONFIG_HOME/opencode/opencode.json", matches: String.raw`"model"\s*:\s*"opencode/` },
        { file: "~/.config/opencode/opencode.json", matches: String.raw`"model"\s*:\s*"opencode/` },
        { file: "~/.config/opencode/opencode.jsonc", matches: String.raw`"model"\s*:\s*"opencode/` },
      ],
    },
  },
};
