/**
 * The list of faults: what can go wrong with a backend, its pipes or its surroundings, and how `jlgcli run` must end.
 * `faults.test.ts` runs every fault that has steps; the others have a test of their own that names them by their id.
 * docs/reliability.md is generated from this list. This file imports nothing, so that the generator can read it.
 */

/** One thing that the tiny agent does (tests/fixtures/bin/agent.mjs). */
export type Step = Readonly<Record<string, unknown>>;

export interface Fault {
  readonly id: string;
  readonly group: string;
  /** What happens, as a sentence without its subject's article. */
  readonly what: string;
  /** Our exit code; for `interrupted` the signal that we die by. */
  readonly ends: number | "SIGINT" | "SIGTERM" | "SIGHUP";
  /** In words, for the table. */
  readonly then: string;
  readonly backend?: "codex" | "claude" | "copilot";
  /** What the agent does; absent: a test of its own. */
  readonly steps?: readonly Step[];
  readonly args?: readonly string[];
  readonly stdin?: string;
  /** Fields of the result. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** A part of the result's text. */
  readonly says?: string;
  /** A signal to us, after the first output. */
  readonly signal?: "SIGINT" | "SIGTERM" | "SIGHUP";
  /** The run must have ended by then. Generous: it proves that nothing hangs. */
  readonly withinMs?: number;
}

// --- what the backends say, as recorded from the real ones ---

const codex = {
  started: { record: { type: "thread.started", thread_id: "thread-1" } },
  says: (text: string): Step => ({ record: { type: "item.completed", item: { id: "item_1", type: "agent_message", text } } }),
  done: { record: { type: "turn.completed", usage: { input_tokens: 20, cached_input_tokens: 5, output_tokens: 2, reasoning_output_tokens: 0 } } },
  failed: (message: string): Step => ({ record: { type: "turn.failed", error: { message } } }),
  retries: (message: string): Step => ({ record: { type: "error", message } }),
};

const claude = {
  started: { record: { type: "system", subtype: "init", session_id: "session-1", model: "model-1" } },
  result: (fields: Readonly<Record<string, unknown>>): Step => ({
    record: {
      type: "result", subtype: "success", is_error: false, api_error_status: null, num_turns: 1, result: "done", session_id: "session-1",
      total_cost_usd: 0.1, permission_denials: [], usage: { input_tokens: 3, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }, ...fields,
    },
  }),
};

const copilot = {
  says: (content: string): Step => ({ record: { type: "assistant.message", data: { messageId: "m1", content } } }),
  done: { record: { type: "result", sessionId: "session-1", exitCode: 0 } },
  error: (data: Readonly<Record<string, unknown>>): Step => ({ record: { type: "session.error", data } }),
};

const answer = [codex.started, codex.says("done"), codex.done] as const;
const IGNORE_ALL: Step = { ignore: ["SIGINT", "SIGTERM", "SIGHUP"] };
const SUCCESS = { status: "success", text: "done", exitCode: 0 };

const TREES = "Process trees and time limits";
const DEATH = "Our own death";
const STREAMS = "Streams";
const INPUT = "Standard input and arguments";
const OUTCOME = "Outcome";
const SURROUNDINGS = "Environment";
const SECRETS = "Secrets";
const TRUST = "Untrusted folders";

const tools = ["group", "session", "scrubbed", "stubborn", "double-fork"] as const;
const TOOL_WORDS: Readonly<Record<(typeof tools)[number], string>> = {
  group: "in its own group",
  session: "in a session of its own",
  scrubbed: "in a session of its own, without any environment",
  stubborn: "in a session of its own that ignores INT, TERM and HUP",
  "double-fork": "by a double fork into a session of its own",
};

