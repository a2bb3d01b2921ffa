import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProcessSpawner } from "../../../src/process/spawner.js";
import type { SlashCommandSettings } from "../../../src/slash-commands/config.js";
import { getAvailableCommands } from "../../../src/slash-commands/get-available-commands.js";
import { handleSlashCommand } from "../../../src/slash-commands/handle-slash-command.js";
import type { SlashCommandAnswer } from "../../../src/slash-commands/types.js";
import { makeTempProject, type TempProject } from "../../unit/slash-commands/temp-project.js";

const EVERYTHING = path.join(path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")), "dist/index.js");
const ODD = fileURLToPath(new URL("../../fixtures/slash-commands/servers/odd-server.mjs", import.meta.url));

interface Options {
  readonly trusted?: boolean;
  readonly settings?: SlashCommandSettings;
}

function configOf(temp: TempProject, trusted = true) {
  return { cwd: temp.project, env: temp.env, isTrusted: () => trusted, loadSpawner: () => Promise.resolve(createProcessSpawner()) };
}

async function type(temp: TempProject, text: string, { trusted = true, settings = {} }: Options = {}): Promise<SlashCommandAnswer> {
  return handleSlashCommand(text, new AbortController(), configOf(temp, trusted), settings, "non_interactive");
}

function odd(behaviour: string): Record<string, unknown> {
  return { command: process.execPath, args: [ODD, behaviour] };
}

/** Processes on this system whose command line holds a word. */
function countProcesses(word: string): number {
  return fs
    .readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
      } catch {
        return false;
      }
    }).length;
}

describe("the reference server over stdio", () => {
  const settings: SlashCommandSettings = { mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, "stdio"] } } };

  it("lists its prompts for an editor, and is gone after that", async () => {
    const temp = makeTempProject();
    const commands = await getAvailableCommands(configOf(temp), new AbortController().signal, "acp", settings);
    const prompts = commands.filter((command) => command.kind === "mcp-prompt");
    expect(prompts.map(({ name, sourceLabel, argumentHint }) => [name, sourceLabel, argumentHint])).toEqual([
      ["simple-prompt", "MCP: everything", undefined],
      ["args-prompt", "MCP: everything", "--city=… [--state=…]"],
      ["completable-prompt", "MCP: everything", "--department=… --name=…"],
      ["resource-prompt", "MCP: everything", "--resourceType=… --resourceId=…"],
    ]);
    expect(prompts.every((command) => command.modelInvocable === true && command.source === "mcp-prompt")).toBe(true);
    if (fs.existsSync("/proc/self")) expect(countProcesses(EVERYTHING)).toBe(0);
  });

  it.each([
    ["/simple-prompt", "This is a simple prompt without arguments."],
    ["/args-prompt --city=Paris", "What's weather in Paris?"],
    ['/args-prompt --city="New York" --state "N Y"', "What's weather in New York, N Y?"],
    ["/args-prompt New York", "What's weather in New York?"],
    ["/mcp:everything:completable-prompt Sales Eve", "Please promote Eve to the head of the Sales team."],
    ["/mcp__everything__args-prompt --state=NY Albany", "What's weather in Albany, NY?"],
  ])("%s", async (text, prompt) => {
    expect(await type(makeTempProject(), text, { settings })).toMatchObject({ type: "submit_prompt", prompt });
  });

  it("keeps every message with its resource", async () => {
    const answer = await type(makeTempProject(), "/resource-prompt Text 1", { settings });
    expect(answer).toMatchObject({ type: "submit_prompt" });
    if (answer.type === "submit_prompt") expect(answer.prompt).toMatch(/id: 1\. Please analyze the following resource:\n\n<resource uri="demo:\/\/resource\/dynamic\/text\/1">\nResource 1: /u);
  });

  it.each([
    ["/args-prompt", "usage", "/args-prompt: missing argument --city (Name of the city)"],
    ["/completable-prompt", "usage", "/completable-prompt: missing arguments --department (Choose the department.), --name (Choose a team member to lead the selected department.)"],
    ["/args-prompt --town=x", "usage", "/args-prompt has no argument --town"],
    ["/resource-prompt Song 1", "usage", "/resource-prompt: MCP server everything refuses: Invalid resourceType: Song. Must be Text or Blob."],
  ])("%s is %s", async (text, status, message) => {
    expect(await type(makeTempProject(), text, { settings })).toMatchObject({ type: "error", status, message });
  });

  it("is not started for a name that is found elsewhere, nor for text", async () => {
    const temp = makeTempProject();
    const touch: SlashCommandSettings = { mcpServers: { spy: { command: "sh", args: ["-c", `echo started >> ${temp.root}/started`] } } };
    temp.write({ "project/.claude/commands/fix.md": "T" });
    for (const text of ["/fix", "/review", "/help-me/with this", "hello", "/model"]) await type(temp, text, { settings: touch });
    expect(fs.existsSync(path.join(temp.root, "started"))).toBe(false);
    await type(temp, "/nobody-knows", { settings: touch });
    expect(fs.existsSync(path.join(temp.root, "started"))).toBe(true);
  });

  it("leaves the plain name to a file; its own stays under the prefix", async () => {
    const temp = makeTempProject();
    temp.write({ "home/.claude/commands/simple-prompt.md": "mine" });
    expect(await type(temp, "/simple-prompt", { settings })).toMatchObject({ prompt: "mine" });
    expect(await type(temp, "/mcp:everything:simple-prompt", { settings })).toMatchObject({ prompt: "This is a simple prompt without arguments." });
  });
});

