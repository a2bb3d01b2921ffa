import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { NO_TMUX, openTerminal, type Terminal } from "../e2e/support/tmux.js";
import { findLeftOverProcesses, waitForProcess } from "./left-over-processes.js";
import { type ModelAnswer, failWith, runBash, say, silence, stallAfter, writeFile } from "./model-answer.js";
import type { ModelRequest } from "./model-request.js";
import type { JlgcliRun } from "./run-jlgcli.js";
import { loseSessions, spoilSessions } from "./session-files.js";

/** Each line is a turn, or a command. */
function chat({ run }: BackendStage, lines: readonly string[], args: readonly string[] = []): Promise<JlgcliRun> {
  return run(args, { command: "chat", input: lines.map((line) => `${line}\n`).join(""), timeoutMs: 110_000 });
}

/** How often the model was told something, in one call of it. */
function countIn(call: ModelRequest | undefined, text: string): number {
  return JSON.stringify(call?.body).split(text).length - 1;
}

describe.concurrent.each(BACKEND_IDS)("a chat with %s through a pipe", (backend) => {
  it("goes on in the backend's own session, also after a restart", () =>
    onStage(backend, {}, async (stage) => {
      stage.server.enqueue(say("answer one"), say("answer two"), say("answer three"));
      expect(await chat(stage, ["question one", "question two"])).toMatchObject({ exitCode: 0, stdout: "answer one\nanswer two\n" });
      expect(await chat(stage, ["question three"], ["--continue"])).toMatchObject({ exitCode: 0, stdout: "answer three\n" });
      const [first, second, third] = stage.server.calls;
      expect(stage.server.calls).toHaveLength(3);
      expect(["question one", "answer one"].map((text) => countIn(second, text))).toEqual([1, 1]);
      expect(["question one", "answer one", "question two", "answer two"].map((text) => countIn(third, text))).toEqual([1, 1, 1, 1]);
      expect([first, second, third].map((call) => call?.prompt)).toEqual(["question one", "question two", "question three"]);
    }));

  it("is told its turns again where the backend's session is gone, or cannot be read", () =>
    onStage(backend, {}, async (stage) => {
      const { server, place } = stage;
      server.enqueue(say("answer one"), say("answer two"), say("answer three"));
      await chat(stage, ["question one"]);
      for (const [harm, question, answer] of [[loseSessions, "question two", "answer two"], [spoilSessions, "question three", "answer three"]] as const) {
        harm(backend, place.home);
        const ended = await chat(stage, [question], ["--continue"]);
        expect(ended).toMatchObject({ exitCode: 0, stdout: `${answer}\n` });
        expect(ended.stderr).toContain(`${backend} has lost its session: the earlier turns are told to it again`);
      }
      expect(server.calls).toHaveLength(3);
      expect(["question one", "answer one", "question two", "answer two", "question three"].map((text) => countIn(server.calls[2], text))).toEqual([1, 1, 1, 1, 1]);
    }));

  it("survives turns that fail, the first one too, and ends with the exit code of the last", () =>
    onStage(backend, {}, async (stage) => {
      const answers: Record<string, ModelAnswer> = { "turn one": failWith(401), "turn two": say("answer two"), "turn three": failWith(400), "turn four": say("answer four"), "turn five": failWith(401) };
      stage.server.respondWith(({ prompt }) => Object.entries(answers).findLast(([turn]) => prompt.includes(turn))?.[1] ?? say("what?"));
      const ended = await chat(stage, Object.keys(answers));
      expect(ended.stdout).toBe("answer two\nanswer four\n");
      expect(ended.exitCode).toBe(6);
      const fourth = stage.server.calls.find(({ prompt }) => prompt.includes("turn four"));
      expect(["turn two", "answer two", "turn four"].map((text) => countIn(fourth, text))).toEqual([1, 1, 1]);
    }));

  it("keeps to the level that was chosen before the turn", () =>
    onStage(backend, {}, async (stage) => {
      const fileOf = (name: string): string => join(stage.place.cwd, `${name}.txt`);
      stage.server.respondWith(({ prompt, toolResults }) => (toolResults.length === 0 ? writeFile(fileOf(prompt), "hi\n") : say(`tried ${prompt}`)));
      const ended = await chat(stage, ["first", "/access workspace-write", "second", "/access read-only", "third"]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "tried first\ntried second\ntried third\n" });
      expect(["first", "second", "third"].filter((name) => existsSync(fileOf(name)))).toEqual(["second"]);
    }));
});

const SWITCHES: readonly (readonly [BackendId, BackendId])[] = [
  ["codex", "claude"],
  ["claude", "copilot"],
  ["copilot", "codex"],
];

