import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/program.js";
import { type BackendStage, type StageOptions, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { listAt, textAt } from "./json-value.js";
import { failWith, runBash, say, silence } from "./model-answer.js";
import type { Dialect, ModelRequest } from "./model-request.js";
import type { BackendProcess, JlgcliRun } from "./run-jlgcli.js";

/**
 * What each option of `run` does on each backend: read from the backend's own arguments, environment and directory, from
 * what its model was asked, or from what jlgcli printed. Where a backend cannot honour an option, the cell expects 64.
 */

/** Proves what one option does on one backend. */
type Cell = (backend: BackendId) => Promise<void>;

/** A run that answered. */
interface Heard {
  readonly stage: BackendStage;
  readonly ended: JlgcliRun;
  readonly call: ModelRequest;
  readonly child: BackendProcess;
}

type Prepare = (stage: BackendStage) => readonly string[];

/** A cell for an option that must work: the run answers, and `check` finds its effect. */
const works =
  (args: readonly string[] | Prepare, check: (heard: Heard) => void, options: StageOptions = {}): Cell =>
  (backend) =>
    onStage(backend, options, async (stage) => {
      const ended = await stage.run([...(typeof args === "function" ? args(stage) : args), "hello"]);
      expect({ exitCode: ended.exitCode, stderr: ended.exitCode === 0 ? "" : ended.stderr }).toEqual({ exitCode: 0, stderr: "" });
      const call = stage.server.calls[0];
      if (call === undefined || ended.child === null) throw new Error("the backend was not seen at work");
      check({ stage, ended, call, child: ended.child });
    });

/** A cell for an option that the backend cannot honour: 64, which names it, and nothing is started. */
const refused =
  (args: readonly string[], names: string): Cell =>
  (backend) =>
    onStage(backend, { callsAreDue: false }, async ({ run }) => {
      const ended = await run([...args, "--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
      expect(ended.result.text).toContain(`cannot honour ${names}`);
      expect(ended.result.details).toBeTypeOf("string");
    });

const both =
  (...cells: readonly Cell[]): Cell =>
  async (backend) => {
    for (const cell of cells) await cell(backend);
  };

const everywhere = (cell: Cell): Record<BackendId, Cell> => ({ claude: cell, codex: cell, copilot: cell });

/** That `wanted` stands among the arguments, in this order and side by side. */
function expectArgs({ args }: BackendProcess, wanted: readonly string[]): void {
  const at = args.findIndex((_, index) => wanted.every((arg, offset) => args[index + offset] === arg));
  expect(at === -1 ? args : wanted).toEqual(wanted);
}

const sends =
  (...wanted: readonly string[]) =>
  ({ child }: Heard): void =>
    expectArgs(child, wanted);

const DIALECT: Record<BackendId, Dialect> = { claude: "anthropic-messages", codex: "openai-responses", copilot: "openai-chat" };

const effort = (level: string): Cell => works(["--effort", level], ({ call }) => expect(call.effort).toBe(level));

const deadline =
  (flag: string, words: string): Cell =>
  (backend) =>
    onStage(backend, { callsAreDue: "either" }, async ({ run, server }) => {
      server.respondWith(() => silence);
      const ended = await run([...flag.split(" "), "--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 75, status: "timeout" });
      expect(ended.result.text).toContain(words);
    });

const system = (flag: string): Cell => works([flag, "Speak in rhymes only."], ({ call }) => expect(call.system).toContain("Speak in rhymes only."));

/** A project's file that an untrusted folder may not use, so that jlgcli speaks of it. */
function writeProjectFile({ place }: BackendStage): void {
  writeFileSync(join(place.cwd, ".jlgcli.json"), JSON.stringify({ env: { FROM_PROJECT: "yes" } }));
}

const withProjectFile =
  (...args: readonly string[]): Prepare =>
  (stage) => {
    writeProjectFile(stage);
    return args;
  };

/** A refused tool turns the run into a failure. */
const strict: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server }) => {
    server.enqueue(runBash("echo hi > made.txt"), say("it said no"));
    const ended = await run(["--strict-permissions", "--json", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 1, status: "permission-denied", partialText: "it said no" });
  });

/** What a dry run prints is what a real run starts. */
const dryRun: Cell = (backend) =>
  onStage(backend, {}, async (stage) => {
    const args = ["--model", "some-model", "--access", "read-only", "hello"];
    const dry = await stage.run(["--dry-run", "--json", ...args]);
    expect(dry).toMatchObject({ exitCode: 0, child: null });
    expect(stage.server.requests).toHaveLength(0);
    const real = await stage.run(args);
    expect(dry.result).toMatchObject({ command: backend, cwd: stage.place.cwd, prompt: "hello", promptDelivery: "stdin" });
    // The one argument that differs each time names a temporary file.
    expect(listAt(dry.result, "args")).toEqual(real.child?.args.filter((arg) => !arg.startsWith("--usage-output-file=")));
  });

const recording: Cell = works(
  ({ place }) => ["--record", join(place.outside, "run.cassette.ndjson")],
  ({ stage, ended }) => {
    const recorded = readFileSync(join(stage.place.outside, "run.cassette.ndjson"), "utf8");
    expect(recorded).toContain(ended.stdout.trim().slice(0, 20));
    expect(recorded).not.toMatch(/sk-(ant-)?test-key/);
  },
);

const resumed: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server }) => {
    server.enqueue(say("the first answer"));
    const id = textAt((await run(["--json", "the first question"])).result, "sessionId") ?? "none";
    const ended = await run(["--resume", id, "the second question"]);
    expect(ended.exitCode).toBe(0);
    expect(ended.child?.args.join(" ")).toMatch(new RegExp(`resume[ =]${id}`));
    expect(JSON.stringify(server.calls[1]?.body)).toContain("the first answer");
  });

