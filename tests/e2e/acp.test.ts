import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { methods } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, findLeftOvers, runCli, type Place } from "./support/cli.js";
import { INITIALIZE, createAcpPlace, echoOf, startClient, startRawClient, textOf, waitUntil, type AcpClient, type ProcessEnd } from "./support/acp-client.js";

const { session } = methods.agent;
let place: Place;

beforeEach(() => {
  place = createAcpPlace();
});

afterEach(() => {
  place.cleanUp();
});

const failure = async (work: Promise<unknown>): Promise<unknown> => work.then(() => "no error", (error: unknown) => error);
const hasNoProcess = (): Promise<true> => waitUntil(() => (findLeftOvers(place).length === 0 ? true : undefined), `nothing left running, but: ${findLeftOvers(place).join("; ")}`);
const isAtWork = (): Promise<true> => waitUntil(() => (findLeftOvers(place).some((line) => line.includes("sleep 600")) ? true : undefined), "the tool at work");

describe.skipIf(process.platform === "win32")("jlgcli acp with the SDK's own client (the fake backend is a script with a shebang)", () => {
  it("says what it is, opens a session, answers a prompt, and ends with 0 when the client leaves", async () => {
    const acp = await startClient(place);
    expect(acp.hello).toMatchObject({ protocolVersion: 1, agentInfo: { name: "jlgcli" }, agentCapabilities: { loadSession: true }, authMethods: [] });
    const opened = await acp.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
    expect(opened).toMatchObject({ modes: { currentModeId: "read-only" }, configOptions: [{ id: "backend", currentValue: "codex" }, { id: "model" }, { id: "access", currentValue: "read-only" }] });
    const answer = await acp.prompt(opened.sessionId, "hello");
    expect(answer).toMatchObject({ stopReason: "end_turn", _meta: { jlgcli: { status: "success", backend: "codex", usage: { inputTokens: 20, outputTokens: 2 } } } });
    expect(echoOf(acp.updatesOf(opened.sessionId)).prompt).toBe("hello");
    expect(await acp.waitFor(opened.sessionId, "session_info_update")).toBeDefined();
    expect(acp.updatesOf(opened.sessionId)).toContainEqual(expect.objectContaining({ sessionUpdate: "session_info_update", title: "hello" }));
    expect(await acp.leave()).toEqual({ exitCode: 0, signal: null });
    expect(acp.stderr()).toBe("");
    await hasNoProcess();
  });

  it("tells messages as they come, and tools, thoughts, plans and usage as what they are", async () => {
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    const pending = acp.prompt(id, "slow");
    await acp.waitFor(id, "agent_message_chunk");
    expect(textOf(acp.updatesOf(id))).toBe("first");
    expect(await pending).toMatchObject({ stopReason: "end_turn" });
    expect(textOf(acp.updatesOf(id))).toBe("firstsecond");
    const before = acp.updatesOf(id).length;
    expect(await acp.prompt(id, "tool")).toMatchObject({ stopReason: "end_turn" });
    const updates = acp.updatesOf(id).slice(before);
    expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: expect.stringMatching(/I have to look/) as string } }));
    expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: "plan", entries: [{ content: "look", priority: "medium", status: "pending" }] }));
    expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: "tool_call", toolCallId: "2.item_2", kind: "execute", status: "in_progress" }));
    expect(updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: "tool_call_update", toolCallId: "2.item_2", status: "completed", content: [{ type: "content", content: { type: "text", text: "a.txt\n" } }] }),
    );
    expect(textOf(updates)).toBe("one file");
    await acp.leave();
  });

  it("goes on in the backend's own session", async () => {
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    await acp.prompt(id, "hello");
    const before = acp.updatesOf(id).length;
    await acp.prompt(id, "and now");
    const { args, prompt } = echoOf(acp.updatesOf(id).slice(before));
    expect(args.join(" ")).toMatch(/resume thread-1/);
    expect(prompt).toBe("and now");
    await acp.leave();
  });

  it("runs slash commands, offers them, and sends what is none", async () => {
    mkdirSync(join(place.cwd, ".claude/commands"), { recursive: true });
    writeFileSync(join(place.cwd, ".claude/commands/greet.md"), "---\ndescription: says hello\nargument-hint: '[name]'\n---\nSay hello to $ARGUMENTS.");
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    expect(await acp.waitFor(id, "available_commands_update")).toMatchObject({
      availableCommands: expect.arrayContaining([expect.objectContaining({ name: "greet", description: "says hello", input: { hint: "[name]" } }), expect.objectContaining({ name: "access" })]) as object[],
    });
    expect(await acp.prompt(id, "/help")).toEqual({ stopReason: "end_turn", _meta: { jlgcli: { status: "success", exitCode: 0 } } });
    expect(textOf(acp.updatesOf(id))).toMatch(/\/greet/);
    const prompts = [
      ["/greet Ada", "Say hello to Ada."],
      ["/nothing of the kind", "/nothing of the kind"],
    ];
    for (const [typed = "", asked = ""] of prompts) {
      const before = acp.updatesOf(id).length;
      expect(await acp.prompt(id, typed)).toMatchObject({ stopReason: "end_turn" });
      expect(echoOf(acp.updatesOf(id).slice(before)).prompt.trim()).toBe(asked);
    }
    writeFileSync(join(place.cwd, ".claude/commands/later.md"), "Later, $ARGUMENTS.");
    const before = acp.updatesOf(id).length;
    await acp.prompt(id, "/later Ada");
    expect(echoOf(acp.updatesOf(id).slice(before)).prompt.trim()).toBe("Later, Ada.");
    const findMenu = (): unknown => acp.updatesOf(id).slice(before).find((update) => update.sessionUpdate === "available_commands_update");
    expect(await waitUntil(findMenu, "the menu with the new command")).toMatchObject({ availableCommands: expect.arrayContaining([expect.objectContaining({ name: "later" })]) as object[] });
    await acp.leave();
  });

  it("changes the access level by an option, a mode and a command, and runs the backend with it", async () => {
    const acp = await startClient(place);
    const sessionId = await acp.newSession(place.cwd);
    const changed = await acp.agent.request(session.setConfigOption, { sessionId, configId: "access", value: "workspace-write" });
    expect(changed.configOptions).toContainEqual(expect.objectContaining({ id: "access", currentValue: "workspace-write" }));
    await acp.prompt(sessionId, "hello");
    expect(echoOf(acp.updatesOf(sessionId)).args.join(" ")).toMatch(/workspace-write/);
    await acp.agent.request(session.setMode, { sessionId, modeId: "read-only" });
    expect(acp.updatesOf(sessionId)).toContainEqual(expect.objectContaining({ sessionUpdate: "config_option_update" }));
    await acp.prompt(sessionId, "/access full");
    expect(acp.updatesOf(sessionId)).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "full" });
    expect(await failure(acp.agent.request(session.setConfigOption, { sessionId, configId: "backend", value: "nobody" }))).toMatchObject({ code: -32602, message: expect.stringMatching(/nobody/) as string });
    await acp.leave();
  });

  it("hands on linked files, embedded text and images", async () => {
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    const uri = pathToFileURL(join(place.cwd, "a.ts")).href;
    await acp.prompt(
      id,
      "compare ",
      { type: "resource_link", uri, name: "a.ts" },
      { type: "resource", resource: { uri: "file:///b.ts", text: "let b = `${a}`;" } },
      { type: "image", data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" },
    );
    const { prompt, attachments } = echoOf(acp.updatesOf(id));
    expect(prompt).toBe(`compare ${join(place.cwd, "a.ts")} /b.ts [image-1.png]\n\n/b.ts:\n\`\`\`\nlet b = \`\${a}\`;\n\`\`\``);
    expect(attachments.map((data) => Buffer.from(data, "base64").toString())).toEqual(["pixels"]);
    expect(readdirSync(place.env["TMPDIR"] ?? "")).toEqual([]);
    await acp.leave();
  });

  it.each([
    ["refuse", -32000, "backend-unauthenticated", /codex login/],
    ["break", -32603, "unavailable", /capacity/],
  ])("answers a turn that ends with %s with the error %d", async (prompt, code, status, message) => {
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    expect(await failure(acp.prompt(id, prompt))).toMatchObject({ code, message: expect.stringMatching(message) as string, data: { status, backend: "codex" } });
    expect(await acp.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" });
    await acp.leave();
  });

  it("stops with max_tokens when the conversation no longer fits", async () => {
    const acp = await startClient(place);
    expect(await acp.prompt(await acp.newSession(place.cwd), "crowded")).toMatchObject({ stopReason: "max_tokens" });
    await acp.leave();
  });

  it("keeps sessions for the next start: lists, loads and deletes them", async () => {
    const first = await startClient(place);
    const sessionId = await first.newSession(place.cwd);
    await first.prompt(sessionId, "tool");
    await first.leave();

    const acp = await startClient(place);
    const { sessions } = await acp.agent.request(session.list, { cwd: place.cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd: place.cwd, title: "tool" }]);
    expect(await failure(acp.prompt(sessionId, "not loaded yet"))).toMatchObject({ code: -32002 });
    await acp.agent.request(session.load, { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(acp.updatesOf(sessionId).slice(0, 3)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "tool" } },
      { sessionUpdate: "tool_call", status: "completed" },
      { sessionUpdate: "agent_message_chunk", content: { text: "one file" } },
    ]);
    const before = acp.updatesOf(sessionId).length;
    await acp.prompt(sessionId, "go on");
    expect(echoOf(acp.updatesOf(sessionId).slice(before)).args.join(" ")).toMatch(/resume thread-1/);
    await acp.agent.request(session.delete, { sessionId });
    expect((await acp.agent.request(session.list, {})).sessions).toEqual([]);
    await acp.leave();
  });

  it.skipIf(process.platform !== "linux")("returns cancelled once nothing of the turn runs any more, and can be asked again (finds processes through /proc)", async () => {
    const acp = await startClient(place);
    const id = await acp.newSession(place.cwd);
    const pending = acp.prompt(id, "hang");
    await isAtWork();
    await acp.agent.notify(session.cancel, { sessionId: id });
    expect(await pending).toMatchObject({ stopReason: "cancelled" });
    expect(findLeftOvers(place).filter((line) => !line.includes(CLI))).toEqual([]);
    expect(acp.updatesOf(id)).toContainEqual(expect.objectContaining({ sessionUpdate: "tool_call", toolCallId: "1.item_2", status: "in_progress" }));
    await acp.agent.notify(session.cancel, { sessionId: id });
    expect(await acp.prompt(id, "hello")).toMatchObject({ stopReason: "end_turn" });
    await acp.leave();
    await hasNoProcess();
  });

  it.skipIf(process.platform !== "linux")("runs sessions beside each other, and cancels one alone (finds processes through /proc)", async () => {
    const acp = await startClient(place);
    const [one, two] = [await acp.newSession(place.cwd), await acp.newSession(place.cwd)];
    const hanging = acp.prompt(one, "hang");
    await isAtWork();
    expect(await failure(acp.prompt(one, "hello"))).toMatchObject({ code: -32600 });
    expect(await acp.prompt(two, "hello")).toMatchObject({ stopReason: "end_turn" });
    await acp.agent.notify(session.cancel, { sessionId: two });
    await isAtWork();
    await acp.agent.request(session.close, { sessionId: one });
    expect(await hanging).toMatchObject({ stopReason: "cancelled" });
    await acp.leave();
    await hasNoProcess();
  });

  it.skipIf(process.platform !== "linux").each<[string, (acp: AcpClient) => void, { readonly exitCode: number | null; readonly signal: string | null }]>([
    ["closes its pipe", (acp) => acp.child.stdin.end(), { exitCode: 0, signal: null }],
    ["takes no more answers", (acp) => acp.child.stdout.destroy(), { exitCode: 0, signal: null }],
    ["sends SIGTERM", (acp) => acp.child.kill("SIGTERM"), { exitCode: null, signal: "SIGTERM" }],
    ["sends SIGINT", (acp) => acp.child.kill("SIGINT"), { exitCode: null, signal: "SIGINT" }],
  ])("ends all turns when the client %s (finds processes through /proc)", async (_title, leave, end) => {
    const acp = await startClient(place);
    const turns = [await acp.newSession(place.cwd), await acp.newSession(place.cwd)].map((id) => failure(acp.prompt(id, "hang")));
    await isAtWork();
    leave(acp);
    // what a client that reads nothing is told by is the next line that it does not take
    if (acp.child.stdout.destroyed) void acp.agent.request(session.list, {}).catch(() => undefined);
    expect(await acp.ended).toEqual(end);
    await Promise.all(turns);
    await hasNoProcess();
  });

  it.skipIf(process.platform !== "linux")("leaves nothing of a question to a backend that was on its way (finds processes through /proc)", async () => {
    place.install("claude", "#!/bin/sh\ntrap '' TERM\nsleep 600 & wait\n");
    const acp = await startClient(place);
    const opened = failure(acp.newSession(place.cwd));
    await isAtWork();
    acp.child.kill("SIGTERM");
    expect(await acp.ended).toEqual({ exitCode: null, signal: "SIGTERM" });
    await opened;
    await hasNoProcess();
  });

  it.skipIf(process.platform !== "linux")("ends all turns when the client is killed (finds processes through /proc)", async () => {
    const script = [
      `const { spawn } = require("node:child_process");`,
      `const agent = spawn(process.execPath, [${JSON.stringify(CLI)}, "acp", "-b", "codex"], { stdio: ["pipe", "pipe", "inherit"] });`,
      `const send = (message) => agent.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");`,
      `send({ id: 0, method: "initialize", params: { protocolVersion: 1 } });`,
      `send({ id: 1, method: "session/new", params: { cwd: process.cwd(), mcpServers: [] } });`,
      `let text = "";`,
      `agent.stdout.on("data", (data) => {`,
      `  text += data;`,
      `  const id = /"id":1,"result":{"sessionId":"([^"]+)"/.exec(text)?.[1];`,
      `  if (id !== undefined && !text.includes("asked")) { text += "asked"; send({ id: 2, method: "session/prompt", params: { sessionId: id, prompt: [{ type: "text", text: "hang" }] } }); }`,
      `});`,
    ].join("\n");
    const editor = spawn(process.execPath, ["-e", script], { cwd: place.cwd, env: place.env, stdio: "ignore" });
    await isAtWork();
    editor.kill("SIGKILL");
    await hasNoProcess();
  });
});

