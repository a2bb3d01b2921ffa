import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { client, methods, type AnyMessage, type ClientCapabilities, type ClientContext, type ContentBlock, type InitializeResponse, type McpServer, type PromptResponse, type SessionUpdate } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectAgent } from "../../../src/acp/create-agent.js";
import { AcpSessions } from "../../../src/acp/sessions.js";
import { JlgcliError } from "../../../src/errors.js";
import type { RunEvent } from "../../../src/events/schema.js";
import type { AnsweringCommand, CommandMessage, SlashCommand, SlashCommandAnswer } from "../../../src/slash-commands/types.js";
import { EMPTY_USAGE } from "../../../src/parse/usage-meter.js";
import { createFakeHost, toResult, type FakeHost, type FakeOptions } from "./fake-host.js";

const { agent } = methods;
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "jlgcli-acp-"));
});

afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** A client that has said hello, in this process. */
interface Connected {
  readonly agent: ClientContext;
  readonly hello: InitializeResponse;
  readonly host: FakeHost;
  readonly sessions: AcpSessions;
  /** All updates so far. */
  readonly updates: SessionUpdate[];
  readonly log: string[];
  readonly newSession: () => Promise<string>;
  readonly prompt: (sessionId: string, ...blocks: (string | ContentBlock)[]) => Promise<PromptResponse>;
  /** Waits for an update of a kind. */
  readonly waitFor: (kind: SessionUpdate["sessionUpdate"], count?: number) => Promise<SessionUpdate>;
}

async function connect(options: FakeOptions = {}, clientCapabilities: ClientCapabilities = {}): Promise<Connected> {
  const host = createFakeHost(options);
  const sessions = new AcpSessions(host);
  const log: string[] = [];
  const updates: SessionUpdate[] = [];
  const app = client().onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update));
  const [toAgent, toClient] = [new TransformStream<AnyMessage, AnyMessage>(), new TransformStream<AnyMessage, AnyMessage>()];
  connectAgent({ readable: toAgent.readable, writable: toClient.writable }, { sessions, version: "1.2.3", log: (line) => void log.push(line) });
  const { agent: context } = app.connect({ readable: toClient.readable, writable: toAgent.writable });
  const hello = await context.request(agent.initialize, { protocolVersion: 1, clientCapabilities });
  const waitFor = async (kind: SessionUpdate["sessionUpdate"], count = 1): Promise<SessionUpdate> => {
    const find = (): SessionUpdate | undefined => updates.filter((update) => update.sessionUpdate === kind)[count - 1];
    await expect.poll(find, { timeout: 5000 }).toBeDefined();
    const update = find();
    if (update === undefined) throw new Error(`no ${kind}`);
    return update;
  };
  return {
    agent: context,
    hello,
    host,
    sessions,
    updates,
    log,
    waitFor,
    newSession: async () => (await context.request(agent.session.new, { cwd, mcpServers: [] })).sessionId,
    prompt: (sessionId, ...blocks) => context.request(agent.session.prompt, { sessionId, prompt: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)) }),
  };
}

const textOf = (updates: readonly SessionUpdate[]): string =>
  updates.map((update) => (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "")).join("");
const failure = async (work: Promise<unknown>): Promise<unknown> => work.then(() => "no error", (error: unknown) => error);
const command: AnsweringCommand = { name: "x", kind: "file", source: null, sourceLabel: null, dialect: null, filePath: null };
const chunk = (text: string): RunEvent => ({ type: "agent_message_chunk", content: { type: "text", text }, messageId: null });

describe("initialize", () => {
  it("speaks version 1, whichever was asked for, and says what it can do", async () => {
    const { agent: context } = await connect();
    for (const protocolVersion of [0, 1, 99]) {
      expect(await context.request(agent.initialize, { protocolVersion })).toMatchObject({
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true }, sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} } },
        authMethods: [],
        agentInfo: { name: "jlgcli", version: "1.2.3" },
      });
    }
  });
});