const elsewhere: Cell = works(
  ({ place }) => ["--cwd", place.outside],
  ({ stage, child }) => {
    expect(child.cwd).toBe(stage.place.outside);
    expect(child.env.PWD).toBe(stage.place.outside);
  },
);

const shellBlock: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server, place }) => {
    mkdirSync(join(place.home, ".jlgcli", "commands"), { recursive: true });
    writeFileSync(join(place.home, ".jlgcli", "commands", "greet.md"), "It says !`echo shell-$((40 + 2))`.\n");
    const ended = await run(["--allow-shell", "/greet"]);
    expect(ended.exitCode).toBe(0);
    expect(server.calls[0]?.prompt).toContain("It says shell-42");
  });

const otherArgument = (args: readonly string[]): Cell => works(args.map((arg) => `--backend-arg=${arg}`), ({ child }) => expectArgs(child, args));

/** The result of a run that must end with this code; no request is due where none can be. */
const endsWith =
  (args: readonly string[], exitCode: number, options: StageOptions = { callsAreDue: false }): Cell =>
  (backend) =>
    onStage(backend, options, async ({ run }) => {
      expect((await run([...args, "--json", "hello"])).result).toMatchObject({ exitCode });
    });

/** A picture of one pixel. */
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const attached = (flag: string): Cell =>
  works(
    ({ place }) => {
      writeFileSync(join(place.cwd, "shot.png"), PNG);
      return ["--attach", "shot.png"];
    },
    ({ stage, child }) => expectArgs(child, [`${flag}=${join(stage.place.cwd, "shot.png")}`]),
  );

const SCHEMA = JSON.stringify({ type: "object", properties: { risk: { type: "string" } }, required: ["risk"], additionalProperties: false });

const structured = (check: (args: readonly string[], prompt: string) => void): Cell =>
  (backend) =>
    onStage(backend, {}, async ({ run, server }) => {
      server.respondWith(() => say('{"risk":"low"}'));
      const ended = await run(["--schema", SCHEMA, "--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 0, structured: { risk: "low" } });
      check(ended.child?.args ?? [], server.calls[0]?.prompt ?? "");
    });

const unstructured: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server }) => {
    server.respondWith(() => say("no JSON at all"));
    const ended = await run(["--schema", SCHEMA, "--schema-repairs", "0", "--json", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 65 });
  });

/** The service fails once; what the backend does not repeat by itself is repeated. */
const retried: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server }) => {
    server.enqueue(failWith(503, { shouldRetry: false }), say("back again"));
    const ended = await run(["--retries", "1", "--json", "hello"]);
    expect(ended.result).toMatchObject({ exitCode: 0, text: "back again" });
  });

const mapped: Cell = (backend) =>
  onStage(backend, {}, async ({ run, server }) => {
    server.respondWith(() => failWith(400));
    const ended = await run(["--exit-map", "1=99", "--json", "hello"]);
    expect(ended.exitCode).toBe(99);
    expect(ended.result).toMatchObject({ exitCode: 1 });
  });

/** The second run finds the tokens of the first in the ledger. */
const overBudget =
  (...flags: readonly string[]): Cell =>
  (backend) =>
    onStage(backend, {}, async ({ run }) => {
      expect((await run(["hello"])).exitCode).toBe(0);
      expect((await run([...flags, "--json", "hello"])).result).toMatchObject({ exitCode: 69 });
    });