describe.concurrent.each(SWITCHES)("a chat that goes from %s to %s and back", (backend, other) => {
  it("tells each of them what it has not heard, once", () =>
    onStage(backend, { otherBackends: [other] }, async (stage) => {
      stage.server.enqueue(say("answer one"), say("answer two"), say("answer three"), say("answer four"));
      const ended = await chat(stage, ["question one", `/backend ${other}`, "question two", `/backend ${backend}`, "question three", `/backend ${other}`, "question four"]);
      expect(ended).toMatchObject({ exitCode: 0, stdout: "answer one\nanswer two\nanswer three\nanswer four\n" });
      const { calls } = stage.server;
      expect(calls).toHaveLength(4);
      for (const [index, known] of [[], ["one"], ["one", "two"], ["one", "two", "three"]].entries()) {
        expect(known.flatMap((turn) => [countIn(calls[index], `question ${turn}`), countIn(calls[index], `answer ${turn}`)])).toEqual(known.flatMap(() => [1, 1]));
      }
      // What it has said itself is not told to it again.
      expect(calls[1]?.prompt).toContain("answer one");
      expect(calls[2]?.prompt).toContain("answer two");
      expect(calls[2]?.prompt).not.toContain("answer one");
      expect(calls[3]?.prompt).toContain("answer three");
      expect(calls[3]?.prompt).not.toContain("answer two");
    }));
});

if (NO_TMUX !== null) console.warn(`skipped: chats with the real backends in a terminal (${NO_TMUX})`);

describe.skipIf(NO_TMUX !== null).concurrent.each(BACKEND_IDS)("a chat with %s in a terminal", (backend) => {
  it("streams, is cancelled in the middle of an answer and of a tool, goes on, is left in the middle of a turn, and leaves nothing running", () =>
    onTerminal(backend, async (terminal, { server, place }) => {
      const answers: Record<string, ModelAnswer> = { "first turn": say("**alpha** beta omega", { chunks: 5, delayMs: 100 }), "second turn": stallAfter(3), "third turn": { ...runBash("sleep 300"), text: "I wait." }, "fourth turn": say("still here"), "fifth turn": silence };
      server.respondWith(({ prompt }) => answers[prompt] ?? say(`unexpected: ${prompt}`));
      enter(terminal, "first turn");
      // The line below an answer tells that the turn is over.
      await terminal.waitFor(/^alpha beta omega\n\d+\.\d s/m, 60_000);

      enter(terminal, "second turn");
      await server.waitForCall(({ prompt }) => prompt === "second turn", 60_000);
      // codex tells whole messages alone.
      if (backend !== "codex") await terminal.waitFor("one two", 60_000);
      await cancel(terminal, place, 1);

      enter(terminal, "third turn");
      await waitForProcess({ home: place.home }, "sleep 300");
      await terminal.waitFor("sleep 300");
      // What they say of a call that was cut short differs, where they say it at all.
      expect(await cancel(terminal, place, 2)).toMatch(/sleep 300.* (failed|done)/);

      enter(terminal, "fourth turn");
      await terminal.waitFor(/^still here\n\d+\.\d s/m, 60_000);
      const last = server.calls.at(-1);
      expect(["first turn", "second turn", "third turn", "fourth turn"].map((text) => countIn(last, text))).toEqual([1, 1, 1, 1]);

      enter(terminal, "fifth turn");
      await server.waitForCall(({ prompt }) => prompt === "fifth turn", 60_000);
      terminal.press("C-c", "C-c");
      expect(await terminal.exitCode()).toBe(0);
      expect(findLeftOverProcesses({ home: place.home })).toEqual([]);
    }));
});

function onTerminal(backend: BackendId, play: (terminal: Terminal, stage: BackendStage) => Promise<void>): Promise<void> {
  // claude refuses full access to root without it.
  return onStage(backend, { env: { IS_SANDBOX: "1" } }, async (stage) => {
    const terminal = openTerminal(stage.place, ["chat", "--backend", backend, "--access", "full"], { env: { TERM: "screen-256color" } });
    try {
      await terminal.waitFor(`jlgcli chat: ${backend}`);
      await play(terminal, stage);
    } finally {
      terminal.close();
    }
  });
}

function enter(terminal: Terminal, text: string): void {
  terminal.type(text);
  terminal.press("Enter");
}

/** Waits until the chat says so for the `count`-th time; then nothing of the backend may be alive. */
async function cancel(terminal: Terminal, { home }: BackendStage["place"], count: number): Promise<string> {
  terminal.press("Escape");
  const screen = await terminal.waitFor(new RegExp(`(Cancelled[^]*){${count}}`), 30_000);
  expect(findLeftOverProcesses({ home }).filter(({ command }) => !command.includes("cli.cjs"))).toEqual([]);
  return screen;
}