describe("session/new", () => {
  it("gives options and modes, and tells the commands afterwards", async () => {
    const commands: SlashCommand[] = [
      { name: "hidden", description: "", kind: "file", hidden: true },
      { name: "later", description: "comes later", kind: "file", argumentHint: "[file]" },
      { name: "first", description: "comes first", kind: "file", completionPriority: 5, sourceLabel: "Custom" },
      { name: "for-models", description: "", kind: "skill", userInvocable: false },
    ];
    const { agent: context, waitFor } = await connect({ commands: () => commands });
    const answer = await context.request(agent.session.new, { cwd, mcpServers: [] });
    expect(answer).toMatchObject({ modes: { currentModeId: "read-only" }, configOptions: [{ id: "backend" }, { id: "model" }, { id: "access" }] });
    expect(await waitFor("available_commands_update")).toMatchObject({
      availableCommands: [
        { name: "first", description: "comes first", input: null, _meta: { jlgcli: { source: "Custom" } } },
        { name: "later", description: "comes later", input: { hint: "[file]" } },
      ],
    });
  });

  it("hands the client's MCP servers on, and again with a session that is loaded", async () => {
    const { agent: context, host, hello, prompt } = await connect();
    expect(hello.agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: true });
    const mcpServers: McpServer[] = [
      { name: "files", command: "/bin/files", args: ["-x"], env: [{ name: "A", value: "1" }, { name: "A", value: "2" }, { name: "__proto__", value: "3" }] },
      { type: "http", name: "web", url: "https://example.com/mcp", headers: [{ name: "Authorization", value: "Bearer t" }] },
      { type: "sse", name: "old", url: "https://example.com/sse", headers: [] },
    ];
    const { sessionId } = await context.request(agent.session.new, { cwd, mcpServers });
    await prompt(sessionId, "hello");
    await context.request(agent.session.close, { sessionId });
    await context.request(agent.session.load, { sessionId, cwd, mcpServers: mcpServers.slice(1, 2) });
    const web = { type: "http", name: "web", url: "https://example.com/mcp", headers: { Authorization: "Bearer t" } };
    const files = { type: "stdio", name: "files", command: "/bin/files", args: ["-x"], env: Object.fromEntries([["A", "2"], ["__proto__", "3"]]) };
    expect(host.servers).toEqual([[files, web, { type: "sse", name: "old", url: "https://example.com/sse", headers: {} }], [web]]);
  });

  it.each([
    ["a relative directory", () => ({ cwd: "here", mcpServers: [] }), /cwd has to be an absolute path, got "here"/],
    ["a directory that is not there", () => ({ cwd: path.join(cwd, "nothing"), mcpServers: [] }), /cwd is no directory: /],
    ["further directories", () => ({ cwd, mcpServers: [], additionalDirectories: [cwd] }), /additionalDirectories cannot be handed on/],
  ])("refuses %s", async (_title, request, message) => {
    const { agent: context } = await connect();
    expect(await failure(context.request(agent.session.new, request()))).toMatchObject({ code: -32602, message: expect.stringMatching(message) as string });
  });
});

