import { RequestError, methods, type AgentContext, type ContentBlock, type PromptResponse, type SessionConfigOption, type SessionModeState, type SessionUpdate } from "@agentclientprotocol/sdk";
import { parseAccess } from "../conversation/describe-settings.js";
import type { Conversation, ConversationHost, ConversationSettings } from "../conversation/types.js";
import type { BackendLine } from "../slash-commands/config.js";
import { ERROR_CODES } from "./error-codes.js";
import { parseConfigChange, toConfigOptions, toModes } from "./config-options.js";
import { answerPrompt } from "./answer-prompt.js";
import { fitUpdate } from "./fit-update.js";
import { replayTurns } from "./replay-turns.js";
import { toAvailableCommands } from "./to-available-commands.js";
import { untilAborted } from "./until-aborted.js";

/** What a session may know of the connection it belongs to. */
export interface SessionSurroundings {
  readonly host: ConversationHost;
  readonly client: AgentContext;
  /** The client said that it shows notices. */
  readonly showsNotices: boolean;
}

/** What an answer that opens a session says of its options. */
export interface SessionOptions {
  readonly configOptions: SessionConfigOption[];
  readonly modes?: SessionModeState;
}

/** A conversation that a client has opened. */
export class AcpSession {
  readonly conversation: Conversation;
  readonly #surroundings: SessionSurroundings;
  readonly #closed = new AbortController();
  #turn: { readonly controller: AbortController; readonly done: Promise<unknown> } | null = null;
  /** The settings that the client knows. */
  #told: ConversationSettings | null = null;
  /** The commands that the client knows, as JSON. */
  #toldCommands = "";
  #looking: Promise<void> = Promise.resolve();

  constructor(conversation: Conversation, surroundings: SessionSurroundings) {
    this.conversation = conversation;
    this.#surroundings = surroundings;
  }

  // --- prompts ---

  /**
   * Answers a prompt. Its cancelling is an answer too, given when all that the turn had started is ended.
   * @param signal its abort cancels
   * @throws RequestError for a second prompt at once, a prompt that cannot be sent, and a turn that failed
   */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    this.assertIdle();
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const { showsNotices } = this.#surroundings;
    const answering = answerPrompt({ conversation: this.conversation, blocks, signal: controller.signal, showsNotices, send: (update) => untilAborted(this.#send(update), controller.signal) });
    this.#turn = { controller, done: answering.catch(() => undefined) };
    try {
      return await answering;
    } finally {
      signal.removeEventListener("abort", abort);
      await untilAborted(this.#tellSettings(), controller.signal);
      this.#turn = null;
      this.lookForCommands();
    }
  }

  /** @throws RequestError while a prompt is being answered */
  assertIdle(): void {
    if (this.#turn === null) return;
    throw new RequestError(ERROR_CODES.invalidRequest, "a prompt of this session is still being answered: wait for its end, or cancel it", { sessionId: this.conversation.id });
  }

  /** Ends all that the session has going on. Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#turn?.controller.abort();
    await this.#turn?.done;
    await this.#looking;
  }

  // --- what can be chosen ---

  /** What the client is told when it opens the session. */
  async describeOptions(): Promise<SessionOptions> {
    const settings = this.conversation.settings();
    const [capabilities, backends] = await Promise.all([this.conversation.capabilities(), this.#listBackends()]);
    const modes = toModes({ settings, capabilities });
    this.#told = settings;
    return { configOptions: toConfigOptions({ settings, capabilities, backends }), ...(modes === null ? {} : { modes }) };
  }

  /** @throws RequestError, JlgcliError for what cannot be chosen; then nothing has changed */
  async changeOption(configId: string, value: string | boolean): Promise<SessionConfigOption[]> {
    await this.conversation.change(parseConfigChange(configId, value));
    const { configOptions, modes } = await this.describeOptions();
    if (configId !== "model") await this.#tellMode(modes);
    return configOptions;
  }

  /** @throws RequestError, JlgcliError for a level that is none, or that the backend cannot enforce */
  async changeMode(modeId: string): Promise<void> {
    await this.conversation.change({ access: parseAccess(modeId) });
    await this.#tellSettings();
  }

  /** Empty where they cannot be listed (a configuration that has broken meanwhile): what is in force is told all the same. */
  #listBackends(): Promise<readonly BackendLine[]> {
    return this.#surroundings.host.backends(this.conversation.cwd).catch(() => []);
  }

  /** What a slash command or a mode has changed; nothing where the client knows all of it. */
  async #tellSettings(): Promise<void> {
    if (this.#told === null || isSame(this.#told, this.conversation.settings())) return;
    const { configOptions, modes } = await this.describeOptions();
    await this.#send({ sessionUpdate: "config_option_update", configOptions });
    await this.#tellMode(modes);
  }

  async #tellMode(modes: SessionModeState | undefined): Promise<void> {
    if (modes !== undefined) await this.#send({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
  }

  // --- what the client is told by and by ---

  async replay(): Promise<void> {
    for (const update of replayTurns(this.conversation.turns())) await this.#send(update);
  }

  /**
   * Looks which commands there are, and tells the client where they are others than it knows. Later than what is being
   * answered now: an answer that opens a session must come first.
   */
  lookForCommands(): void {
    const { signal } = this.#closed;
    this.#looking = this.#looking.then(() => new Promise(setImmediate)).then(() => (signal.aborted ? undefined : this.#tellCommands(signal))).catch(() => undefined);
  }

  async #tellCommands(signal: AbortSignal): Promise<void> {
    const availableCommands = toAvailableCommands(await this.conversation.commands("acp", signal));
    const told = JSON.stringify(availableCommands);
    if (signal.aborted || told === this.#toldCommands) return;
    this.#toldCommands = told;
    await untilAborted(this.#send({ sessionUpdate: "available_commands_update", availableCommands }), signal);
  }

  async #send(update: SessionUpdate): Promise<void> {
    const { client } = this.#surroundings;
    await Promise.all(fitUpdate(update).map((each) => client.notify(methods.client.session.update, { sessionId: this.conversation.id, update: each })));
  }
}

function isSame(a: ConversationSettings, b: ConversationSettings): boolean {
  return a.backend === b.backend && a.model === b.model && a.access === b.access;
}
