import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answerFromDirectives } from "./directives.js";
import { anthropicMessages } from "./dialects/anthropic-messages.js";
import { MODEL_CALL, gemini } from "./dialects/gemini.js";
import type { CallToSend, DialectFormat, StreamPieces, TextToSend } from "./dialects/dialect.js";
import { openaiChat } from "./dialects/openai-chat.js";
import { openaiResponses } from "./dialects/openai-responses.js";
import { errorBody } from "./error-bodies.js";
import { parseJson } from "./json-value.js";
import { type ErrorAnswer, type ModelAnswer, type Streaming, type TextAnswer, type TokenUsage, type ToolAnswer, splitText } from "./model-answer.js";
import type { AuthEvidence, ModelRequest, RecordedRequest } from "./model-request.js";
import { toNamedCall } from "./tool-call.js";

export type Responder = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a trailing slash and without `/v1`. */
  readonly url: string;
  /** Every request since the start or the last `reset`, calls of the model and others. */
  readonly requests: readonly RecordedRequest[];
  /** Only the calls of the model. */
  readonly calls: readonly ModelRequest[];
  /** Answers for the next calls, used once each and before anything else. */
  enqueue(...answers: ModelAnswer[]): void;
  /** What answers when the queue is empty; by default the directives in the prompt (see `directives.ts`). */
  respondWith(responder: Responder): void;
  /** Resolves with the first call that fits, past or future; rejects after `timeoutMs`. */
  waitForCall(isWanted?: (request: ModelRequest) => boolean, timeoutMs?: number): Promise<ModelRequest>;
  /** Forgets the requests, the queue and the responder. */
  reset(): void;
  /** Like `POST /v1/messages ×3 (abandoned 1), HEAD / ×3`. */
  describeRequests(): string;
  close(): Promise<void>;
}

/** Starts a model server on the loopback interface; port 0 takes a free one. */
export async function startModelServer(options: { port?: number } = {}): Promise<ModelServer> {
  const state: ServerState = { startedAt: Date.now(), requests: [], queue: [], responder: answerFromDirectives, waiting: new Set() };
  const server = createServer({ keepAliveTimeout: 1_000 }, (request, response) => {
    handle(state, request, response).catch((error: unknown) => failLoudly(response, error));
  });
  // Waiting for ever is one of the behaviours on offer.
  server.requestTimeout = 0;
  server.on("upgrade", (request, socket: Socket) => refuseUpgrade(state, request, socket));
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  return toModelServer(state, server);
}

interface ServerState {
  startedAt: number;
  requests: RecordedRequest[];
  queue: ModelAnswer[];
  responder: Responder;
  waiting: Set<(request: ModelRequest) => void>;
}

const DIALECTS: Record<string, DialectFormat> = {
  "/v1/messages": anthropicMessages,
  "/v1/responses": openaiResponses,
  "/v1/chat/completions": openaiChat,
};

function findDialect(path: string): DialectFormat | undefined {
  return DIALECTS[path] ?? (MODEL_CALL.test(path) ? gemini : undefined);
}

async function handle(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const format = request.method === "POST" ? findDialect(path) : undefined;
  const recorded = record(state, request, format, path, body);
  response.on("close", () => {
    recorded.wasAbandoned ||= !response.writableFinished;
  });
  if (format === undefined || recorded.model === null) return answerOther(path, request, response, body);
  notifyWaiting(state, recorded.model);
  const answer = state.queue.shift() ?? (await state.responder(recorded.model));
  await send(format, recorded.model, answer, response);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(request, "end");
  return Buffer.concat(chunks).toString("utf8");
}

function record(state: ServerState, request: IncomingMessage, format: DialectFormat | undefined, path: string, body: string): RecordedRequest {
  const recorded: RecordedRequest = {
    atMs: Date.now() - state.startedAt,
    method: request.method ?? "",
    url: request.url ?? "",
    userAgent: request.headers["user-agent"] ?? "",
    auth: toAuthEvidence(request),
    model: format === undefined ? null : toModelRequest(state, format, path, parseJson(body)),
    wasAbandoned: false,
  };
  state.requests.push(recorded);
  return recorded;
}