describe("session/prompt", () => {
  it("tells events as they come and what they lacked at the end, then the title", async () => {
    const runTurn: FakeOptions["runTurn"] = async ({ onEvent }) => {
      await onEvent?.(chunk("the "));
      await onEvent?.({ type: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "in_progress", rawInput: null });
      await onEvent?.({ type: "tool_call_update", toolCallId: "t", status: "completed", content: [], rawOutput: null });
      await onEvent?.(chunk("the ans"));
      return toResult();
    };
    const { newSession, prompt, updates } = await connect({ runTurn });
    const id = await newSession();
    expect(await prompt(id, "hello")).toMatchObject({ stopReason: "end_turn", _meta: { jlgcli: { status: "success", usage: null } } });
    const kinds = updates.map((update) => update.sessionUpdate).filter((kind) => kind !== "available_commands_update");
    expect(kinds).toEqual(["agent_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk", "agent_message_chunk", "session_info_update"]);
    expect(textOf(updates)).toBe("the the answer");
    expect(updates.find((update) => update.sessionUpdate === "session_info_update")).toMatchObject({ title: "hello" });
    await prompt(id, "again");
    expect(updates.filter((update) => update.sessionUpdate === "session_info_update")).toHaveLength(1);
    expect(updates.filter((update) => update.sessionUpdate === "tool_call").map((update) => update.toolCallId)).toEqual(["1.t", "2.t"]);
  });

  it("tells how full the context is, with the cost of the whole session", async () => {
    const context = { usedTokens: 1520, sizeTokens: 200_000 };
    const cost = { amount: 0.25, currency: "USD" };
    const runTurn: FakeOptions["runTurn"] = async ({ onEvent }) => {
      await onEvent?.({ type: "usage_update", usage: EMPTY_USAGE, cost, context });
      return toResult({ cost, context });
    };
    const { newSession, prompt, updates } = await connect({ runTurn });
    const id = await newSession();
    expect(await prompt(id, "hello")).toMatchObject({ _meta: { jlgcli: { cost, context } } });
    await prompt(id, "again");
    const told = updates.filter((update) => update.sessionUpdate === "usage_update");
    expect(told.map(({ used, size, cost: sum }) => ({ used, size, cost: sum }))).toEqual([
      { used: 1520, size: 200_000, cost },
      { used: 1520, size: 200_000, cost: { amount: 0.5, currency: "USD" } },
    ]);
  });

  it("tells no end of a tool call that it has not told", async () => {
    const end = (toolCallId: string): RunEvent => ({ type: "tool_call_update", toolCallId, status: "completed", content: [], rawOutput: null });
    const runTurn: FakeOptions["runTurn"] = async ({ onEvent }) => {
      await onEvent?.({ type: "tool_call", toolCallId: "a", title: "ls", kind: "execute", status: "in_progress", rawInput: null });
      await onEvent?.(end("b"));
      await onEvent?.(end("a"));
      return toResult();
    };
    const { newSession, prompt, updates } = await connect({ runTurn });
    await prompt(await newSession(), "go");
    expect(updates.flatMap((update) => (update.sessionUpdate === "tool_call_update" ? [update.toolCallId] : []))).toEqual(["1.a"]);
  });

  it("ends tool calls that a failed turn has left open, and answers with the error", async () => {
    const runTurn: FakeOptions["runTurn"] = async ({ onEvent }) => {
      await onEvent?.({ type: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "in_progress", rawInput: null });
      return toResult({ status: "backend-unauthenticated", exitCode: 6, text: "Fake refused the credentials", details: "sign in with: fake login", partialText: "so far" });
    };
    const { newSession, prompt, updates } = await connect({ runTurn });
    expect(await failure(prompt(await newSession(), "hello"))).toMatchObject({
      code: -32000,
      message: "Fake refused the credentials (sign in with: fake login)",
      data: { status: "backend-unauthenticated", exitCode: 6, backend: "fake" },
    });
    expect(textOf(updates)).toBe("so far");
    expect(updates).toContainEqual({ sessionUpdate: "tool_call_update", toolCallId: "1.t", status: "failed" });
  });

  it("returns cancelled when the turn has ended", async () => {
    const runTurn: FakeOptions["runTurn"] = ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener("abort", () => setTimeout(() => resolve(toResult({ status: "interrupted", exitCode: 130, text: "interrupted" })), 20)));
    const { newSession, prompt, agent: context, host } = await connect({ runTurn });
    const id = await newSession();
    await context.notify(agent.session.cancel, { sessionId: id });
    await context.notify(agent.session.cancel, { sessionId: "nobody" });
    const pending = prompt(id, "hello");
    await context.notify(agent.session.cancel, { sessionId: id });
    expect(await pending).toMatchObject({ stopReason: "cancelled" });
    await context.notify(agent.session.cancel, { sessionId: id });
    const again = prompt(id, "again");
    await expect.poll(() => host.asked.at(-1)?.text).toBe("again");
    await context.notify(agent.session.cancel, { sessionId: id });
    expect(await again).toMatchObject({ stopReason: "cancelled" });
  });

  it("returns cancelled when the request itself is cancelled", async () => {
    const runTurn: FakeOptions["runTurn"] = ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(toResult({ status: "interrupted", exitCode: 130, text: "interrupted" }))));
    const { newSession, agent: context, host } = await connect({ runTurn });
    const id = await newSession();
    const controller = new AbortController();
    const pending = context.request(agent.session.prompt, { sessionId: id, prompt: [{ type: "text", text: "hello" }] }, { cancellationSignal: controller.signal });
    await expect.poll(() => host.asked.length).toBe(1);
    controller.abort();
    expect(await pending).toMatchObject({ stopReason: "cancelled" });
  });

  it("refuses a second prompt at once, and runs sessions beside each other", async () => {
    const waiting: (() => void)[] = [];
    const runTurn: FakeOptions["runTurn"] = () => new Promise((resolve) => waiting.push(() => resolve(toResult())));
    const { newSession, prompt } = await connect({ runTurn });
    const [one, two] = [await newSession(), await newSession()];
    const turns = [prompt(one, "a"), prompt(two, "b")];
    await expect.poll(() => waiting.length).toBe(2);
    expect(await failure(prompt(one, "c"))).toMatchObject({ code: -32600, message: expect.stringMatching(/still being answered/) as string });
    for (const end of waiting) end();
    expect(await Promise.all(turns)).toMatchObject([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
  });

  it("hands on images to a backend that takes them, as files that are gone afterwards", async () => {
    const { newSession, prompt, host } = await connect();
    await prompt(await newSession(), "look", { type: "image", data: "aGk=", mimeType: "image/png" });
    expect(host.asked[0]).toMatchObject({ text: "look [image-1.png]", attachments: [expect.stringMatching(/image-1\.png$/)] });
  });

  it("refuses images for a backend that takes none, and names it", async () => {
    const { newSession, prompt, host } = await connect({ capabilities: { attachments: [] } });
    const error = await failure(prompt(await newSession(), "look", { type: "image", data: "aGk=", mimeType: "image/png" }));
    expect(error).toMatchObject({ code: -32602, message: "Fake cannot be given an image of the type .png: it takes text alone" });
    expect(host.asked).toEqual([]);
  });

  it("answers with an error for a session that is not open", async () => {
    const { prompt } = await connect();
    expect(await failure(prompt("nobody", "hello"))).toMatchObject({ code: -32002, data: { sessionId: "nobody" } });
  });

  it("answers a fault of its own with an error, and logs it", async () => {
    const { newSession, prompt, log } = await connect({ runTurn: () => Promise.reject(new Error("a bug")) });
    expect(await failure(prompt(await newSession(), "hello"))).toMatchObject({ code: -32603, message: "internal error: a bug" });
    expect(log.join("\n")).toMatch(/session\/prompt \S+: -32603 internal error: a bug/);
  });
});

