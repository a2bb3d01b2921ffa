import type { BackendId } from "./backends.js";
import type { IsolatedEnv, IsolatedEnvOptions } from "./isolated-env.js";
import { bigText } from "./directives.js";
import { wordingCount } from "./error-bodies.js";
import { type ModelAnswer, cutAfter, failWith, reset, runBash, say, stallAfter, writeFile } from "./model-answer.js";
import type { Dialect } from "./model-request.js";

/** One recording: how the backend is called and what the model does. */
export interface FixtureCase {
  name: string;
  /** What a reader should know about this recording. */
  about: string;
  args: readonly string[];
  input: string;
  /** Used in order; the last one is repeated for every further call. */
  answers: (place: IsolatedEnv) => readonly ModelAnswer[];
  env: Omit<IsolatedEnvOptions, "serverUrl">;
  /** Sent to the program itself when its stdout contains the text. */
  interrupt?: { whenSeen: string; signal: NodeJS.Signals };
  timeoutMs: number;
}

/** Everything that `record-fixtures.mjs` records for a backend. */
export function fixtureCases(backend: BackendId): FixtureCase[] {
  return [...commonCases(backend), ...(EXTRA_CASES[backend] ?? [])];
}

const BASE_ARGS: Record<BackendId, readonly string[]> = {
  claude: ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
  codex: ["exec", "--json", "-c", "analytics.enabled=false", "--skip-git-repo-check"],
  copilot: ["--output-format", "json"],
};

/** codex reads its prompt from stdin only if told so; the dash stands last. */
const LAST_ARGS: Record<BackendId, readonly string[]> = { claude: [], codex: ["-"], copilot: [] };

const READ_ONLY_ARGS: Record<BackendId, readonly string[]> = {
  claude: ["--permission-mode", "default"],
  codex: ["-s", "read-only", "--ignore-rules"],
  copilot: ["--available-tools=view,grep,glob"],
};

const WORKSPACE_ARGS: Record<BackendId, readonly string[]> = {
  claude: ["--permission-mode", "acceptEdits"],
  codex: ["-s", "workspace-write", "--ignore-rules"],
  copilot: ["--allow-tool=write"],
};

const DIALECTS: Record<BackendId, Dialect> = {
  claude: "anthropic-messages",
  codex: "openai-responses",
  copilot: "openai-chat",
};

/** Of these statuses only the first wording is recorded: copilot retries them for up to a minute. */
const FIRST_WORDING_ONLY: Record<BackendId, readonly number[]> = { claude: [], codex: [], copilot: [429, 500, 503, 529] };

const STATUSES: Record<number, string> = {
  400: "bad-request",
  402: "payment-required",
  401: "unauthenticated",
  403: "forbidden",
  404: "unknown-model",
  413: "too-large",
  429: "rate-limited",
  500: "server-error",
  503: "unavailable",
  529: "overloaded",
};

function commonCases(backend: BackendId): FixtureCase[] {
  const make = caseMaker(backend);
  return [
    make("success", "A plain answer in five pieces.", { answers: () => [say("The answer is forty-two — “42”.", { chunks: 5, delayMs: 20 })] }),
    make("success-thinking", "An answer with thinking before it, where the dialect can carry it.", { answers: () => [say("It is blue.", { thinking: "The sky, by day." })] }),
    make("success-long", "An answer of 20,000 characters.", { answers: () => [say(bigText(20_000), { chunks: 20 })] }),
    make("success-empty", "The model ends its turn without a word.", { answers: () => [say("")] }),
    make("tool-allowed", "A shell command that was allowed to run, then an answer.", {
      args: WORKSPACE_ARGS[backend],
      answers: () => [runBash("echo hi > out.txt; cat out.txt"), say("The file is written.")],
    }),
    make("tool-denied", "A shell command that writes, under the flags that forbid it; the run itself succeeds.", {
      args: READ_ONLY_ARGS[backend],
      answers: () => [runBash("echo hi > out.txt"), say("I could not write.")],
    }),
    make("tool-fails", "A shell command that was allowed and exits with 2.", { args: WORKSPACE_ARGS[backend], answers: () => [runBash("ls no-such-file"), say("It failed.")] }),
    make("file-written", "The backend's own tool for writing files.", {
      args: WORKSPACE_ARGS[backend],
      answers: (place) => [writeFile(`${place.cwd}/new.txt`, "hello"), say("Written.")],
    }),
    make("file-denied", "The same tool, outside the working directory.", {
      args: WORKSPACE_ARGS[backend],
      answers: (place) => [writeFile(`${place.outside}/new.txt`, "hello"), say("I could not write.")],
    }),
    make("no-credentials", "Neither a key nor a login.", { env: { withoutCredentials: true } }),
    make("cut-stream", "The connection breaks in mid-stream, each time.", { answers: () => [cutAfter(3)] }),
    make("reset", "The connection breaks before any answer, each time.", { answers: () => [reset] }),
    make("fails-then-succeeds", "Two answers with status 500, then a good one; the backend retries.", {
      env: { withoutRetries: false },
      answers: () => [failWith(500), failWith(500), say("At last.")],
    }),
    ...statusCases(backend),
  ];
}

type CaseOptions = Partial<Pick<FixtureCase, "args" | "input" | "answers" | "env" | "interrupt" | "timeoutMs">>;