describe("the reference server over streamable HTTP", () => {
  let server: ChildProcess;
  let port = 0;

  beforeAll(async () => {
    port = await findFreePort();
    server = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env: { PATH: process.env["PATH"], PORT: String(port) }, stdio: ["ignore", "ignore", "pipe"] });
    await new Promise<void>((resolve, reject) => {
      server.stderr?.on("data", (chunk: Buffer) => chunk.includes("listening") && resolve());
      server.on("exit", (code) => reject(new Error(`the server ended with ${String(code)}`)));
    });
  });

  afterAll(() => {
    server.removeAllListeners("exit");
    server.kill();
  });

  it("lists and gives prompts", async () => {
    const settings: SlashCommandSettings = { mcpServers: { web: { type: "http", url: `http://127.0.0.1:${String(port)}/mcp` } } };
    const temp = makeTempProject();
    expect(await type(temp, "/args-prompt --city=Oslo", { settings })).toMatchObject({ type: "submit_prompt", prompt: "What's weather in Oslo?" });
    const commands = await getAvailableCommands(configOf(temp), new AbortController().signal, "acp", settings);
    expect(commands.filter((command) => command.kind === "mcp-prompt")).toHaveLength(4);
  });

  it.each([
    [".mcp.json", (url: string) => JSON.stringify({ mcpServers: { web: { type: "http", url } } })],
    [".gemini/settings.json", (url: string) => `{ // a comment\n "mcpServers": { "web": { "httpUrl": "${url}" }, } }`],
    [".vscode/mcp.json", (url: string) => JSON.stringify({ servers: { web: { type: "http", url } } })],
  ])("is found in the project's %s, when the project is trusted", async (file, content) => {
    const temp = makeTempProject();
    temp.write({ [`project/${file}`]: content(`http://127.0.0.1:${String(port)}/mcp`) });
    expect(await type(temp, "/mcp:web:simple-prompt")).toMatchObject({ type: "submit_prompt" });
    expect(await type(temp, "/mcp:web:simple-prompt", { trusted: false })).toMatchObject({ type: "unknown" });
  });

  it.each([
    [".claude.json", (url: string) => JSON.stringify({ mcpServers: { web: { type: "http", url } } })],
    [".codex/config.toml", (url: string) => `[mcp_servers.web]\nurl = "${url}"\n`],
    [".gemini/settings.json", (url: string) => JSON.stringify({ mcpServers: { web: { httpUrl: "$WEB" } } }).replace("$WEB", url)],
  ])("is found in the user's %s", async (file, content) => {
    const temp = makeTempProject();
    temp.write({ [`home/${file}`]: content(`http://127.0.0.1:${String(port)}/mcp`) });
    expect(await type(temp, "/simple-prompt", { trusted: false })).toMatchObject({ type: "submit_prompt" });
  });
});

