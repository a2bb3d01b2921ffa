import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { listAt, textAt } from "./json-value.js";
import { type ModelAnswer, runBash, say, writeFile } from "./model-answer.js";
import type { JlgcliRun } from "./run-jlgcli.js";

const LEVELS = ["read-only", "workspace-write", "full"] as const;
type Level = (typeof LEVELS)[number];

/** How a tool writes a file, and where. */
const WAYS = ["shell inside", "shell outside", "file tool inside", "file tool outside"] as const;
type Way = (typeof WAYS)[number];

const fileOf = ({ place }: BackendStage, way: Way): string => join(way.endsWith("inside") ? place.cwd : place.outside, `${way.replaceAll(" ", "-")}.txt`);

function toCall(stage: BackendStage, way: Way): ModelAnswer {
  const file = fileOf(stage, way);
  return way.startsWith("shell") ? runBash(`echo hi > ${file}`) : writeFile(file, "hi\n");
}

const EVERYTHING: readonly Way[] = WAYS;

/** What comes to be, in a home whose own settings allow everything. */
const WRITTEN: Record<BackendId, Record<Level, readonly Way[]>> = {
  // claude's acceptEdits lets a redirection into the working directory pass.
  claude: { "read-only": [], "workspace-write": ["shell inside", "file tool inside"], full: EVERYTHING },
  codex: { "read-only": [], "workspace-write": ["shell inside", "file tool inside"], full: EVERYTHING },
  // copilot has no shell at this level: with one, a program could write anywhere.
  copilot: { "read-only": [], "workspace-write": ["file tool inside"], full: EVERYTHING },
};

/** Lets the model call one tool after the other, then end. */
async function tryEveryWay(stage: BackendStage, args: readonly string[]): Promise<{ readonly ended: JlgcliRun; readonly written: readonly Way[] }> {
  stage.server.enqueue(...WAYS.map((way) => toCall(stage, way)), say("that was all"));
  const ended = await stage.run(["--json", ...args, "write some files"]);
  // Each call was answered by the backend, with a refusal or a result: none was left out.
  expect(stage.server.calls.at(-1)?.toolResults).toHaveLength(WAYS.length);
  return { ended, written: WAYS.filter((way) => existsSync(fileOf(stage, way))) };
}

/** claude refuses full access to root unless its user says that this is a sandbox. */
const SANDBOXED = { IS_SANDBOX: "1" };

describe.concurrent.each(BACKEND_IDS)("in a home that allows everything, %s", (backend) => {
  it.each(LEVELS)("writes at %s where the level says, and nowhere else", (level) =>
    onStage(backend, { settingsAllowEverything: true, env: SANDBOXED }, async (stage) => {
      // Directories that copilot's user has allowed for good cannot be taken back; the next test is theirs.
      const refused = backend === "copilot" && level === "workspace-write";
      if (refused) writeFileSync(join(stage.place.home, ".copilot", "permissions-config.json"), "{}");
      const { ended, written } = await tryEveryWay(stage, ["--access", level]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "that was all" });
      expect(written).toEqual(WRITTEN[backend][level]);
    }),
  );

  it("writes nothing where no level is named", () =>
    onStage(backend, { settingsAllowEverything: true, env: SANDBOXED }, async (stage) => {
      const { written } = await tryEveryWay(stage, []);
      expect(written).toEqual([]);
    }));
});

const isRoot = process.getuid?.() === 0;

describe.concurrent("a level that cannot be held", () => {
  it("is refused on copilot where directories outside were allowed for good", () =>
    onStage("copilot", { settingsAllowEverything: true, callsAreDue: false }, async ({ run }) => {
      const ended = await run(["--json", "--access", "workspace-write", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
      expect(ended.result.details).toContain("permissions-config.json");
    }));

  it("is refused by claude as root at full, unless its user says that this is a sandbox", () =>
    onStage("claude", { callsAreDue: !isRoot }, async ({ run }) => {
      const ended = await run(["--json", "--access", "full", "hello"]);
      if (!isRoot) return expect(ended.result).toMatchObject({ exitCode: 0 });
      expect(ended.result).toMatchObject({ exitCode: 1, status: "error", reason: "permission-denied" });
      expect(ended.result.text).toContain("cannot be used with root");
    }));
});

interface RefusedCase {
  readonly backend: BackendId;
  readonly access: Level;
  readonly ways: readonly Way[];
  /** The backend's own names of the tools; null where it does not tell. */
  readonly denied: readonly string[] | null;
}

const REFUSED: readonly RefusedCase[] = [
  { backend: "claude", access: "read-only", ways: ["shell inside", "file tool inside"], denied: ["Bash", "Write"] },
  { backend: "claude", access: "workspace-write", ways: ["shell outside", "file tool outside"], denied: ["Bash", "Write"] },
  { backend: "copilot", access: "read-only", ways: ["shell inside", "file tool inside"], denied: ["bash", "create"] },
  { backend: "copilot", access: "workspace-write", ways: ["shell inside", "file tool outside"], denied: ["bash", "create"] },
  { backend: "codex", access: "read-only", ways: ["shell inside"], denied: null },
];

describe.concurrent("refused tools", () => {
  it.each(REFUSED)("are told of $backend at $access, and the run is a success", ({ backend, access, ways, denied }) =>
    onStage(backend, {}, async (stage) => {
      stage.server.enqueue(...ways.map((way) => toCall(stage, way)), say("they said no"));
      const ended = await stage.run(["--json", "--access", access, "write something"]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "they said no" });
      const names = denied === null ? ended.result.deniedTools : listAt(ended.result, "deniedTools").map((tool) => textAt(tool, "name"));
      expect(names).toEqual(denied);
    }),
  );

  it("are one line on stderr, with the level that would allow them", () =>
    onStage("claude", {}, async (stage) => {
      stage.server.enqueue(toCall(stage, "shell inside"), say("it said no"));
      const ended = await stage.run(["write something"]);
      expect(ended.stdout).toBe("it said no\n");
      expect(ended.stderr).toMatch(/^jlgcli: 1 tool call was refused \(Bash\); .*--access workspace-write.*$/m);
    }));

  it("do not count where the model has made the tool up", () =>
    onStage("copilot", {}, async ({ run, server }) => {
      server.enqueue({ kind: "tool", call: { name: "frobnicate", input: {} } }, say("no such thing"));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 0, deniedTools: [] });
    }));
});
