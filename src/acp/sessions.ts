import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { RequestError, type AgentContext, type SessionInfo } from "@agentclientprotocol/sdk";
import { toRealPath } from "../config/real-path.js";
import type { Conversation, ConversationHost, NewConversation } from "../conversation/types.js";
import { JlgcliError } from "../errors.js";
import { ERROR_CODES } from "./error-codes.js";
import { AcpSession, type SessionSurroundings } from "./session.js";
import { toNewConversation, type SessionRequest } from "./to-new-conversation.js";
import { invalidParams } from "./to-request-error.js";

/** The sessions that a client has open. */
export class AcpSessions {
  readonly #host: ConversationHost;
  readonly #open = new Map<string, AcpSession>();
  /** The ids of what is being loaded. */
  readonly #loading = new Set<string>();
  #hasEnded = false;

  constructor(host: ConversationHost) {
    this.#host = host;
  }

  /** @throws RequestError -32602 for a directory that cannot be one, JlgcliError where the configuration is not sound */
  async create(request: SessionRequest, client: AgentContext, showsNotices: boolean): Promise<AcpSession> {
    assertPlace(request);
    const conversation = await this.#host.create(toNewConversation(request));
    return this.#add(conversation, { host: this.#host, client, showsNotices });
  }

  /** Opens a kept conversation, or one that is open already. @throws RequestError -32002 where there is none, -32600 for one that is at work or being loaded */
  async load(id: string, request: SessionRequest, client: AgentContext, showsNotices: boolean): Promise<AcpSession> {
    assertPlace(request);
    // Two sessions of one conversation would know nothing of each other, and the end would reach one of them.
    if (this.#loading.has(id)) throw new RequestError(ERROR_CODES.invalidRequest, "the session is being loaded already", { sessionId: id });
    this.#loading.add(id);
    try {
      return await this.#loadAlone(id, request, { host: this.#host, client, showsNotices });
    } finally {
      this.#loading.delete(id);
    }
  }

  async #loadAlone(id: string, request: SessionRequest, surroundings: SessionSurroundings): Promise<AcpSession> {
    const open = this.#open.get(id);
    open?.assertIdle();
    const conversation = open?.conversation ?? (await this.#loadConversation(id, toNewConversation(request)));
    if (toRealPath(conversation.cwd) !== toRealPath(request.cwd)) {
      throw invalidParams(`the session belongs to ${conversation.cwd}, not to ${request.cwd}`, { sessionId: id, cwd: conversation.cwd });
    }
    // A prompt must not begin in a session that is left.
    open?.assertIdle();
    this.#open.delete(id);
    await open?.close();
    return this.#add(conversation, surroundings);
  }

  /** @throws RequestError -32002 */
  get(id: string): AcpSession {
    const session = this.#open.get(id);
    if (session === undefined) throw notFound(id, `there is no open session ${JSON.stringify(id)}`);
    return session;
  }

  /** @throws RequestError -32602 for a relative directory */
  list(cwd: string | null | undefined): SessionInfo[] {
    if (typeof cwd === "string" && !isAbsolute(cwd)) throw invalidParams(`cwd has to be an absolute path, got ${JSON.stringify(cwd)}`, { cwd });
    return this.#host.list(cwd ?? undefined).map(({ id, cwd: place, title, usedAt }) => ({ sessionId: id, cwd: place, title, updatedAt: usedAt }));
  }

  /** Ends what the session has going on; it stays kept. @throws RequestError -32002 */
  async close(id: string): Promise<void> {
    const session = this.get(id);
    this.#open.delete(id);
    await session.close();
  }

  /** @throws RequestError -32002 where it is neither kept nor open */
  async remove(id: string): Promise<void> {
    const wasOpen = this.#open.has(id);
    if (wasOpen) await this.close(id);
    if (!this.#host.forget(id) && !wasOpen) throw notFound(id, `there is no session ${JSON.stringify(id)}`);
  }

  /** Ends everything. Resolves when nothing of any session runs any more. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    const sessions = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(sessions.map((session) => session.close()));
  }

  async #loadConversation(id: string, { mcpServers = [] }: NewConversation): Promise<Conversation> {
    try {
      return await this.#host.load(id, { mcpServers });
    } catch (error) {
      if (error instanceof JlgcliError && error.code === "INPUT_NOT_FOUND") throw notFound(id, error.message);
      throw error;
    }
  }

  /** The client may have left while the session was being opened. */
  #add(conversation: Conversation, surroundings: SessionSurroundings): AcpSession {
    if (this.#hasEnded) throw new RequestError(ERROR_CODES.internal, "the agent is about to end");
    const session = new AcpSession(conversation, surroundings);
    this.#open.set(conversation.id, session);
    return session;
  }
}

function notFound(sessionId: string, message: string): RequestError {
  return new RequestError(ERROR_CODES.notFound, message, { sessionId });
}

function assertPlace({ cwd, additionalDirectories = [] }: SessionRequest): void {
  if (!isAbsolute(cwd)) throw invalidParams(`cwd has to be an absolute path, got ${JSON.stringify(cwd)}`, { cwd });
  if (!isDirectory(cwd)) throw invalidParams(`cwd is no directory: ${cwd}`, { cwd });
  if (additionalDirectories.length > 0) throw invalidParams("additionalDirectories cannot be handed on to a backend: leave them out", { additionalDirectories });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
