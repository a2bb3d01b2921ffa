import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, type ClientCapabilities, type ClientContext, type ContentBlock, type InitializeResponse, type PromptResponse, type SessionUpdate } from "@agentclientprotocol/sdk";
import { CLI, FIXTURES, createPlace, parseObject, type Place } from "./cli.js";

/** A place where `codex` is a tiny program that does what its prompt says. */
export function createAcpPlace(env: Record<string, string> = {}): Place {
  const place = createPlace({ CODEX_API_KEY: "test-key", ...env });
  symlinkSync(join(FIXTURES, "agents/prompted-codex.mjs"), join(place.bin, "codex"));
  return place;
}

/** How a process has ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its end, and that of its output. */
  readonly ended: Promise<ProcessEnd>;
  /** Its end, whether or not its output was read. */
  readonly exited: Promise<ProcessEnd>;
  readonly stderr: () => string;
}

/** Starts `jlgcli acp`. It is killed where it has not ended in time. */
export function startAgent(place: Pick<Place, "cwd" | "env">, args: readonly string[] = ["--backend", "codex"], limitMs = 60_000): AgentProcess {
  const child = spawn(process.execPath, [CLI, "acp", ...args], { cwd: place.cwd, env: place.env });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const seen = (event: "close" | "exit"): Promise<ProcessEnd> => new Promise((resolve) => child.once(event, (exitCode: number | null, signal: NodeJS.Signals | null) => resolve({ exitCode, signal })));
  const [ended, exited] = [seen("close"), seen("exit")];
  void exited.then(() => clearTimeout(timer));
  return { child, ended, exited, stderr: () => stderr };
}

/** The SDK's own client, which has said hello to a `jlgcli acp`. */
export interface AcpClient extends AgentProcess {
  readonly agent: ClientContext;
  readonly hello: InitializeResponse;
  /** Every update of a session so far. */
  readonly updatesOf: (sessionId: string) => readonly SessionUpdate[];
  readonly newSession: (cwd: string) => Promise<string>;
  readonly prompt: (sessionId: string, ...blocks: (string | ContentBlock)[]) => Promise<PromptResponse>;
  /** Waits for an update. */
  readonly waitFor: (sessionId: string, kind: SessionUpdate["sessionUpdate"]) => Promise<SessionUpdate>;
  /** Leaves, as an editor does that is closed. */
  readonly leave: () => Promise<ProcessEnd>;
}

export async function startClient(place: Pick<Place, "cwd" | "env">, args?: readonly string[], clientCapabilities: ClientCapabilities = {}): Promise<AcpClient> {
  const process = startAgent(place, args);
  const { child, ended } = process;
  const received: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  const connection = client()
    .onNotification(methods.client.session.update, ({ params }) => void received.push(params))
    // the types of Node and of the standard differ in what a chunk may be
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  const { session } = methods.agent;
  const updatesOf = (sessionId: string): readonly SessionUpdate[] => received.flatMap((each) => (each.sessionId === sessionId ? [each.update] : []));
  const hello = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
  return {
    ...process,
    agent,
    hello,
    updatesOf,
    newSession: async (cwd) => (await agent.request(session.new, { cwd, mcpServers: [] })).sessionId,
    prompt: (sessionId, ...blocks) => agent.request(session.prompt, { sessionId, prompt: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)) }),
    waitFor: (sessionId, kind) => waitUntil(() => updatesOf(sessionId).find((update) => update.sessionUpdate === kind), kind),
    leave: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** What was answered in message chunks, as one text. */
export function textOf(updates: readonly SessionUpdate[]): string {
  return updates.map((update) => (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "")).join("");
}

/** What the fake `codex` told of its call. */
export function echoOf(updates: readonly SessionUpdate[]): { readonly args: readonly string[]; readonly prompt: string; readonly attachments: readonly string[] } {
  const { args, prompt, attachments } = parseObject(textOf(updates));
  if (typeof prompt !== "string" || !Array.isArray(args) || !Array.isArray(attachments)) throw new TypeError(`no echo: ${textOf(updates)}`);
  return { args: args.map(String), prompt, attachments: attachments.map(String) };
}

export async function waitUntil<T>(find: () => T | undefined, what: string, limitMs = 20_000): Promise<T> {
  for (const startedAt = Date.now(); Date.now() - startedAt < limitMs; ) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not seen in ${limitMs} ms: ${what}`);
}

/** A client that writes what it likes, line by line, and reads every line as JSON. */
export interface RawClient extends AgentProcess {
  /** Every line so far; a line that is no JSON fails the test. */
  readonly lines: () => readonly Record<string, unknown>[];
  readonly send: (...messages: (object | string)[]) => void;
  readonly answerTo: (id: number | string | null) => Promise<Record<string, unknown>>;
}

export function startRawClient(place: Place, args?: readonly string[]): RawClient {
  const process = startAgent(place, args);
  let stdout = "";
  process.child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const lines = (): readonly Record<string, unknown>[] => stdout.split("\n").slice(0, -1).map(parseObject);
  return {
    ...process,
    lines,
    send: (...messages) => void process.child.stdin.write(messages.map((message) => `${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")),
    answerTo: (id) => waitUntil(() => lines().find((line) => line["id"] === id && !("method" in line)), `an answer to ${String(id)}`),
  };
}

export const INITIALIZE = { id: 0, method: "initialize", params: { protocolVersion: 1 } };
