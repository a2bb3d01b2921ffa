import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createConversation } from "../../../src/conversation/conversation.js";
import { conversationsFolderOf, loadConversation } from "../../../src/conversation/store.js";
import type { McpServerConfig } from "../../../src/adapters/types.js";
import type { ConversationSurroundings } from "../../../src/conversation/surroundings.js";
import type { Conversation, StoredTurn } from "../../../src/conversation/types.js";
import type { RunEvent, RunResult } from "../../../src/events/schema.js";
import type { RunOptions } from "../../../src/runner/types.js";
import { makeTempTree } from "../config/temp-tree.js";
import { aResult, aTurn, fakeSurroundings } from "./fakes.js";

function open(
  fields: Partial<ConversationSurroundings> = {},
  answer: (options: RunOptions) => RunResult | Promise<RunResult> = () => aResult(),
  turns: readonly StoredTurn[] = [],
): { readonly conversation: Conversation; readonly asked: RunOptions[]; readonly folder: string } {
  const folder = conversationsFolderOf(makeTempTree().home);
  const surroundings = fakeSurroundings({ folder, ...fields }, answer);
  return { conversation: createConversation(surroundings, { id: "one", title: null, turns, settings: surroundings.settings }), asked: surroundings.asked, folder };
}

describe("a turn", () => {
  it("asks the backend, tells its events with the result last, and is kept", async () => {
    const { conversation, asked, folder } = open({}, async ({ onEvent }) => {
      await onEvent?.({ type: "tool_call", toolCallId: "t", title: "Read", kind: "read", status: "in_progress", rawInput: null });
      await onEvent?.({ type: "tool_call_update", toolCallId: "t", status: "completed", content: [], rawOutput: null });
      await onEvent?.({ type: "result", ...aResult({ text: "not this one" }) });
      return aResult({ text: "yes", sessionId: "s1" });
    });
    const events: RunEvent[] = [];
    const result = await conversation.send({ text: "is it?", onEvent: (event) => void events.push(event) });
    expect(result).toMatchObject({ status: "success", text: "yes" });
    expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_call_update", "result"]);
    expect(events.at(-1)).toMatchObject({ text: "yes" });
    expect(asked).toMatchObject([{ prompt: "is it?", backend: "codex", cwd: "/" }]);
    expect(asked[0]).not.toHaveProperty("resume");
    expect(conversation.title()).toBe("is it?");
    expect(loadConversation(folder, "one").turns).toMatchObject([{ prompt: "is it?", answer: "yes", sessionId: "s1", tools: [{ title: "Read", status: "completed" }] }]);
  });

  it("goes on in the backend's own session", async () => {
    const { conversation, asked } = open({}, () => aResult({ sessionId: "s1" }));
    await conversation.send({ text: "one" });
    await conversation.send({ text: "two", prompt: "two, expanded", model: "fast", attachments: ["/a.png"], disallowedTools: ["Bash"] });
    expect(asked[1]).toMatchObject({ prompt: "two, expanded", resume: "s1", model: "fast", attachments: ["/a.png"], disallowedTools: ["Bash"] });
    expect(conversation.turns()[1]).toMatchObject({ prompt: "two", settings: { model: "fast" } });
    expect(conversation.settings().model).toBeNull();
  });

  it("tells another backend what was said, and the first one only what it has missed", async () => {
    const { conversation, asked } = open({}, ({ backend }) => aResult({ text: `answer of ${String(backend)}`, sessionId: `session of ${String(backend)}` }));
    await conversation.send({ text: "one" });
    await conversation.change({ backend: "claude" });
    await conversation.send({ text: "two" });
    await conversation.change({ backend: "codex" });
    await conversation.send({ text: "three" });
    expect(asked[1]?.prompt).toContain("answer of codex");
    expect(asked[1]).not.toHaveProperty("resume");
    expect(asked[2]).toMatchObject({ resume: "session of codex" });
    expect(asked[2]?.prompt).toContain("answer of claude");
    expect(asked[2]?.prompt).not.toContain("answer of codex");
  });

  it("tells another backend what was asked, not the command that it was made from, also after a restart, and keeps no secret of it", async () => {
    const { conversation, asked, folder } = open();
    await conversation.send({ text: "/greet Ada", prompt: `Say hello to Ada, s3cret.${"ü".repeat(50_000)}END` });
    await conversation.send({ text: "plain" });
    const { turns } = loadConversation(folder, "one");
    expect(turns).toMatchObject([{ prompt: "/greet Ada", asked: expect.stringMatching(/^Say hello to Ada, \*{3}\..*bytes left out.*END$/su) as string }, { prompt: "plain" }]);
    expect(turns[1]).not.toHaveProperty("asked");
    const restarted = open({ settings: { backend: "claude", model: null, access: null } }, undefined, turns);
    await conversation.change({ backend: "claude" });
    for (const each of [conversation, restarted.conversation]) await each.send({ text: "next" });
    for (const prompt of [asked[2]?.prompt, restarted.asked[0]?.prompt]) expect(prompt).toMatch(/User:\nSay hello to Ada/u);
  });

  it("tells all again where the backend has lost its session", async () => {
    const { conversation, asked } = open(
      {},
      ({ resume }) => (resume === "gone" ? aResult({ status: "no-input", exitCode: 66, text: "no such session", reason: "session-not-found" }) : aResult({ sessionId: "new" })),
      [aTurn({ prompt: "before", answer: "said before", sessionId: "gone" })],
    );
    const events: RunEvent[] = [];
    expect(await conversation.send({ text: "next", onEvent: (event) => void events.push(event) })).toMatchObject({ status: "success" });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.prompt).toContain("said before");
    expect(events.map(({ type }) => type)).toEqual(["warning", "result"]);
    expect(conversation.turns()).toHaveLength(2);
  });

  it("hands the caller's MCP servers on, and tells once that a backend does not get them", async () => {
    const server: McpServerConfig = { type: "stdio", name: "files", command: "npx", args: [], env: {} };
    const { conversation, asked } = open({ mcpServers: [server] }, async ({ onEvent, backend }) => {
      await onEvent?.({ type: "warning", code: "mcp-servers-withheld", message: `${String(backend)} was not given files` });
      return aResult();
    });
    const told: string[] = [];
    const send = (text: string): Promise<RunResult> => conversation.send({ text, onEvent: (event) => void (event.type === "warning" && told.push(event.message)) });
    await send("one");
    await send("two");
    await conversation.change({ backend: "claude" });
    await send("three");
    expect(asked.map(({ mcpServers }) => mcpServers)).toEqual([[server], [server], [server]]);
    expect(told).toEqual(["codex was not given files", "claude was not given files"]);
  });

  it("is refused while another one is running, and not after it", async () => {
    const { conversation } = open({}, () => new Promise((resolve) => setTimeout(() => resolve(aResult()), 20)));
    const first = conversation.send({ text: "one" });
    await expect(conversation.send({ text: "two" })).rejects.toThrow("a turn of this conversation is still running");
    await first;
    expect(await conversation.send({ text: "three" })).toMatchObject({ status: "success" });
  });

  it("keeps no secret that a tool, or the sentence about a bad end, has named", async () => {
    const { conversation, folder } = open({}, async ({ onEvent }) => {
      await onEvent?.({ type: "tool_call", toolCallId: "t", title: "curl -H s3cret", kind: "execute", status: "in_progress", rawInput: null });
      return aResult({ status: "error", exitCode: 1, text: "s3cret was refused" });
    });
    await conversation.send({ text: "one" });
    expect(loadConversation(folder, "one").turns).toMatchObject([{ problem: "*** was refused", tools: [{ title: "curl -H ***" }] }]);
    expect(conversation.turns()).toMatchObject([{ problem: "s3cret was refused", tools: [{ title: "curl -H s3cret" }] }]);
  });

  it("keeps what there was of an answer, and no secret", async () => {
    const { conversation, folder } = open({}, () => aResult({ status: "interrupted", exitCode: 130, text: "interrupted", partialText: "half of s3cret" }));
    await conversation.send({ text: "my s3cret" });
    expect(conversation.turns()).toMatchObject([{ prompt: "my s3cret", answer: "half of s3cret", status: "interrupted", problem: "interrupted" }]);
    expect(readFileSync(join(folder, "one.ndjson"), "utf8").split("\n")[1]).not.toContain("s3cret");
  });

  it("warns where it cannot be kept, and goes on", async () => {
    const { conversation } = open({ folder: "/dev/null/nowhere" });
    const events: RunEvent[] = [];
    const notKept: unknown = expect.stringContaining("this turn is not kept");
    expect(await conversation.send({ text: "one", onEvent: (event) => void events.push(event) })).toMatchObject({ status: "success", warnings: [notKept] });
    expect(events).toMatchObject([{ type: "warning", message: notKept }, { type: "result", warnings: [notKept] }]);
    expect(conversation.turns()).toHaveLength(1);
  });

  it("is not changed by a callback that throws", async () => {
    const { conversation } = open();
    const onEvent = (): never => {
      throw new Error("broken");
    };
    expect(await conversation.send({ text: "one", onEvent })).toMatchObject({ status: "success" });
  });
});