describe("an HTTP server that misbehaves", () => {
  it.each([
    ["never answers", () => undefined, 1500, /timed out/iu],
    ["asks for a login", (response: http.ServerResponse) => response.writeHead(401, { "www-authenticate": "Bearer" }).end(), 8000, /401|unauthori[sz]ed/iu],
    ["fails", (response: http.ServerResponse) => response.writeHead(500).end("no"), 8000, /500/u],
    ["answers something else", (response: http.ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"), 8000, /content type|text\/html/iu],
  ])("and %s is told in bounded time", async (_title, answer, limitMs, message) => {
    const server = http.createServer((_request, response) => void answer(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const startedAt = performance.now();
    try {
      const result = await type(makeTempProject(), "/mcp:web:x", { settings: { mcpTimeoutMs: 700, mcpServers: { web: { type: "http", url: `http://127.0.0.1:${String(port)}/mcp` } } } });
      expect(result).toMatchObject({ type: "error", status: "unavailable" });
      if (result.type === "error") expect(result.message).toMatch(message);
      expect(performance.now() - startedAt).toBeLessThan(limitMs + 8000);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("a stdio server that misbehaves", () => {
  it("is told when it never answers, within its deadline, and is ended", async () => {
    const temp = makeTempProject();
    const marker = `mute-${String(process.pid)}`;
    const startedAt = performance.now();
    const answer = await type(temp, "/mcp:mute:x", { settings: { mcpTimeoutMs: 700, mcpServers: { mute: { command: process.execPath, args: [ODD, "mute", marker] } } } });
    expect(answer).toMatchObject({ type: "error", status: "unavailable", message: expect.stringMatching(/MCP server mute \(the configuration\): .*timed out/iu) as string });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    if (fs.existsSync("/proc/self")) expect(countProcesses(marker)).toBe(0);
  });

  it("is told with its last words when it crashes", async () => {
    const answer = await type(makeTempProject(), "/mcp:crash:x", { settings: { mcpServers: { crash: odd("crash") } } });
    expect(answer).toMatchObject({ type: "error", status: "unavailable", message: expect.stringContaining("cannot find my database") as string });
  });

  it("is told with the line of its stack that says why", async () => {
    const answer = await type(makeTempProject(), "/mcp:gone:x", { settings: { mcpServers: { gone: { command: process.execPath, args: ["/no/such/server.js"] } } } });
    expect(answer).toMatchObject({ type: "error", message: expect.stringContaining("(it said: Error: Cannot find module '/no/such/server.js')") as string });
  });

  it("is told when it crashes over a prompt", async () => {
    const answer = await type(makeTempProject(), "/dialogue x", { settings: { mcpServers: { late: odd("late-crash") } } });
    expect(answer).toMatchObject({ type: "error", status: "unavailable", message: expect.stringContaining("MCP server late") as string });
  });

  it("is told when its program is missing", async () => {
    const answer = await type(makeTempProject(), "/mcp:gone:x", { settings: { mcpServers: { gone: { command: "no-such-program-here" } } } });
    expect(answer).toMatchObject({ type: "error", status: "unavailable", message: expect.stringContaining("no-such-program-here") as string });
  });

  it("is understood through noise on its stdout", async () => {
    const answer = await type(makeTempProject(), "/dialogue --topic=x", { settings: { mcpServers: { noise: odd("noise") } } });
    expect(answer).toMatchObject({ type: "submit_prompt" });
  });

  it("hides nothing of the others", async () => {
    const settings: SlashCommandSettings = { mcpTimeoutMs: 2000, mcpServers: { mute: odd("mute"), crash: odd("crash"), good: odd("plain") } };
    const commands = await getAvailableCommands(configOf(makeTempProject()), new AbortController().signal, "acp", settings);
    expect(commands.filter((command) => command.kind === "mcp-prompt").map((command) => command.name)).toEqual(["first-page", "dialogue", "picture", "where"]);
    expect(await type(makeTempProject(), "/nobody-knows", { settings })).toMatchObject({ type: "unknown", message: "there is no command /nobody-knows (the MCP servers that failed could have it: mute, crash)" });
  });

  it("is ended with its tree though it ignores the signal", async ({ skip }) => {
    if (!fs.existsSync("/proc/self")) skip("processes are counted in /proc");
    const marker = `stubborn-${String(process.pid)}`;
    const answer = await type(makeTempProject(), "/dialogue x", { settings: { mcpServers: { stubborn: { command: process.execPath, args: [ODD, "stubborn", marker] } } } });
    expect(answer).toMatchObject({ type: "submit_prompt" });
    expect(countProcesses(marker)).toBe(0);
    expect(countProcesses('process.on("SIGTERM", () => {}); setInterval')).toBe(0);
  });

  it("is ended when the call is interrupted", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("SIGINT"), 300);
    const startedAt = performance.now();
    const answer = await handleSlashCommand("/mcp:mute:x", controller, configOf(makeTempProject()), { mcpTimeoutMs: 60_000, mcpServers: { mute: odd("mute") } }, "non_interactive");
    expect(answer).toMatchObject({ type: "error", status: "interrupted" });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe("a server of the revision without initialize", () => {
  it("is understood too", async () => {
    const answer = await type(makeTempProject(), "/dialogue x", { settings: { mcpServers: { modern: odd("modern") } } });
    expect(answer).toMatchObject({ type: "submit_prompt" });
  });
});

describe("what a prompt holds", () => {
  const settings: SlashCommandSettings = { mcpServers: { odd: odd("plain") } };

  it("is kept whole: who speaks, resources, links", async () => {
    expect(await type(makeTempProject(), '/dialogue --tone="" the  tides', { settings })).toMatchObject({
      type: "submit_prompt",
      prompt: [
        '[user]\n{"tone":"","topic":"the  tides"}',
        "[assistant]\nI see.",
        '[user]\n<resource uri="file:///a.txt">\nhéllo\n</resource>',
        '[user]\n<resource_link uri="file:///b.txt" name="b">the other</resource_link>',
      ].join("\n\n"),
    });
  });

  it("is refused by name where it is no text", async () => {
    expect(await type(makeTempProject(), "/picture", { settings })).toMatchObject({ type: "error", status: "invalid-data", message: "/picture holds an image (image/png), and a backend gets text only" });
  });

  it("of a second page is found too, and blanks in a name become dashes", async () => {
    expect(await type(makeTempProject(), "/first-page", { settings })).toMatchObject({ type: "submit_prompt" });
  });
});

describe("a project that is not trusted", () => {
  it("starts no server of its own, and the user's do not start inside of it", async () => {
    const temp = makeTempProject();
    temp.write({
      "project/.mcp.json": JSON.stringify({ mcpServers: { evil: { command: "sh", args: ["-c", `echo started > ${temp.root}/started`] } } }),
      "home/.claude.json": JSON.stringify({ mcpServers: { mine: odd("plain") } }),
    });
    expect(await type(temp, "/where", { trusted: false })).toMatchObject({ type: "submit_prompt", prompt: temp.home });
    expect(await type(temp, "/mcp:evil:x", { trusted: false })).toMatchObject({ type: "unknown" });
    expect(fs.existsSync(path.join(temp.root, "started"))).toBe(false);
    expect(await type(temp, "/where", { trusted: true })).toMatchObject({ type: "submit_prompt", prompt: temp.project });
    await type(temp, "/mcp:evil:x", { trusted: true });
    expect(fs.existsSync(path.join(temp.root, "started"))).toBe(true);
  });
});

async function findFreePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
