import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listAt, textAt } from "../json-value.js";
import { type ModelAnswer, runBash, say, writeFile } from "../model-answer.js";
import { MORE_BACKEND_IDS, type MoreBackendId } from "./backends.js";
import { INTRUDER_FILE } from "./more-env.js";
import { type MoreStage, onMoreStage } from "./stage.js";

type Level = "read-only" | "workspace-write" | "full";

const WAYS = ["shell inside", "shell outside", "file tool inside", "file tool outside"] as const;
type Way = (typeof WAYS)[number];

const fileOf = ({ place }: MoreStage, way: Way): string => join(way.endsWith("inside") ? place.cwd : place.outside, `${way.replaceAll(" ", "-")}.txt`);

function toCall(stage: MoreStage, way: Way): ModelAnswer {
  const file = fileOf(stage, way);
  return way.startsWith("shell") ? runBash(`echo hi > ${file}`) : writeFile(file, "hi\n");
}

/** What comes to be, in a home whose own settings allow everything. A level that is not here is 64. */
const WRITTEN: Record<MoreBackendId, Partial<Record<Level, readonly Way[]>>> = {
  // Its file tool stays in the working directory at every level.
  gemini: { "read-only": [], "workspace-write": ["file tool inside"], full: ["shell inside", "shell outside", "file tool inside"] },
  opencode: { "read-only": [], "workspace-write": ["file tool inside"], full: WAYS },
  qwen: { "read-only": [], full: WAYS },
  pi: { "read-only": [], full: WAYS },
};

const LEVELS: readonly Level[] = ["read-only", "workspace-write", "full"];

/** The same call again would be taken for a loop by some: each way is one of its own. */
describe.concurrent.each(MORE_BACKEND_IDS)("in a home that allows everything, %s", (backend) => {
  it.each(LEVELS)("writes at %s where the level says, and nowhere else", (level) => {
    const expected = WRITTEN[backend][level];
    return onMoreStage(backend, { settingsAllowEverything: true, callsAreDue: expected !== undefined }, async (stage) => {
      // For a plugin it fetches a package first, which takes a minute where there is no network.
      if (level === "full") rmSync(join(stage.place.home, ".config", "opencode", "plugin"), { recursive: true, force: true });
      stage.server.enqueue(...WAYS.map((way) => toCall(stage, way)), say("that was all"));
      const ended = await stage.run(["--json", "--access", level, "write some files"]);
      if (expected === undefined) {
        expect(ended.result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
        expect(ended.result.details).toContain("--access read-only or full");
        return;
      }
      expect(ended.result).toMatchObject({ exitCode: 0, text: "that was all" });
      // Each call was answered by the backend, with a refusal or a result: none was left out.
      expect(stage.server.calls.flatMap(({ toolResults }) => toolResults).length).toBeGreaterThanOrEqual(WAYS.length);
      expect(WAYS.filter((way) => existsSync(fileOf(stage, way)))).toEqual(expected);
      // A hook, a plugin or an extension of the settings is a program, and would write too.
      if (level !== "full") expect(existsSync(join(stage.place.outside, INTRUDER_FILE))).toBe(false);
    });
  });
});

/** The backend's own name of the shell. */
const SHELL: Record<MoreBackendId, string> = { gemini: "run_shell_command", opencode: "bash", qwen: "run_shell_command", pi: "bash" };

describe.concurrent.each(MORE_BACKEND_IDS)("a tool that %s refuses", (backend) => {
  it("is told in the result, and the run is a success", () =>
    onMoreStage(backend, {}, async (stage) => {
      stage.server.enqueue(toCall(stage, "shell inside"), say("it said no"));
      const ended = await stage.run(["--json", "write something"]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "it said no" });
      expect(listAt(ended.result, "deniedTools").map((tool) => textAt(tool, "name"))).toEqual([SHELL[backend]]);
    }));
});

describe.concurrent("a level that gemini cannot hold", () => {
  it.each([".gemini/settings.json in the project", ".gemini/settings.json in the home"])("is 64 where hooks stand in %s", (where) =>
    onMoreStage("gemini", { callsAreDue: false }, async ({ run, place }) => {
      const file = join(where.endsWith("home") ? place.home : place.cwd, ".gemini/settings.json");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${join(place.outside, INTRUDER_FILE)}` }] }] } }));
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
      expect(ended.result.text).toContain("hooks");
      expect(existsSync(join(place.outside, INTRUDER_FILE))).toBe(false);
    }),
  );
});

describe("a project's own plugin of opencode", () => {
  it("is not run below full", () =>
    onMoreStage("opencode", {}, async ({ run, place }) => {
      const file = join(place.cwd, ".opencode", "plugin", "intruder.js");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `import { writeFileSync } from "node:fs";\nexport const I = async () => { writeFileSync(${JSON.stringify(join(place.outside, INTRUDER_FILE))}, "x"); return {}; };\n`);
      const ended = await run(["--json", "hello"]);
      expect(ended.result).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(place.outside, INTRUDER_FILE))).toBe(false);
    }));
});