describe("slash commands", () => {
  async function* stream(): AsyncGenerator<CommandMessage> {
    yield { messageType: "info", content: "one" };
    yield { messageType: "info", content: "two" };
  }

  it.each<[string, SlashCommandAnswer, string, object]>([
    ["a message", { type: "message", command, messageType: "info", content: "seen" }, "seen", { status: "success" }],
    ["a bad message", { type: "message", command, messageType: "error", content: "no" }, "no", { status: "error", exitCode: 1 }],
    ["several messages", { type: "stream_messages", command, messages: stream() }, "one\n\ntwo", { status: "success" }],
    ["a command of another mode", { type: "unsupported", name: "x", mode: "acp", supportedModes: ["interactive"], message: "/x works in interactive alone" }, "/x works in interactive alone", { status: "usage" }],
    ["a disabled command", { type: "disabled", name: "x", message: "/x is disabled" }, "/x is disabled", { status: "usage" }],
    ["a command that failed", { type: "error", name: "x", status: "invalid-data", message: "/x failed", hint: "mend it" }, "/x failed (mend it)", { status: "invalid-data", exitCode: 65 }],
  ])("shows %s where it was typed, and asks no backend", async (_title, answer, text, meta) => {
    const { newSession, prompt, updates, host } = await connect({ expand: () => answer });
    expect(await prompt(await newSession(), "/x")).toEqual({ stopReason: "end_turn", _meta: { jlgcli: { exitCode: expect.any(Number) as number, ...meta } } });
    expect(textOf(updates)).toBe(text);
    expect(host.asked).toEqual([]);
  });

  it("sends what a command has become, keeps what was typed, and tells its notices", async () => {
    const expand: FakeOptions["expand"] = () => ({ type: "submit_prompt", command, prompt: "Do x.", model: "large", allowedTools: null, disallowedTools: ["Bash"], notices: ["left out"] });
    const { newSession, prompt, host, updates } = await connect({ expand }, { session: { notices: {} } });
    await prompt(await newSession(), "/x now", { type: "resource_link", uri: "https://example.com/a", name: "a" });
    expect(host.asked[0]).toMatchObject({ text: "/x now https://example.com/a", prompt: "Do x. https://example.com/a", model: "large", disallowedTools: ["Bash"] });
    expect(updates).toContainEqual({ sessionUpdate: "notice", severity: "warning", title: "left out", _meta: { jlgcli: { code: "backend-notice" } } });
  });

  it("takes an unknown command, and one in a later block, for text", async () => {
    const { newSession, prompt, host } = await connect();
    const id = await newSession();
    await prompt(id, "/nothing here");
    await prompt(id, "look at", "/help");
    expect(host.asked.map(({ prompt: asked }) => asked)).toEqual(["/nothing here", "look at /help"]);
  });

  it("tells the options and the mode that a command has changed", async () => {
    const expand: FakeOptions["expand"] = async (_text, conversation) => {
      await conversation.change({ access: "full", model: "large" });
      return { type: "message", command, messageType: "info", content: "done" };
    };
    const { newSession, prompt, updates } = await connect({ expand });
    await prompt(await newSession(), "/access full");
    expect(updates.filter((update) => update.sessionUpdate !== "available_commands_update")).toMatchObject([
      { sessionUpdate: "agent_message_chunk" },
      { sessionUpdate: "config_option_update", configOptions: [{ currentValue: "fake" }, { currentValue: "large" }, { currentValue: "full" }] },
      { sessionUpdate: "current_mode_update", currentModeId: "full" },
    ]);
  });

  it("tells the commands again where they have changed, and only then", async () => {
    const commands: SlashCommand[] = [{ name: "one", description: "", kind: "file" }];
    const { newSession, prompt, updates, waitFor } = await connect({ commands: () => commands });
    const id = await newSession();
    await waitFor("available_commands_update");
    await prompt(id, "hello");
    await prompt(id, "hello");
    commands.push({ name: "two", description: "", kind: "file" });
    await prompt(id, "hello");
    await waitFor("available_commands_update", 2);
    await prompt(id, "hello");
    await new Promise(setImmediate);
    expect(updates.filter((update) => update.sessionUpdate === "available_commands_update")).toHaveLength(2);
  });
});