export const FAULTS: readonly Fault[] = [
  // --- process trees ---
  { id: "silent", group: TREES, what: "prints nothing and never ends", ends: 75, then: "first-byte deadline", args: ["--first-byte-timeout", "1s"], steps: [{ hang: true }], result: { status: "timeout" }, says: "printed nothing within 1 s" },
  { id: "stops-talking", group: TREES, what: "stops in the middle of a turn", ends: 75, then: "idle deadline, the partial answer is kept", args: ["--idle-timeout", "3s"], steps: [codex.started, codex.says("half"), { hang: true }], result: { status: "timeout", partialText: "half" }, says: "gave no sign of life" },
  { id: "asks-a-question", group: TREES, what: "asks \"(y/n)\" on stderr and waits for a person", ends: 75, then: "idle deadline, the message has its last words", args: ["--idle-timeout", "3s"], steps: [codex.started, { err: "Proceed? (y/n) " }, { hang: true }], result: { status: "timeout" }, says: "Proceed? (y/n)" },
  { id: "talks-for-ever", group: TREES, what: "talks for ever without a result", ends: 75, then: "total deadline", args: ["--timeout", "5s", "--idle-timeout", "4s"], steps: [codex.started, { chatter: { type: "item.updated", item: { id: "x", type: "reasoning" } } }], result: { status: "timeout" }, says: "did not finish within 5 s" },
  { id: "ignores-signals", group: TREES, what: "ignores INT, TERM and HUP", ends: 75, then: "killed after the grace", args: ["--idle-timeout", "3s"], steps: [IGNORE_ALL, codex.started, { hang: true }], result: { status: "timeout", backendSignal: "SIGKILL" } },
  ...tools.map((tool): Fault => ({ id: `timeout-tool-${tool}`, group: TREES, what: `hangs with a tool running ${TOOL_WORDS[tool]}`, ends: 75, then: "the tool is ended too", args: ["--idle-timeout", "2500ms"], steps: [codex.started, { tool }, { hang: true }], result: { status: "timeout" } })),
  // A process without a mark, a parent and a group of ours cannot be found once its parent has exited: docs/reliability.md names the limit.
  ...tools.filter((tool) => tool !== "scrubbed").map((tool): Fault => ({ id: `success-tool-${tool}`, group: TREES, what: `answers, exits, and leaves a process behind ${TOOL_WORDS[tool]}`, ends: 0, then: "answer, what was left is ended", steps: [codex.started, { tool }, { wait: 300 }, ...answer], result: SUCCESS })),
  { id: "never-exits", group: TREES, what: "prints its result and never exits", ends: 0, then: "answer after a short grace", steps: [...answer, { hang: true }], result: SUCCESS },
  { id: "never-exits-stubborn", group: TREES, what: "prints its result, never exits, ignores INT and TERM", ends: 0, then: "answer, then killed", steps: [IGNORE_ALL, ...answer, { hang: true }], result: SUCCESS },
  { id: "holds-stdout", group: TREES, what: "exits while a child of it holds stdout and stderr", ends: 0, then: "answer, nobody waits for the pipe", steps: [{ tool: "holds-stdout" }, ...answer, { exit: 0 }], result: SUCCESS },
  { id: "holds-stdout-without-result", group: TREES, what: "exits without a result while a child of it holds stdout", ends: 1, then: "failure, nobody waits for the pipe", steps: [{ tool: "holds-stdout" }, codex.started, { exit: 0 }], result: { status: "error" } },
  { id: "closes-stdout", group: TREES, what: "closes stdout after its result and goes on", ends: 0, then: "answer", steps: [...answer, { closeStdout: true }, { hang: true }], result: SUCCESS },
  { id: "closes-stdout-early", group: TREES, what: "closes stdout before its result and goes on", ends: 75, then: "idle deadline", args: ["--idle-timeout", "1s"], steps: [codex.started, { closeStdout: true }, { hang: true }], result: { status: "timeout" } },
  { id: "killed-from-outside", group: TREES, what: "is killed from outside (out of memory)", ends: 1, then: "failure that names the signal", steps: [codex.started, codex.says("half"), { kill: "SIGKILL" }], result: { status: "error", backendSignal: "SIGKILL", partialText: "half" }, says: "external signal (SIGKILL)" },
  { id: "crashes", group: TREES, what: "crashes (SIGSEGV)", ends: 1, then: "failure that names the signal", steps: [codex.started, { kill: "SIGSEGV" }], result: { status: "error", backendSignal: "SIGSEGV" } },
  { id: "no-sweep", group: TREES, what: "control: the same programs without the sweep", ends: 0, then: "processes are left, so the tests above can fail" },

  // --- our own death ---
  ...(["SIGINT", "SIGTERM", "SIGHUP"] as const).flatMap((signal): Fault[] => [
    { id: `${signal}-tool`, group: DEATH, what: `${signal} while a tool runs in a session of its own`, ends: signal, then: "all ended, then we die by the same signal", signal, steps: [codex.started, { tool: "session" }, { hang: true }], result: { status: "interrupted" }, withinMs: 7000 },
    { id: `${signal}-stubborn`, group: DEATH, what: `${signal}, and the backend and its tool ignore INT, TERM and HUP`, ends: signal, then: "killed within 7 s", signal, steps: [IGNORE_ALL, { tool: "stubborn" }, codex.started, { hang: true }], result: { status: "interrupted" }, withinMs: 7000 },
  ]),
  { id: "SIGINT-exit-0", group: DEATH, what: "SIGINT, which the backend answers with exit code 0", ends: "SIGINT", then: "interrupted, whatever the child returns", signal: "SIGINT", backend: "claude", steps: [claude.started, { hang: true }], result: { status: "interrupted" } },
  { id: "signal-after-result", group: DEATH, what: "SIGINT after the result, while the backend does not exit", ends: 0, then: "the answer counts", signal: "SIGINT", steps: [...answer, { hang: true }], result: SUCCESS },
  { id: "second-signal", group: DEATH, what: "a second Ctrl-C while the backend ignores the first", ends: "SIGINT", then: "immediately, nothing left" },
  { id: "repeated-signal", group: DEATH, what: "one Ctrl-C that arrives twice (npx passes it on)", ends: "SIGINT", then: "as one: cleaned up" },
  { id: "signal-before-spawn", group: DEATH, what: "a signal during start-up", ends: "SIGINT", then: "at once, nothing left" },
  { id: "signal-while-reading", group: DEATH, what: "a signal while standard input is read", ends: "SIGTERM", then: "at once" },
  { id: "terminal-interrupt", group: DEATH, what: "Ctrl-C in a terminal, inside a shell loop", ends: "SIGINT", then: "the loop stops too" },
  { id: "process-1", group: DEATH, what: "a signal to us as process 1 of a container", ends: 143, then: "128 + the signal, nothing left" },
  { id: "killed", group: DEATH, what: "SIGKILL to us", ends: 0, then: "the next start ends what was left, and says so" },
  { id: "killed-recycled", group: DEATH, what: "SIGKILL to us, and the ids belong to others by the next start", ends: 0, then: "nobody else is touched" },
  { id: "killed-owner-lives", group: DEATH, what: "a record of a run that is still going", ends: 0, then: "it is left alone" },

  // --- streams ---
  { id: "crlf", group: STREAMS, what: "ends its lines with CRLF", ends: 0, then: "answer", steps: [codex.started, { out: '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"done"}}\r\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\r\n' }], result: SUCCESS },
  { id: "bom", group: STREAMS, what: "begins with a byte order mark", ends: 0, then: "answer", steps: [{ hex: "efbbbf" }, ...answer], result: { ...SUCCESS, sessionId: "thread-1", warnings: [] } },
  { id: "escapes", group: STREAMS, what: "puts terminal escapes before and after its records", ends: 0, then: "answer", steps: [{ out: "\u001b]0;title\u0007\u001b[2K\u001b[1m" }, codex.started, { out: "\u001b[0m" }, codex.says("done"), { out: "\u001b]0;end\u001b\\" }, codex.done, { out: "\u001b[0m" }], result: SUCCESS },
  { id: "log-lines", group: STREAMS, what: "writes log lines before, between and after its records", ends: 0, then: "answer", steps: [{ out: "Update available\n\n" }, codex.started, { out: "DEBUG something\n" }, codex.says("done"), { out: "[warn] late\n" }, codex.done, { out: "bye\n" }], result: { ...SUCCESS, usage: { inputTokens: 20, outputTokens: 2, cacheReadTokens: 5, cacheWriteTokens: null, reasoningTokens: 0, totalTokens: 22 } } },
  { id: "nul-bytes", group: STREAMS, what: "writes NUL bytes between its records", ends: 0, then: "answer", steps: [codex.started, { hex: "000000" }, { out: "\n" }, codex.says("done"), { hex: "000a" }, codex.done], result: SUCCESS },
  { id: "invalid-utf8", group: STREAMS, what: "writes bytes that are no UTF-8 inside a record", ends: 0, then: "answer with U+FFFD", steps: [codex.started, { out: '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"caf' }, { hex: "e9" }, { out: '"}}\n' }, codex.done], result: { status: "success", text: "caf\uFFFD" } },
  { id: "split-character", group: STREAMS, what: "writes one character in two pieces", ends: 0, then: "answer, whole", steps: [codex.started, { out: '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"caf' }, { hex: "c3" }, { wait: 300 }, { hex: "a9" }, { out: '"}}\n' }, codex.done], result: { status: "success", text: "café" } },
  { id: "no-final-newline", group: STREAMS, what: "does not end its last line", ends: 0, then: "answer", steps: [codex.started, codex.says("done"), { out: '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}' }], result: SUCCESS },
  { id: "protocol-on-stderr", group: STREAMS, what: "repeats protocol text on stderr (failure, another answer)", ends: 0, then: "only stdout counts", steps: [codex.started, { err: '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}\n{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"wrong"}}\n' }, codex.says("done"), codex.done], result: SUCCESS },
  { id: "both-pipes", group: STREAMS, what: "writes 16 MiB to stderr before its answer", ends: 0, then: "answer, no deadlock", steps: [codex.started, { floodErr: { count: 256, bytes: 65536 } }, codex.says("done"), codex.done], result: SUCCESS },
  { id: "cut-record", group: STREAMS, what: "dies in the middle of a record", ends: 1, then: "failure, usage unknown", steps: [codex.started, codex.says("half"), { out: '{"type":"turn.comple' }, { exit: 0 }], result: { status: "error", usage: null, partialText: "half" } },
  { id: "long-line", group: STREAMS, what: "prints an answer in one line of nearly 64 MiB", ends: 0, then: "answer, whole" },
  { id: "too-long-line", group: STREAMS, what: "prints a line of more than 64 MiB", ends: 0, then: "that line is lost, the run goes on" },
  { id: "gigabyte", group: STREAMS, what: "prints 1 GiB", ends: 0, then: "answer, flat memory" },
  { id: "reader-leaves", group: STREAMS, what: "our reader leaves (`| head -1`)", ends: 141, then: "quietly, the backend is ended" },
  { id: "reader-slow", group: STREAMS, what: "our reader takes nothing for 3 s", ends: 0, then: "every byte arrives" },
  { id: "disk-full", group: STREAMS, what: "stdout is on a full disk", ends: 74, then: "one line on stderr" },
  { id: "stderr-full", group: STREAMS, what: "stderr is on a full disk, or closed", ends: 0, then: "answer" },

  // --- stdin and arguments ---
  { id: "while-read", group: INPUT, what: "`while read` around us", ends: 0, then: "the loop keeps its list" },
  { id: "idle-pipe", group: INPUT, what: "stdin is a pipe that nobody closes, with a prompt argument", ends: 0, then: "answer, it is not read" },
  { id: "closed-stdin", group: INPUT, what: "stdin is closed", ends: 0, then: "answer" },
  { id: "terminal-stdin", group: INPUT, what: "no prompt, stdin is a terminal", ends: 64, then: "says how to give one" },
  { id: "prompt-argument-limit", group: INPUT, what: "131,071 bytes for a backend that takes its prompt as an argument", ends: 0, then: "arrives whole" },
  { id: "prompt-argument-too-long", group: INPUT, what: "131,072 bytes for a backend that takes its prompt as an argument", ends: 65, then: "refused before anything is started" },
  { id: "prompt-10-mib", group: INPUT, what: "10 MiB by stdin", ends: 0, then: "arrives whole" },
  { id: "prompt-awkward", group: INPUT, what: "prompts with a leading dash, line breaks, quotes, `$HOME`", ends: 0, then: "arrive as they are, by stdin and as an argument" },
  { id: "deaf", group: INPUT, what: "ends without reading its 8 MiB prompt", ends: 1, then: "its own words count, not the broken pipe", steps: [{ deaf: true, err: "error: unexpected argument\n", exit: 2 }], stdin: "x".repeat(8 * 1024 * 1024), result: { status: "error", backendExitCode: 2 }, says: "unexpected argument" },

  // --- outcome ---
  { id: "success-exit-1", group: OUTCOME, what: "says success, then exits with 1", ends: 0, then: "answer and a warning", steps: [...answer, { exit: 1 }], result: { ...SUCCESS, backendExitCode: 1, warnings: ["codex exited with code 1 after it had finished"] } },
  { id: "turn-failed-exit-0", group: OUTCOME, what: "says failure, exits with 0", ends: 69, then: "failure", steps: [codex.started, codex.failed("the model is at capacity"), { exit: 0 }], result: { status: "unavailable" }, says: "at capacity" },
  { id: "answer-then-failed", group: OUTCOME, what: "answers, then says failure, exits with 0", ends: 1, then: "failure, the answer is partial", steps: [codex.started, codex.says("half"), codex.failed("something broke"), { exit: 0 }], result: { status: "error", partialText: "half" } },
  { id: "exit-0-silent", group: OUTCOME, what: "exits with 0 and prints nothing", ends: 1, then: "failure", steps: [{ exit: 0 }], result: { status: "error" } },
  { id: "exit-1-silent", group: OUTCOME, what: "exits with 1 and prints nothing", ends: 1, then: "failure that names the code", backend: "copilot", steps: [{ exit: 1 }], result: { status: "error", backendExitCode: 1 }, says: "exited with code 1" },
  { id: "no-terminal-record", group: OUTCOME, what: "answers without a terminal record, exits with 0", ends: 1, then: "failure, the answer is partial", steps: [codex.started, codex.says("half"), { exit: 0 }], result: { status: "error", partialText: "half" } },
  { id: "blank-answer", group: OUTCOME, what: "says success with a blank answer", ends: 1, then: "failure", steps: [codex.started, codex.says(" \n"), codex.done], result: { status: "error" }, says: "without an answer" },
  { id: "zero-turns", group: OUTCOME, what: "says success after zero turns, with an empty result", ends: 1, then: "failure", backend: "claude", steps: [claude.started, claude.result({ num_turns: 0, result: "" })], result: { status: "error" } },
  { id: "retries-heal", group: OUTCOME, what: "says \"Reconnecting… n/5\" four times, then answers", ends: 0, then: "answer", steps: [codex.started, ...[1, 2, 3, 4].map((n) => codex.retries(`Reconnecting... ${n}/5 (stream disconnected)`)), codex.says("done"), codex.done], result: SUCCESS },
  { id: "only-an-error", group: OUTCOME, what: "prints one error notice and exits with 0", ends: 69, then: "failure, told by the notice", steps: [codex.started, codex.retries("stream disconnected before completion"), { exit: 0 }], result: { status: "unavailable" } },
  { id: "retries-hopeless", group: OUTCOME, what: "retries a 401 for ever", ends: 6, then: "ended after the second notice", steps: [codex.started, ...[1, 2].map((n) => codex.retries(`Reconnecting... ${n}/5 (unexpected status 401 Unauthorized: bad key)`)), { hang: true }], result: { status: "backend-unauthenticated" }, withinMs: 15_000 },
  { id: "success-is-error", group: OUTCOME, what: "says `subtype: success` with `is_error: true` and 429", ends: 69, then: "failure, its text is no answer", backend: "claude", steps: [claude.started, claude.result({ is_error: true, api_error_status: 429, result: "API Error: 429 limit reached", duration_api_ms: 0 }), { exit: 0 }], result: { status: "rate-limited" }, says: "429" },
  { id: "claude-401", group: OUTCOME, what: "says `is_error: true` with 401", ends: 6, then: "failure", backend: "claude", steps: [claude.started, claude.result({ is_error: true, api_error_status: 401, result: "Invalid API key" }), { exit: 1 }], result: { status: "backend-unauthenticated" } },
  { id: "claude-not-logged-in", group: OUTCOME, what: "says \"Not logged in\" without a status", ends: 6, then: "failure", backend: "claude", steps: [claude.started, claude.result({ is_error: true, result: "Not logged in · Please run /login" }), { exit: 1 }], result: { status: "backend-unauthenticated" } },
  { id: "max-turns", group: OUTCOME, what: "gives up with `error_max_turns`", ends: 1, then: "failure", backend: "claude", steps: [claude.started, claude.result({ subtype: "error_max_turns", is_error: true, result: undefined })], result: { status: "error" } },
  { id: "tools-refused", group: OUTCOME, what: "was refused a tool and says success", ends: 0, then: "answer, the refusals are listed", backend: "claude", steps: [claude.started, claude.result({ permission_denials: [{ tool_name: "Write", tool_use_id: "t1" }] })], result: { ...SUCCESS, deniedTools: [{ name: "Write", toolCallId: "t1", reason: null }] } },
  { id: "tools-refused-strict", group: OUTCOME, what: "was refused a tool and says success, with `--strict-permissions`", ends: 1, then: "failure, the answer is partial", backend: "claude", args: ["--strict-permissions"], steps: [claude.started, claude.result({ permission_denials: [{ tool_name: "Write", tool_use_id: "t1" }] })], result: { status: "permission-denied", partialText: "done" } },
  { id: "copilot-no-login", group: OUTCOME, what: "writes \"No authentication information found.\" to stderr, exits with 1", ends: 6, then: "failure", backend: "copilot", steps: [{ err: "Error: No authentication information found.\n" }, { exit: 1 }], result: { status: "backend-unauthenticated" } },
  { id: "copilot-503", group: OUTCOME, what: "reports a 503", ends: 69, then: "failure", backend: "copilot", steps: [copilot.error({ errorType: "query", statusCode: 503, message: "service unavailable" }), { exit: 1 }], result: { status: "unavailable" } },
  { id: "copilot-aborted", group: OUTCOME, what: "is ended from outside and exits with 0 without a result", ends: 1, then: "failure", backend: "copilot", steps: [copilot.says("half"), { record: { type: "abort", data: { reason: "user_abort" } } }, { exit: 0 }], result: { status: "error", partialText: "half" } },
  { id: "words-in-the-transcript", group: OUTCOME, what: "failed, after a tool printed \"429 rate limit\" and \"not logged in\"", ends: 1, then: "the transcript does not decide", steps: [codex.started, { record: { type: "item.completed", item: { id: "t", type: "command_execution", command: "cat log", aggregated_output: "HTTP 429 rate limit; not logged in", status: "completed", exit_code: 0 } } }, codex.says("it says 401 Unauthorized"), codex.failed("something broke"), { exit: 1 }], result: { status: "error" } },
  { id: "code-like-a-signal", group: OUTCOME, what: "exits with 173 (an HTTP status modulo 256)", ends: 1, then: "failure, not a signal", steps: [codex.started, { exit: 173 }], result: { status: "error", backendExitCode: 173, backendSignal: null } },
  { id: "code-2", group: OUTCOME, what: "exits with 2 or 127", ends: 1, then: "never taken for a missing program", steps: [{ err: "error: unexpected argument '--json'\n" }, { exit: 127 }], result: { status: "error", backendExitCode: 127 } },

  // --- environment ---
  { id: "missing-program", group: SURROUNDINGS, what: "is not installed", ends: 2, then: "says how to install it" },
  { id: "empty-path", group: SURROUNDINGS, what: "PATH is empty", ends: 2, then: "says how to install it" },
  { id: "missing-interpreter", group: SURROUNDINGS, what: "is a script whose interpreter is missing", ends: 1, then: "names the interpreter, never 2" },
  { id: "missing-cwd", group: SURROUNDINGS, what: "the working directory is missing", ends: 66, then: "says so, never 2" },
  { id: "cwd-is-file", group: SURROUNDINGS, what: "the working directory is a file", ends: 66, then: "says so" },
  { id: "cwd-no-git", group: SURROUNDINGS, what: "the working directory is no git repository", ends: 0, then: "answer" },
  { id: "home-missing", group: SURROUNDINGS, what: "HOME does not exist, or is a file", ends: 0, then: "answer" },
  { id: "home-read-only", group: SURROUNDINGS, what: "HOME is read-only", ends: 0, then: "answer" },
  { id: "nested", group: SURROUNDINGS, what: "runs inside another agent, with colour forced", ends: 0, then: "markers and colour forcing are gone; proxies and CA variables stay; PWD is true" },

  // --- secrets ---
  { id: "secret-on-stderr", group: SECRETS, what: "fails and prints a key and a bearer header on stderr", ends: 1, then: "neither shows: text, `--json`, `--verbose`" },
  { id: "secret-in-tools", group: SECRETS, what: "runs a command with a token in it", ends: 0, then: "shown without the token" },
  { id: "secret-in-recording", group: SECRETS, what: "is recorded while it prints a key", ends: 0, then: "the recording has no key, is 0600" },
  { id: "secret-in-dry-run", group: SECRETS, what: "`--dry-run` with a key in `--env`", ends: 0, then: "shown without the key" },
  { id: "secret-in-answer", group: SECRETS, what: "answers with something that looks like a key", ends: 0, then: "the answer is passed on as it is" },

  // --- untrusted folders ---
  { id: "untrusted-config", group: TRUST, what: "a cloned repository's configuration sets backends, env, arguments, system prompt, access", ends: 0, then: "ignored, one line each on stderr" },
  { id: "untrusted-backend", group: TRUST, what: "a cloned repository names a backend of its own", ends: 64, then: "its command is not run" },
  { id: "untrusted-code", group: TRUST, what: "a cloned repository has `.config/jlgcli.config.js` and the like", ends: 0, then: "never executed" },
  { id: "untrusted-giant", group: TRUST, what: "a cloned repository's configuration is giant or deeply nested", ends: 78, then: "refused in bounded time" },
  { id: "untrusted-links", group: TRUST, what: "a cloned repository's configuration is a link, a pipe or a directory", ends: 0, then: "bounded, nothing is executed" },
  { id: "untrusted-path", group: TRUST, what: "a cloned repository has a program named like the backend", ends: 2, then: "the current folder is never searched" },
];
