import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStage, type BackendStage } from "./backend-stage.js";
import { BACKEND_IDS } from "./backends.js";
import { runBash, say } from "./model-answer.js";
import type { JlgcliRun, JlgcliRunOptions } from "./run-jlgcli.js";

const loop = ({ run }: BackendStage, args: readonly string[], options: JlgcliRunOptions = {}): Promise<JlgcliRun> => run(["--json", ...args], { command: "loop", ...options });

const promptsOf = ({ server }: BackendStage): readonly string[] => server.calls.map(({ prompt }) => prompt);

describe.concurrent("a loop on a real backend", () => {
  it("ends with the marker (claude), and adds up what it cost", () =>
    onStage("claude", {}, async (stage) => {
      stage.server.enqueue(say("I will say DONE when I am."), say("All is well.\nDONE"));
      const ended = await loop(stage, ["--max-cost", "1000", "go on"]);
      expect(ended.result).toMatchObject({ exitCode: 0, status: "success", text: "All is well.\nDONE", iterations: [{ completion: { status: "continue" } }, { completion: { status: "done" } }] });
      expect(promptsOf(stage)).toEqual(["go on", "go on"]);
      const costs = JSON.stringify(ended.result.iterations);
      expect(costs).toContain('"currency":"USD"');
      expect(ended.result.cost).toMatchObject({ currency: "USD" });
    }));

  it("carries the next step that its JSON names, in one session (codex)", () =>
    onStage("codex", {}, async (stage) => {
      stage.server.enqueue(say('Half of it. {"status":"continue","next":"do {the} rest"}'), say('```json\n{"status":"done","summary":"whole"}\n```'));
      const ended = await loop(stage, ["--completion", "json", "--carry", "next", "--session", "go on"]);
      expect(ended.result).toMatchObject({ exitCode: 0, status: "success" });
      expect(promptsOf(stage)).toEqual(["go on", "go on\n\nThe next step, as the previous iteration named it:\n\ndo {the} rest"]);
      // The second call has the first one's answer in its history.
      expect(JSON.stringify(stage.server.calls[1]?.body)).toContain("Half of it.");
      const sessions = new Set((Array.isArray(ended.result.iterations) ? ended.result.iterations : []).map((iteration: unknown) => JSON.stringify(iteration).match(/"sessionId":"([^"]+)"/)?.[1]));
      expect(sessions.size).toBe(1);
    }));

  it("ends when a command of ours succeeds (copilot)", () =>
    onStage("copilot", {}, async (stage) => {
      const made = join(stage.place.cwd, "made.txt");
      writeFileSync(join(stage.place.cwd, "check.sh"), "test -e made.txt || { echo 'made.txt is missing'; exit 3; }\n");
      stage.server.enqueue(say("It should be there."), runBash("echo hi > made.txt"), say("Now it is."));
      const ended = await loop(stage, ["--access", "full", "--until", "sh check.sh", "--carry", "check", "make made.txt"]);
      expect(ended.result).toMatchObject({ exitCode: 0, text: "Now it is.", iterations: [{ completion: { check: { exitCode: 3, output: "made.txt is missing\n" } } }, { completion: { status: "done" } }] });
      expect(existsSync(made)).toBe(true);
      expect(promptsOf(stage)[1]).toContain("ended with exit code 3. The end of its output:\n\nmade.txt is missing");
    }));

  it("goes on after it was killed, without what was left running (claude)", () =>
    onStage("claude", {}, async (stage) => {
      stage.server.enqueue(say("one"), { kind: "silence" });
      const killed = await stage.run(["-v", "go on"], {
        command: "loop",
        onStart: (kill) => void stage.server.waitForCall(() => stage.server.calls.length >= 2, 60_000).then(() => kill("SIGKILL")),
      });
      expect(killed.signal).toBe("SIGKILL");
      const id = /loop ([0-9a-f-]{36})/.exec(killed.stderr)?.[1] ?? "none";
      stage.server.enqueue(say("DONE"));
      const resumed = await loop(stage, ["--resume", id]);
      expect(resumed.result).toMatchObject({ exitCode: 0, runId: id, iterations: [{ iteration: 1, text: "one" }, { iteration: 2, text: "DONE" }] });
      expect(stage.server.calls).toHaveLength(3);
    }));
});

describe.concurrent.each(BACKEND_IDS)("a session of %s", (backend) => {
  it("is continued where it was left, with all that was said", () =>
    onStage(backend, {}, async ({ run, server }) => {
      server.enqueue(say("The word is heron."), say("It was heron."), say("Anew."));
      const first = await run(["--json", "remember a word"]);
      const second = await run(["--json", "--continue", "which word was it?"]);
      expect(second.result).toMatchObject({ exitCode: 0, text: "It was heron.", sessionId: first.result.sessionId });
      const heard = JSON.stringify(server.calls[1]?.body);
      for (const words of ["remember a word", "The word is heron.", "which word was it?"]) expect(heard).toContain(words);
      const third = await run(["--json", "something else"]);
      expect(third.result.sessionId).not.toBe(first.result.sessionId);
      expect(JSON.stringify(server.calls[2]?.body)).not.toContain("heron");
    }));

  it("that does not exist is 66", () =>
    onStage(backend, { callsAreDue: false }, async ({ run }) => {
      const unknown = await run(["--json", "--resume", "0b3c6d0e-1111-4222-8333-444455556666", "hello"]);
      expect(unknown.result).toMatchObject({ exitCode: 66, status: "no-input", reason: "session-not-found" });
      const none = await run(["--json", "--continue", "hello"]);
      expect(none.result).toMatchObject({ exitCode: 66, status: "no-input" });
    }));
});