const toGithub: Cell = (backend) => {
  const file = join(mkdtempSync(join(tmpdir(), "jlgcli-github-")), "output");
  writeFileSync(file, "");
  return works(["--github"], () => expect(readFileSync(file, "utf8")).toContain("The model heard 5 characters"), { env: { GITHUB_OUTPUT: file } })(backend);
};

const CELLS: Readonly<Record<string, Record<BackendId, Cell>>> = {
  "--backend": everywhere((backend) =>
    works(["--backend", backend], ({ call }) => expect(call.dialect).toBe(DIALECT[backend]), { env: { JLGCLI_BACKEND: "replay" } })(backend),
  ),
  "--model": everywhere(works(["--model", "some-model-7"], ({ call }) => expect(call.model).toBe("some-model-7"))),
  "--effort": {
    claude: both(effort("low"), refused(["--effort", "minimal"], "--effort minimal")),
    codex: effort("low"),
    copilot: both(effort("low"), refused(["--effort", "huge"], "--effort huge")),
  },
  "--access": {
    claude: works(["--access", "workspace-write"], sends("--permission-mode", "acceptEdits", "--setting-sources", "", "--strict-mcp-config")),
    codex: works(["--access", "workspace-write"], sends("-s", "workspace-write")),
    copilot: works(["--access", "workspace-write"], (heard) => {
      sends("--available-tools=view,grep,glob,create,edit", "--allow-tool=write")(heard);
      expect(heard.child.env.COPILOT_ALLOW_ALL).toBeUndefined();
    }, { env: { COPILOT_ALLOW_ALL: "true" } }),
  },
  "--system-prompt": {
    claude: both(system("--system-prompt"), refused(["--system-prompt", " "], "--system-prompt with an empty value")),
    codex: refused(["--system-prompt", "Speak in rhymes only."], "--system-prompt"),
    copilot: refused(["--system-prompt", "Speak in rhymes only."], "--system-prompt"),
  },
  "--append-system-prompt": {
    claude: system("--append-system-prompt"),
    codex: system("--append-system-prompt"),
    copilot: refused(["--append-system-prompt", "Speak in rhymes only."], "--append-system-prompt"),
  },
  "--resume": everywhere(resumed),
  "--cwd": everywhere(elsewhere),
  "--env": everywhere(works(["--env", "GREETING=a = b", "--env", "EMPTY="], ({ child }) => expect(child.env).toMatchObject({ GREETING: "a = b", EMPTY: "" }))),
  "--backend-arg": {
    claude: both(otherArgument(["--max-turns", "7"]), refused(["--backend-arg=--permission-mode", "--backend-arg=plan"], "--backend-arg --permission-mode")),
    codex: both(otherArgument(["-c", "hide_agent_reasoning=true"]), refused(["--backend-arg=-csandbox_mode=danger-full-access"], "--backend-arg -csandbox_mode")),
    copilot: both(otherArgument(["--no-custom-instructions"]), refused(["--backend-arg=--allow-all-tools"], "--backend-arg --allow-all-tools")),
  },
  "--file": everywhere((backend) =>
    onStage(backend, {}, async ({ run, server, place }) => {
      writeFileSync(join(place.cwd, "prompt.md"), "asked from a file");
      expect(await run(["--file", "prompt.md"])).toMatchObject({ exitCode: 0 });
      expect(server.calls[0]?.prompt).toBe("asked from a file");
    }),
  ),
  "--timeout": everywhere(deadline("--timeout 3s", "did not finish within 3 s")),
  "--idle-timeout": everywhere(deadline("--idle-timeout 5s", "gave no sign of life within 5 s")),
  "--first-byte-timeout": everywhere(deadline("--first-byte-timeout 10ms", "printed nothing within 0.01 s")),
  "--output": everywhere(
    works(["--output", "stream-json"], ({ ended }) => {
      expect(ended.events.map(({ type }) => type)).toEqual(expect.arrayContaining(["start", "agent_message_chunk", "result"]));
      expect(ended.events[0]?.type).toBe("start");
      expect(ended.result.type).toBe("result");
    }),
  ),
  "--json": everywhere(
    works(["--json"], ({ ended }) => {
      expect(ended.events).toHaveLength(1);
      expect(ended.stdout.trim().split("\n")).toHaveLength(1);
      expect(ended.result).toMatchObject({ status: "success", text: "The model heard 5 characters: hello" });
    }),
  ),
  "--quiet": everywhere(
    both(
      works(withProjectFile(), ({ ended }) => expect(ended.stderr).toContain("jlgcli trust")),
      works(withProjectFile("--quiet"), ({ ended }) => expect(ended.stderr).toBe("")),
    ),
  ),
  "--verbose": everywhere((backend) => works(["--verbose", "--verbose"], ({ ended }) => expect(ended.stderr).toMatch(new RegExp(`on ${backend} in .*${backend}.*success in`, "s")))(backend)),
  "--strict-permissions": { claude: strict, codex: refused(["--strict-permissions"], "--strict-permissions"), copilot: strict },
  "--dry-run": everywhere(dryRun),
  "--cassette": everywhere(refused(["--cassette", "run.cassette.ndjson"], "--cassette")),
  "--record": everywhere(recording),
  "--output-file": everywhere(
    works(
      ({ place }) => ["--output-file", join(place.outside, "answer.md")],
      ({ stage, ended }) => expect(readFileSync(join(stage.place.outside, "answer.md"), "utf8").trim()).toBe(ended.stdout.trim()),
    ),
  ),
  "--attach": { claude: refused(["--attach", "/etc/hosts"], "--attach"), codex: attached("--image"), copilot: attached("--attachment") },
  "--retries": everywhere(retried),
  "--fallback-after-tools": everywhere(works(["--retries", "1", "--fallback-after-tools"], ({ ended }) => expect(ended.stdout).toContain("The model heard"))),
  "--verbosity": everywhere(
    both(
      works(["--verbosity", "0"], ({ ended }) => expect(ended.stderr).toBe("")),
      works(["--verbosity", "1"], ({ ended }) => expect(ended.stderr).toContain("success in")),
    ),
  ),
  "--github": everywhere(toGithub),
  "--exit-map": everywhere(mapped),
  "--strict-model": {
    claude: endsWith(["--strict-model"], 64),
    codex: refused(["--strict-model", "--model", "some-model"], "--strict-model"),
    copilot: endsWith(["--strict-model"], 64),
  },
  "--artifacts": everywhere(
    works(
      ({ place }) => ["--artifacts", join(place.outside, "runs")],
      ({ stage }) => {
        const [run = "none"] = readdirSync(join(stage.place.outside, "runs")).filter((name) => !name.startsWith("."));
        expect(readFileSync(join(stage.place.outside, "runs", run, "result.json"), "utf8")).toContain("The model heard");
      },
    ),
  ),
  "--schema": {
    claude: structured((args) => expect(args).toContain("--json-schema")),
    codex: structured((args) => expect(args.join(" ")).toContain("--output-schema")),
    copilot: structured((_args, prompt) => expect(prompt).toContain("risk")),
  },
  "--schema-repairs": everywhere(unstructured),
  "--continue": everywhere(endsWith(["--continue"], 66)),
  "--max-cost": { claude: works(["--max-cost", "1000"], ({ ended }) => expect(ended.stdout).toContain("The model heard")), codex: endsWith(["--max-cost", "1"], 64), copilot: endsWith(["--max-cost", "1"], 64) },
  "--max-tokens": everywhere(overBudget("--max-tokens", "1")),
  "--budget-window": everywhere(overBudget("--max-tokens", "1", "--budget-window", "hour")),
  "--literal": everywhere((backend) =>
    onStage(backend, {}, async ({ run, server }) => {
      expect(await run(["--literal", "/status of this"])).toMatchObject({ exitCode: 0 });
      // The blank keeps claude from taking it for a command of its own.
      expect(server.calls[0]?.prompt).toBe(backend === "claude" ? " /status of this" : "/status of this");
    }),
  ),
  "--allow-shell": everywhere(shellBlock),
  "--trust": everywhere(
    both(
      works(withProjectFile(), ({ child }) => expect(child.env.FROM_PROJECT).toBeUndefined()),
      works(withProjectFile("--trust"), ({ child }) => expect(child.env.FROM_PROJECT).toBe("yes")),
    ),
  ),
};

/** From the grammar itself, so that no option can be forgotten. */
const OPTIONS = listOptions("run");

function listOptions(name: string): readonly string[] {
  const quiet = { env: {}, cwd: "/", stdout: () => undefined, stderr: () => undefined, stdoutIsTty: false, stderrIsTty: false };
  const command = createProgram({ io: quiet, exitCode: 0 }).commands.find((each) => each.name() === name);
  return command?.options.map((option) => option.long ?? option.flags) ?? [];
}

describe("the table of options", () => {
  it("has a row for each option of run, and no other", () => {
    expect(OPTIONS.length).toBeGreaterThan(20);
    expect(Object.keys(CELLS).sort()).toEqual([...OPTIONS].sort());
  });
});

describe.concurrent.each(OPTIONS)("%s", (option) => {
  it.each(BACKEND_IDS)("does on %s what it says, or is refused", (backend) => {
    const cell = CELLS[option]?.[backend];
    if (cell === undefined) throw new Error(`nothing proves what ${option} does on ${backend}`);
    return cell(backend);
  });
});