describe("what a conversation asks for", () => {
  it("keeps the model on its backend, and takes the configured one of another", async () => {
    const { conversation } = open({ configuredModel: (backend) => (backend === "claude" ? "opus" : null) });
    await conversation.change({ model: "gpt-5" });
    await conversation.change({ access: "full" });
    expect(conversation.settings()).toEqual({ backend: "codex", model: "gpt-5", access: "full" });
    await conversation.change({ backend: "claude" });
    expect(conversation.settings()).toEqual({ backend: "claude", model: "opus", access: "full" });
    await conversation.change({ backend: "codex", model: "o4" });
    await conversation.change({ model: null });
    expect(conversation.settings().model).toBeNull();
  });

  it.each([
    { title: "a backend that is not known", change: { backend: "codexx" }, error: "no backend has the id 'codexx'" },
    { title: "a level that the backend cannot enforce", change: { backend: "qwen", access: "workspace-write" as const }, error: "Qwen Code: the access level workspace-write cannot be enforced" },
    { title: "a model that would be read as an option", change: { model: "--yolo" }, error: "Codex: the model --yolo would be read as an option" },
    { title: "a model where none can be chosen", change: { backend: "replay", model: "x" }, error: "Replay: a model cannot be chosen" },
  ])("refuses $title, and stays as it was", async ({ change, error }) => {
    const { conversation } = open();
    const before = conversation.settings();
    await expect(conversation.change(change)).rejects.toThrow(error);
    expect(conversation.settings()).toEqual(before);
  });

  it("loses none of two changes that are asked for at once, and runs the next turn with both", async () => {
    const { conversation, asked } = open({ settings: { backend: "codex", model: null, access: "full" } });
    const changes = [conversation.change({ access: "read-only" }), conversation.change({ backend: "claude" })];
    await conversation.send({ text: "one" });
    await Promise.all(changes);
    expect(conversation.settings()).toMatchObject({ backend: "claude", access: "read-only" });
    expect(asked).toMatchObject([{ backend: "claude", access: "read-only" }]);
  });

  it("never weakens a level on the way to another backend", async () => {
    const { conversation } = open();
    await conversation.change({ access: "workspace-write" });
    await expect(conversation.change({ backend: "qwen" })).rejects.toThrow("cannot be enforced");
    await conversation.change({ backend: "qwen", access: "read-only" });
    expect(conversation.settings()).toMatchObject({ backend: "qwen", access: "read-only" });
  });
});