describe("options and modes", () => {
  it("changes one, answers with all of them, and tells the mode", async () => {
    const { agent: context, newSession, updates } = await connect();
    const sessionId = await newSession();
    const answer = await context.request(agent.session.setConfigOption, { sessionId, configId: "access", value: "full" });
    expect(answer.configOptions.map((option) => option.currentValue)).toEqual(["fake", "default", "full"]);
    expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "full" });
    await context.request(agent.session.setMode, { sessionId, modeId: "read-only" });
    expect(updates.filter((update) => update.sessionUpdate === "config_option_update")).toMatchObject([{ configOptions: [{}, {}, { currentValue: "read-only" }] }]);
  });

  it.each([
    ["a level that the backend cannot enforce", { configId: "access", value: "workspace-write" }, /cannot be enforced \(it can enforce read-only, full\)/],
    ["an unknown backend", { configId: "backend", value: "nothing" }, /no backend has the id 'nothing'/],
    ["an unknown option", { configId: "colour", value: "red" }, /there is no option "colour"/],
  ])("refuses %s", async (_title, change, message) => {
    const { agent: context, newSession } = await connect();
    const error = await failure(context.request(agent.session.setConfigOption, { sessionId: await newSession(), ...change }));
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) as string });
  });

  it("tells what is in force where the backends cannot be listed any more", async () => {
    const { agent: context, newSession, host } = await connect();
    const sessionId = await newSession();
    host.backends = () => Promise.reject(new JlgcliError("CONFIG_INVALID", "the configuration is not valid JSON"));
    const { configOptions } = await context.request(agent.session.setConfigOption, { sessionId, configId: "access", value: "full" });
    expect(configOptions).toMatchObject([{ id: "backend", currentValue: "fake", options: [{ value: "fake" }] }, { id: "model" }, { id: "access", currentValue: "full" }]);
  });

  it("refuses an unknown mode", async () => {
    const { agent: context, newSession } = await connect();
    expect(await failure(context.request(agent.session.setMode, { sessionId: await newSession(), modeId: "god" }))).toMatchObject({ code: -32602 });
  });
});