function caseMaker(backend: BackendId) {
  return (name: string, about: string, options: CaseOptions = {}): FixtureCase => ({
    name,
    about,
    args: [...BASE_ARGS[backend], ...(options.args ?? []), ...LAST_ARGS[backend]],
    input: options.input ?? "What is the answer?",
    answers: options.answers ?? (() => [say("unused")]),
    env: options.env ?? {},
    timeoutMs: options.timeoutMs ?? 90_000,
    ...(options.interrupt === undefined ? {} : { interrupt: options.interrupt }),
  });
}

function statusCases(backend: BackendId): FixtureCase[] {
  const make = caseMaker(backend);
  const plain = Object.entries(STATUSES).flatMap(([text, name]) => {
    const status = Number(text);
    const count = FIRST_WORDING_ONLY[backend].includes(status) ? 1 : wordingCount(DIALECTS[backend], status);
    return Array.from({ length: count }, (_, variant) =>
      make(`${name}-${status}${variant === 0 ? "" : `-${variant + 1}`}`, `Every call is answered with status ${status}, wording ${variant + 1}.`, {
        answers: () => [failWith(status, { variant })],
      }),
    );
  });
  const quota = make("quota-429", "Status 429 that will not heal soon: the quota is used up, retry-after says an hour.", {
    answers: () => [failWith(429, { variant: 1, retryAfter: "3600", shouldRetry: false })],
  });
  const noRetry = make("unauthenticated-401-no-retry", "Status 401 with `x-should-retry: false`.", {
    answers: () => [failWith(401, { shouldRetry: false })],
  });
  return [...plain, quota, noRetry];
}

/** Of the text with which `stallAfter` stalls, five letters each. */
const THIRD_PIECE = "ree f";

const claude = caseMaker("claude");
const codex = caseMaker("codex");
const copilot = caseMaker("copilot");

const EXTRA_CASES: Record<BackendId, readonly FixtureCase[]> = {
  claude: [
    claude("slash-command", "A prompt that begins with a slash never reaches the model, and the run looks like a success.", { input: "/nosuchcommand please" }),
    claude("max-turns", "The limit of turns is reached.", { args: ["--max-turns", "1", ...WORKSPACE_ARGS.claude], answers: () => [runBash("ls")] }),
    claude("schema", "An answer that satisfies the schema.", {
      args: ["--json-schema", '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}'],
      answers: () => [{ kind: "tool", call: { name: "StructuredOutput", input: { answer: 42 } } }, say("done")],
    }),
    claude("interrupted", "SIGINT while the answer is streaming: exit code 0, and a result that says so.", {
      answers: () => [stallAfter(3)],
      interrupt: { whenSeen: THIRD_PIECE, signal: "SIGINT" },
    }),
    claude("usage-error", "An unknown flag.", { args: ["--no-such-flag"] }),
    claude("root-refused", "bypassPermissions as root.", { args: ["--permission-mode", "bypassPermissions"] }),
    claude("read-only", "The read-only flags: the shell is not there.", {
      args: ["--permission-mode", "default", "--tools", "Read,Glob,Grep", "--strict-mcp-config"],
      env: { settingsAllowEverything: true },
      answers: () => [runBash("echo hi > out.txt"), say("There is no shell.")],
    }),
    claude("retries-401", "Status 401 without the header that forbids a retry: notices of retries, then the test's end.", {
      env: { withoutRetries: false },
      answers: () => [failWith(401)],
      interrupt: { whenSeen: '"attempt":3', signal: "SIGTERM" },
    }),
  ],
  codex: [
    codex("no-login", "The built-in provider without a login: the service answers 401.", {
      env: { withoutCredentials: true, builtInProvider: true },
      answers: () => [failWith(401, { variant: 1 })],
    }),
    codex("interrupted", "SIGTERM while the model is silent.", { answers: () => [{ kind: "silence" }], interrupt: { whenSeen: "turn.started", signal: "SIGTERM" } }),
    codex("usage-error", "An unknown flag.", { args: ["--no-such-flag"] }),
    codex("retries-500", "Default retries against status 500.", { env: { withoutRetries: false }, answers: () => [failWith(500)] }),
    codex("retries-401", "Default retries against status 401.", { env: { withoutRetries: false }, answers: () => [failWith(401)] }),
    codex("retries-cut-stream", "Default retries against a stream that breaks.", { env: { withoutRetries: false }, answers: () => [cutAfter(3)] }),
  ],
  copilot: [
    copilot("tool-denied-rule", "A denied tool, by a rule.", { args: ["--allow-all-tools", "--deny-tool=shell"], answers: () => [runBash("echo hi > out.txt"), say("I may not.")] }),
    copilot("tool-denied-nobody-asks", "A tool that needs approval, without anyone to ask.", { answers: () => [runBash("echo hi > out.txt"), say("I may not.")] }),
    copilot("offline-without-provider", "COPILOT_OFFLINE without a provider of one's own.", { env: { withoutCredentials: true, env: { COPILOT_OFFLINE: "true" } } }),
    copilot("interrupted", "SIGTERM to the launcher's child while the answer is streaming.", {
      answers: () => [stallAfter(3)],
      interrupt: { whenSeen: THIRD_PIECE, signal: "SIGTERM" },
    }),
    ...[0, 2, 3].map((variant) =>
      copilot(`rate-limited-429-${variant + 1}-for-an-hour`, `Status 429, wording ${variant + 1}, retry-after says an hour.`, {
        answers: () => [failWith(429, { variant, retryAfter: "3600" })],
      }),
    ),
    copilot("usage-error", "An unknown flag.", { args: ["--no-such-flag"] }),
    copilot("session-unknown", "Resuming a session that does not exist.", { args: ["--resume=99999999-9999-4999-8999-999999999999"] }),
  ],
};