describe("its built-in commands", () => {
  it("show and change what the next turn asks for", async () => {
    const { conversation } = open();
    const say = async (text: string): Promise<string> => {
      const answer = await conversation.expand(text, "acp");
      return answer.type === "message" || answer.type === "error" ? `${answer.type}: ${answer.type === "message" ? answer.content : answer.message}` : answer.type;
    };
    expect(await say("/model gpt-5")).toBe("message: The model of codex is gpt-5 from now on.");
    expect(await say("/access workspace-write")).toContain("workspace-write: its tools may change files in the working directory.");
    expect(await say("/backend claude")).toContain("From now on: Claude Code with the model that it chooses");
    expect(await say("/backend")).toContain("Claude Code");
    expect(await say("/access everything")).toContain('error: "everything" is no access level');
    expect(await say("/usage")).toContain("This conversation: 0 runs");
    expect(await say("hello")).toBe("no_command");
    expect(conversation.settings()).toEqual({ backend: "claude", model: null, access: "workspace-write" });
    expect((await conversation.commands("interactive")).map(({ name }) => name)).toContain("quit");
    await conversation.change({ access: null });
    expect(await say("/backend replay")).toBe("message: From now on: Replay.");
  });

  it("give a prompt with the model and the forbidden tools only where it is written for this backend", async () => {
    const { project, write } = makeTempTree();
    write("project/.claude/commands/fix.md", "---\nmodel: opus\ndisallowed-tools: Bash\n---\nFix $ARGUMENTS");
    const toSlash: ConversationSurroundings["toSlash"] = (services) => ({ config: { cwd: project, env: {}, services, isTrusted: () => true }, settings: {} });
    const { conversation } = open({ toSlash, cwd: project });
    expect(await conversation.expand("/fix it", "acp")).toMatchObject({ type: "submit_prompt", prompt: "Fix it", model: null, disallowedTools: null, notices: [expect.stringContaining("not used on codex") as string, "/fix forbids the tools Bash of claude: not enforced on codex"] });
    await conversation.change({ backend: "claude" });
    expect(await conversation.expand("/fix it", "acp")).toMatchObject({ type: "submit_prompt", model: "opus", disallowedTools: ["Bash"], notices: [] });
  });
});

describe("what its turns have used", () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 3 };
  it("is summed, and unknown as soon as one turn does not tell", async () => {
    const { conversation } = open({}, () => aResult({ usage, cost: { amount: 0.5, currency: "USD" } }));
    await conversation.send({ text: "one" });
    await conversation.send({ text: "two" });
    expect(conversation.usage()).toEqual({ turns: 2, usage: { ...usage, inputTokens: 2, outputTokens: 4, totalTokens: 6 }, cost: { amount: 1, currency: "USD" } });
    const missing = open({}, () => aResult({ status: "backend-missing", exitCode: 2, text: "not installed" }), conversation.turns()).conversation;
    await missing.send({ text: "three" });
    expect(missing.usage()).toMatchObject({ turns: 3, usage: { totalTokens: 6 }, cost: { amount: 1 } });
    const unknown = open({}, () => aResult(), [aTurn({ usage })]).conversation;
    await unknown.send({ text: "two" });
    expect(unknown.usage()).toEqual({ turns: 2, usage: null, cost: null });
  });
});