function toAuthEvidence(request: IncomingMessage): AuthEvidence {
  const key = request.headers["x-api-key"] ?? request.headers["x-goog-api-key"];
  if (typeof key === "string") return { kind: "x-api-key", value: key };
  const authorization = request.headers.authorization;
  if (authorization === undefined) return { kind: "none", value: "" };
  const bearer = /^Bearer (.*)$/i.exec(authorization)?.[1];
  return bearer === undefined ? { kind: "other", value: authorization } : { kind: "bearer", value: bearer };
}

function toModelRequest(state: ServerState, format: DialectFormat, path: string, body: unknown): ModelRequest {
  const parsed = format.parseRequest(body, path);
  const attempt = callsOf(state).filter((call) => call.prompt === parsed.prompt && call.toolResults.length === parsed.toolResults.length).length;
  return { ...parsed, dialect: format.dialect, body, attempt };
}

function callsOf(state: ServerState): ModelRequest[] {
  return state.requests.flatMap(({ model }) => model ?? []);
}

function notifyWaiting(state: ServerState, call: ModelRequest): void {
  for (const notify of [...state.waiting]) notify(call);
}

function answerOther(path: string, request: IncomingMessage, response: ServerResponse, body: string): void {
  if (path === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
  if (path.endsWith(":countTokens")) return sendJson(response, 200, { totalTokens: Math.ceil(body.length / 4) });
  if (path === "/v1/models") return sendJson(response, 200, modelList());
  if (request.method === "HEAD" && path === "/") return void response.writeHead(200).end();
  sendJson(response, 404, { error: { type: "not_found_error", message: `no such path: ${path}` } });
}

function modelList(): unknown {
  const ids = ["stub-model", "gpt-5.1-codex", "claude-sonnet-4-5"];
  return { object: "list", data: ids.map((id) => ({ id, object: "model", type: "model", display_name: id, owned_by: "stub" })), has_more: false };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function send(format: DialectFormat, request: ModelRequest, answer: ModelAnswer, response: ServerResponse): Promise<void> {
  switch (answer.kind) {
    case "text":
      return sendText(format, request, answer, response);
    case "tool":
      return sendTool(format, request, answer, response);
    case "error":
      return sendError(format, request, answer, response);
    case "silence":
      return;
    case "reset":
      return void response.destroy();
    case "stall":
    case "cut":
      return sendPart(format, request, answer, response);
    default:
      throw new Error(`unknown answer ${JSON.stringify(answer satisfies never)}`);
  }
}

async function sendText(format: DialectFormat, request: ModelRequest, answer: TextAnswer, response: ServerResponse): Promise<void> {
  const text = toText(request, answer, answer.thinking ?? null, answer.usage);
  if (!request.stream) return sendJson(response, 200, format.textBody(text));
  const pieces = format.textStream(text);
  await sendPieces(response, pieces, pieces.deltas.length, answer.delayMs ?? 0);
  response.end(pieces.tail);
}

function toText(request: ModelRequest, answer: Streaming, thinking: string | null, usage?: TokenUsage): TextToSend {
  return {
    id: newId(),
    model: request.model ?? "stub-model",
    text: answer.text,
    pieces: answer.chunks === undefined ? splitText(answer.text) : splitText(answer.text, answer.chunks),
    thinking,
    usage: usage ?? usageOf(request, answer.text),
  };
}

const newId = (): string => randomBytes(8).toString("hex");

/** About four characters make a token; the system text and the tools count as read from the cache. */
function usageOf(request: ModelRequest, output: string): TokenUsage {
  const wholeInput = Math.ceil(JSON.stringify(request.body).length / 4);
  const fresh = Math.ceil((request.rawPrompt.length + request.toolResults.join("").length) / 4) + 3;
  return { inputTokens: fresh, cachedInputTokens: Math.max(0, wholeInput - fresh), outputTokens: Math.ceil(output.length / 4) + 1 };
}

async function sendPieces(response: ServerResponse, pieces: StreamPieces, count: number, delayMs: number): Promise<void> {
  startStream(response);
  response.write(pieces.head);
  for (const [index, delta] of pieces.deltas.slice(0, count).entries()) {
    if (delayMs > 0 && index > 0) await sleep(delayMs);
    if (response.destroyed) return;
    if (!response.write(delta)) await drained(response);
  }
}

/** Resolves when more can be written, or never will be. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const ends = ["drain", "close"].map((name) => once(response, name, { signal: waiting.signal }).catch(() => undefined));
  await Promise.race(ends);
  waiting.abort();
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", "request-id": `req_${newId()}` });
}

async function sendTool(format: DialectFormat, request: ModelRequest, answer: ToolAnswer, response: ServerResponse): Promise<void> {
  const call = toNamedCall(answer.call, request.tools);
  const toSend: CallToSend = {
    id: newId(),
    model: request.model ?? "stub-model",
    text: answer.text ?? null,
    call,
    usage: usageOf(request, JSON.stringify(call)),
    isFreeText: request.tools.some((tool) => tool.name === call.name && tool.isFreeText),
  };
  if (!request.stream) return sendJson(response, 200, format.toolBody(toSend));
  startStream(response);
  response.end(format.toolStream(toSend).join(""));
}

function sendError(format: DialectFormat, request: ModelRequest, answer: ErrorAnswer, response: ServerResponse): void {
  const body = answer.body ?? errorBody(format.dialect, answer.status, answer.variant ?? 0, request.model);
  const contentType = body.startsWith("{") ? "application/json" : body.startsWith("<") ? "text/html" : "text/plain";
  response.writeHead(answer.status, {
    "content-type": contentType,
    ...(answer.retryAfter === undefined ? {} : { "retry-after": answer.retryAfter }),
    ...(answer.shouldRetry === undefined ? {} : { "x-should-retry": String(answer.shouldRetry) }),
  });
  response.end(body);
}

type PartAnswer = Extract<ModelAnswer, { kind: "stall" | "cut" }>;

async function sendPart(format: DialectFormat, request: ModelRequest, answer: PartAnswer, response: ServerResponse): Promise<void> {
  if (request.stream) {
    const pieces = format.textStream(toText(request, answer, null));
    await sendPieces(response, pieces, answer.afterChunks, answer.delayMs ?? 0);
    // What was written must have left before the socket goes, or the client sees a reset without a stream.
    await sleep(50);
  }
  if (answer.kind === "cut") response.destroy();
}

function failLoudly(response: ServerResponse, error: unknown): void {
  console.error("model server:", error);
  response.destroy();
}

/** codex tries a websocket first; a 426 makes it use HTTP at once. */
function refuseUpgrade(state: ServerState, request: IncomingMessage, socket: Socket): void {
  record(state, request, undefined, "", "");
  socket.on("error", () => undefined);
  socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
}

function toModelServer(state: ServerState, server: Server): ModelServer {
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests: state.requests,
    get calls() {
      return callsOf(state);
    },
    enqueue: (...answers) => void state.queue.push(...answers),
    respondWith: (responder) => void (state.responder = responder),
    waitForCall: (isWanted = () => true, timeoutMs = 20_000) => waitForCall(state, isWanted, timeoutMs),
    reset: () => {
      state.requests.length = 0;
      state.queue.length = 0;
      state.responder = answerFromDirectives;
    },
    describeRequests: () => describeRequests(state.requests),
    close: () => close(server),
  };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the model server has no port");
  return address.port;
}

function waitForCall(state: ServerState, isWanted: (request: ModelRequest) => boolean, timeoutMs: number): Promise<ModelRequest> {
  const earlier = callsOf(state).find(isWanted);
  if (earlier !== undefined) return Promise.resolve(earlier);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      state.waiting.delete(notify);
      reject(new Error(`no such call of the model within ${timeoutMs} ms; seen: ${describeRequests(state.requests)}`));
    }, timeoutMs);
    const notify = (call: ModelRequest): void => {
      if (!isWanted(call)) return;
      clearTimeout(timer);
      state.waiting.delete(notify);
      resolve(call);
    };
    state.waiting.add(notify);
  });
}

function describeRequests(requests: readonly RecordedRequest[]): string {
  const names = new Set(requests.map(nameOf));
  return [...names].map((name) => describeGroup(name, requests.filter((request) => nameOf(request) === name))).join(", ");
}

const nameOf = ({ method, url }: RecordedRequest): string => `${method} ${url}`;

function describeGroup(name: string, group: readonly RecordedRequest[]): string {
  const abandoned = group.filter(({ wasAbandoned }) => wasAbandoned).length;
  return `${name} ×${group.length}${abandoned === 0 ? "" : ` (abandoned ${abandoned})`}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