describe("faults of a client", () => {
  const newSession = (id: number, cwd: string): object => ({ id, method: "session/new", params: { cwd, mcpServers: [] } });

  it("answers each with the right error, goes on, and prints nothing but lines of the protocol", async () => {
    const acp = startRawClient(place);
    acp.send(newSession(1, place.cwd));
    expect(await acp.answerTo(1)).toMatchObject({ error: { code: -32600 } });
    acp.send({ ...INITIALIZE, params: { protocolVersion: 99 } });
    expect(await acp.answerTo(0)).toMatchObject({ result: { protocolVersion: 1 } });
    acp.send("garbage", JSON.stringify([INITIALIZE]), "\u0000", "");
    acp.send(newSession(2, "relative"), newSession(3, join(place.cwd, "nothing")), { id: 4, method: "session/new", params: {} });
    acp.send({ id: 5, method: "session/prompt", params: { sessionId: "nobody", prompt: [{ type: "text", text: "hello" }] } });
    acp.send({ id: 6, method: "session/unknown", params: {} }, { method: "session/cancel", params: { sessionId: "nobody" } }, { method: "strange" });
    acp.send({ id: 7, method: "session/load", params: { sessionId: "nobody", cwd: place.cwd, mcpServers: [] } });
    acp.send(newSession(8, place.cwd));
    const codes = await Promise.all([2, 3, 4, 5, 6, 7].map(async (id) => [id, codeOf(await acp.answerTo(id))]));
    expect(codes).toEqual([[2, -32602], [3, -32602], [4, -32602], [5, -32002], [6, -32601], [7, -32002]]);
    expect(acp.lines().filter((line) => line["id"] === null).map(codeOf).sort()).toEqual([-32600, -32700, -32700]);
    expect(await acp.answerTo(8)).toMatchObject({ result: { sessionId: expect.any(String) as string } });
    acp.child.stdin.end();
    expect(await acp.ended).toEqual({ exitCode: 0, signal: null });
    expect(acp.lines().every((line) => line["jsonrpc"] === "2.0")).toBe(true);
  });

  it.skipIf(process.platform === "win32")("cancels what was asked before, though both come at once, and nothing that is asked after (the fake backend is a script with a shebang)", async () => {
    const acp = startRawClient(place);
    acp.send(INITIALIZE, newSession(1, place.cwd));
    const sessionId = sessionIdOf(await acp.answerTo(1));
    const prompt = (id: number, text: string): object => ({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
    const cancel = { method: "session/cancel", params: { sessionId } };
    acp.send(cancel, prompt(2, "hang"), cancel);
    expect(await acp.answerTo(2)).toMatchObject({ result: { stopReason: "cancelled" } });
    acp.send(cancel, prompt(3, "hello"));
    expect(await acp.answerTo(3)).toMatchObject({ result: { stopReason: "end_turn" } });
    acp.child.stdin.end();
    await acp.ended;
  });

  it("closes with 65 and one last word when a line is longer than 32 MiB", async () => {
    const acp = startRawClient(place);
    acp.send(INITIALIZE);
    await acp.answerTo(0);
    const piece = "x".repeat(1024 * 1024);
    acp.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"');
    for (let count = 0; count <= 32; count += 1) acp.child.stdin.write(piece);
    expect(await acp.ended).toEqual({ exitCode: 65, signal: null });
    expect(acp.lines().at(-1)).toMatchObject({ id: null, error: { code: -32600, message: expect.stringMatching(/more than 33554432 bytes/) as string } });
    expect(acp.stderr()).toMatch(/more than 33554432 bytes/);
  });

  it.skipIf(process.platform !== "linux")("ends what runs when a line is too long (finds processes through /proc)", async () => {
    const acp = startRawClient(place);
    acp.send(INITIALIZE, newSession(1, place.cwd));
    const sessionId = sessionIdOf(await acp.answerTo(1));
    acp.send({ id: 2, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "hang" }] } });
    await isAtWork();
    for (let count = 0; count <= 32; count += 1) acp.child.stdin.write("x".repeat(1024 * 1024));
    expect(await acp.ended).toEqual({ exitCode: 65, signal: null });
    await hasNoProcess();
  });

  it.skipIf(process.platform !== "linux").each<[string, (child: ChildProcess) => void, ProcessEnd]>([
    ["and leaves", (child) => child.stdin?.end(), { exitCode: 0, signal: null }],
    ["and sends SIGTERM", (child) => child.kill("SIGTERM"), { exitCode: null, signal: "SIGTERM" }],
  ])("ends what runs when the client no longer reads %s (finds processes through /proc)", async (_title, leave, end) => {
    const acp = startRawClient(place);
    acp.send(INITIALIZE, newSession(1, place.cwd));
    const sessionId = sessionIdOf(await acp.answerTo(1));
    acp.child.stdout.pause();
    acp.send({ id: 2, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "flood" }] } });
    await waitUntil(() => (findLeftOvers(place).length > 1 ? true : undefined), "the backend at work");
    await new Promise((resolve) => setTimeout(resolve, 500));
    leave(acp.child);
    expect(await acp.exited).toEqual(end);
    acp.child.stdout.resume();
    await hasNoProcess();
  });

  it("logs on stderr with -v, and says nothing there without", async () => {
    const acp = startRawClient(place, ["--backend", "codex", "-v"]);
    acp.send(INITIALIZE, newSession(1, "relative"));
    await acp.answerTo(1);
    acp.child.stdin.end();
    await acp.ended;
    expect(acp.stderr()).toMatch(/^jlgcli: acp: initialize: /);
    expect(acp.stderr()).toMatch(/session\/new: -32602 cwd has to be an absolute path/);
  });
});

describe("the command line", () => {
  it.each([
    ["--timeout", "soon"],
    ["--access", "everything"],
    ["--nonsense", "x"],
  ])("refuses %s %s with 64 before it serves", async (flag, value) => {
    const ended = await runCli(place, ["acp", flag, value], { stdin: null });
    expect(ended).toMatchObject({ exitCode: 64, stdout: "" });
    expect(ended.stderr).toMatch(/^jlgcli: /);
  });

  it("explains itself", async () => {
    const ended = await runCli(place, ["acp", "--help"]);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout).toMatch(/agent_servers/);
  });
});

function codeOf(line: Record<string, unknown>): unknown {
  const { error } = line;
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function sessionIdOf(line: Record<string, unknown>): string {
  const { result } = line;
  if (typeof result === "object" && result !== null && "sessionId" in result && typeof result.sessionId === "string") return result.sessionId;
  throw new TypeError(`no session: ${JSON.stringify(line)}`);
}
