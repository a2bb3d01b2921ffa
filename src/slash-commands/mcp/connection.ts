import { Client, ProtocolError, SdkHttpError, StreamableHTTPClientTransport, type GetPromptResult, type Prompt } from "@modelcontextprotocol/client";
import { describeError } from "../../errors.js";
import { VERSION } from "../../version.js";
import { CommandFailure } from "../command-failure.js";
import { DEFAULT_SETTINGS, type SlashCommandConfig, type SlashCommandSettings } from "../config.js";
import type { McpServer } from "./server.js";
import { SpawnedTransport } from "./spawned-transport.js";

/** A connection to one server. */
export interface McpConnection {
  listPrompts(): Promise<Prompt[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult>;
  close(): Promise<void>;
}

export interface ConnectRequest {
  readonly server: McpServer;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly signal: AbortSignal;
}

/**
 * Connects to a server, within its deadline. Servers of today are greeted with `initialize`; one that refuses that is
 * asked which newer revision it speaks. Throws `CommandFailure` with the reason; nothing of the server is then left.
 */
export async function connectServer(request: ConnectRequest): Promise<McpConnection> {
  try {
    return await connect(request, "legacy");
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw describeFailure(request, error, "");
    return connect(request, "auto").catch((again: unknown) => {
      throw describeFailure(request, again, "");
    });
  }
}

async function connect(request: ConnectRequest, mode: "legacy" | "auto"): Promise<McpConnection> {
  const { server, settings, signal } = request;
  const timeoutMs = server.timeoutMs ?? settings.mcpTimeoutMs ?? DEFAULT_SETTINGS.mcpTimeoutMs;
  const transport = await createTransport(request);
  const client = new Client({ name: "jlgcli", version: VERSION }, { versionNegotiation: { mode } });
  const close = (): Promise<void> => closeBounded(client, transport);
  const withDeadline = { timeout: timeoutMs, signal };
  const lastWords = (): string => (transport instanceof SpawnedTransport ? transport.lastWords : "");
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question();
    } catch (error) {
      throw error instanceof ProtocolError ? error : describeFailure(request, error, lastWords());
    }
  };
  try {
    await ask(() => client.connect(transport, withDeadline));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    listPrompts: () => ask(() => listAllPrompts(client, withDeadline)),
    getPrompt: (name, args) => ask(() => client.getPrompt({ name, arguments: { ...args } }, withDeadline)),
    close,
  };
}

async function createTransport({ server, config }: ConnectRequest): Promise<SpawnedTransport | StreamableHTTPClientTransport> {
  const { transport } = server;
  if (transport.type === "http") return new StreamableHTTPClientTransport(new URL(transport.url), { requestInit: { headers: transport.headers } });
  const spawner = await config.loadSpawner?.();
  if (spawner === undefined) throw new CommandFailure("unavailable", `MCP server ${server.name}: this caller starts no programs`);
  return new SpawnedTransport(transport, config.env, spawner);
}

type Deadline = { readonly timeout: number; readonly signal: AbortSignal };

/** Far above any real server; a list without an end is cut. */
const PAGE_LIMIT = 50;

async function listAllPrompts(client: Client, deadline: Deadline): Promise<Prompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  const prompts: Prompt[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGE_LIMIT; page += 1) {
    const answer = await client.listPrompts(cursor === undefined ? {} : { cursor }, deadline);
    prompts.push(...answer.prompts);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return prompts;
}

const CLOSE_LIMIT_MS = 3000;

/** An HTTP server may not answer the farewell; nobody waits for that longer than a moment. */
async function closeBounded(client: Client, transport: SpawnedTransport | StreamableHTTPClientTransport): Promise<void> {
  const farewell = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await client.close();
    await transport.close();
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_LIMIT_MS)));
  await Promise.race([farewell().catch(() => client.close()), late]).catch(() => undefined);
  clearTimeout(timer);
}

function describeFailure({ server, signal }: ConnectRequest, error: unknown, lastWords: string): Error {
  if (error instanceof CommandFailure) return error;
  if (signal.aborted) return new CommandFailure("interrupted", `MCP server ${server.name}: interrupted`);
  const said = lastWords === "" ? "" : ` (it said: ${lastWords})`;
  return new CommandFailure("unavailable", `MCP server ${server.name} (${server.origin}): ${describeReason(error)}${said}`);
}

function describeReason(error: unknown): string {
  if (!(error instanceof SdkHttpError)) return describeError(error);
  if (error.status === 401 || error.status === 403) return `it asks for a login (HTTP ${String(error.status)}); give it a token in "headers"`;
  return `HTTP ${String(error.status)}: ${error.message.slice(0, 300)}`;
}