describe("kept sessions", () => {
  it("lists them, and replays one before it answers that it is loaded", async () => {
    const { agent: context, newSession, prompt, updates } = await connect();
    const sessionId = await newSession();
    await prompt(sessionId, "hello");
    expect(await context.request(agent.session.list, { cwd })).toEqual({ sessions: [{ sessionId, cwd, title: "hello", updatedAt: "2026-01-01T00:00:00.000Z" }] });
    expect((await context.request(agent.session.list, { cwd: path.join(cwd, "other") })).sessions).toEqual([]);
    await context.request(agent.session.close, { sessionId });
    expect(await failure(prompt(sessionId, "closed"))).toMatchObject({ code: -32002 });
    updates.length = 0;
    const answer = await context.request(agent.session.load, { sessionId, cwd, mcpServers: [] });
    expect(updates.slice(0, 2)).toEqual([
      { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" }, messageId: "1.prompt" },
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "the answer" }, messageId: "1.answer" },
    ]);
    expect(answer).toMatchObject({ modes: { currentModeId: "read-only" }, configOptions: [{}, {}, {}] });
    expect(await prompt(sessionId, "on")).toMatchObject({ stopReason: "end_turn" });
  });

  it("resumes one without a word of what was", async () => {
    const { agent: context, newSession, prompt, updates } = await connect();
    const sessionId = await newSession();
    await prompt(sessionId, "hello");
    updates.length = 0;
    expect(await context.request(agent.session.resume, { sessionId, cwd })).toMatchObject({ configOptions: [{}, {}, {}] });
    expect(updates.filter((update) => update.sessionUpdate !== "available_commands_update")).toEqual([]);
  });

  it("does not load what is not kept, what belongs elsewhere, and what is at work", async () => {
    const end: { turn?: () => void } = {};
    const runTurn: FakeOptions["runTurn"] = ({ text }) => (text === "wait" ? new Promise((resolve) => (end.turn = () => resolve(toResult()))) : Promise.resolve(toResult()));
    const { agent: context, newSession, prompt } = await connect({ runTurn });
    const load = (sessionId: string, place: string): Promise<unknown> => failure(context.request(agent.session.load, { sessionId, cwd: place, mcpServers: [] }));
    expect(await load("nobody", cwd)).toMatchObject({ code: -32002, data: { sessionId: "nobody" } });
    const sessionId = await newSession();
    expect(await load(sessionId, tmpdir())).toMatchObject({ code: -32602, message: expect.stringMatching(/the session belongs to/) as string });
    const pending = prompt(sessionId, "wait");
    await expect.poll(() => end.turn).toBeDefined();
    expect(await load(sessionId, cwd)).toMatchObject({ code: -32600 });
    end.turn?.();
    await pending;
  });

  it("loads one once at a time, and begins no prompt in the session that is left", async () => {
    const looking: (() => void)[] = [];
    const { agent: context, newSession, prompt, host, sessions, waitFor } = await connect({ commands: () => new Promise((resolve) => looking.push(() => resolve([]))) });
    const sessionId = await newSession();
    await expect.poll(() => looking.length).toBe(1);
    const load = (): Promise<unknown> => failure(context.request(agent.session.load, { sessionId, cwd, mcpServers: [] }));
    const [one, two, asked] = [load(), load(), failure(prompt(sessionId, "hello"))];
    expect(await two).toMatchObject({ code: -32600, message: "the session is being loaded already" });
    expect(await asked).toMatchObject({ code: -32002 });
    expect(host.asked).toEqual([]);
    looking[0]?.();
    expect(await one).toBe("no error");
    await expect.poll(() => looking.length).toBe(2);
    looking[1]?.();
    await waitFor("available_commands_update");
    expect(await prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    await sessions.end();
  });

  it("ends the turn of a session that is closed or deleted", async () => {
    const runTurn: FakeOptions["runTurn"] = ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(toResult({ status: "interrupted", exitCode: 130, text: "interrupted" }))));
    const { agent: context, newSession, prompt, host } = await connect({ runTurn });
    const [one, two] = [await newSession(), await newSession()];
    const turns = [prompt(one, "a"), prompt(two, "b")];
    await expect.poll(() => host.asked.length).toBe(2);
    await context.request(agent.session.close, { sessionId: one });
    await context.request(agent.session.delete, { sessionId: two });
    expect(await Promise.all(turns)).toMatchObject([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    expect((await context.request(agent.session.list, {})).sessions.map(({ sessionId }) => sessionId)).toEqual([one]);
  });

  it("refuses a relative directory in a list", async () => {
    const { agent: context } = await connect();
    expect(await failure(context.request(agent.session.list, { cwd: "here" }))).toMatchObject({ code: -32602 });
  });
});

describe("the end", () => {
  it("ends every turn, and opens nothing any more", async () => {
    const runTurn: FakeOptions["runTurn"] = ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(toResult({ status: "interrupted", exitCode: 130, text: "interrupted" }))));
    const { agent: context, newSession, prompt, host, sessions } = await connect({ runTurn });
    const turns = [prompt(await newSession(), "a"), prompt(await newSession(), "b")];
    await expect.poll(() => host.asked.length).toBe(2);
    await sessions.end();
    expect(await Promise.all(turns)).toMatchObject([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    expect(await failure(context.request(agent.session.new, { cwd, mcpServers: [] }))).toMatchObject({ code: -32603 });
  });
});
