import { findCapabilities, type BackendCapabilities } from "../adapters/capabilities.js";
import { toUnknownBackend } from "../adapters/registry.js";
import { JlgcliError, describeError } from "../errors.js";
import type { RunEvent, RunResult } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import { followSignal } from "../follow-signal.js";
import { pickDefined } from "../runner/resolve-run.js";
import type { RunOptions } from "../runner/types.js";
import { sumCost, sumUsage } from "../runner/sum-usage.js";
import type { CommandServices } from "../slash-commands/config.js";
import { forBackend } from "../slash-commands/for-backend.js";
import { getAvailableCommands } from "../slash-commands/get-available-commands.js";
import { handleSlashCommand } from "../slash-commands/handle-slash-command.js";
import { planTurn, toCarriedPrompt, toCarriedText, type TurnPlan } from "./carry-turns.js";
import { describeAccess, describeBackend, parseAccess } from "./describe-settings.js";
import { appendTurn, type StoredConversation } from "./store.js";
import type { ConversationSurroundings } from "./surroundings.js";
import { createToolTally } from "./tool-tally.js";
import type { Conversation, ConversationSettings, ConversationUsage, StoredTurn, TurnRequest } from "./types.js";

/** What a conversation is when it is opened: a new one, or one that was kept. */
export type OpenedConversation = Pick<StoredConversation, "id" | "turns"> & { readonly title: string | null; readonly settings: ConversationSettings };

export function createConversation(surroundings: ConversationSurroundings, opened: OpenedConversation): Conversation {
  return new OpenConversation(surroundings, opened);
}

class OpenConversation implements Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly #surroundings: ConversationSurroundings;
  readonly #turns: StoredTurn[];
  #title: string | null;
  #settings: ConversationSettings;
  #isRunning = false;
  /** Resolves when all changes are in force that were asked for. */
  #changed: Promise<void> = Promise.resolve();
  /** What is said of MCP servers holds for many turns, and is told once. */
  readonly #withheld = new Set<string>();

  constructor(surroundings: ConversationSurroundings, { id, title, turns, settings }: OpenedConversation) {
    this.id = id;
    this.cwd = surroundings.cwd;
    this.#surroundings = surroundings;
    this.#turns = [...turns];
    this.#title = title;
    this.#settings = settings;
  }

  title(): string | null {
    return this.#title;
  }

  settings(): ConversationSettings {
    return this.#settings;
  }

  turns(): readonly StoredTurn[] {
    return this.#turns;
  }

  usage(): ConversationUsage {
    const asked = this.#turns.filter(({ status }) => !NEVER_ASKED.has(status));
    return { turns: this.#turns.length, usage: sumUsage(asked.map(({ usage }) => usage)), cost: sumCost(asked.map(({ cost }) => cost)) };
  }

  capabilities(): Promise<BackendCapabilities> {
    return this.#capabilitiesOf(this.#settings.backend);
  }

  /** One after the other: each begins with what the one before it has left. */
  change(changes: Partial<ConversationSettings>): Promise<void> {
    const changed = this.#changed.then(() => this.#change(changes));
    this.#changed = changed.catch(() => undefined);
    return changed;
  }

  async #change(changes: Partial<ConversationSettings>): Promise<void> {
    const { backend = this.#settings.backend, model, access = this.#settings.access } = changes;
    const capabilities = await this.#capabilitiesOf(backend);
    if (access !== null && !capabilities.accessLevels.includes(access)) throw refuseAccess(capabilities, access);
    if (typeof model === "string" && !capabilities.takesModel) throw refuse(capabilities, "a model cannot be chosen", "leave it out, or choose another backend");
    if (model?.startsWith("-") === true) throw refuse(capabilities, `the model ${model} would be read as an option`, "give a name that does not begin with '-'");
    const kept = backend === this.#settings.backend && model === undefined ? this.#settings.model : null;
    this.#settings = { backend, access, model: model ?? kept ?? this.#surroundings.configuredModel(backend) };
  }

  async send(request: TurnRequest): Promise<RunResult> {
    if (this.#isRunning) throw new JlgcliError("USAGE_INVALID", "a turn of this conversation is still running", { hint: "wait for its end, or cancel it" });
    this.#isRunning = true;
    try {
      await this.#changed;
      return await this.#runTurn(request);
    } finally {
      this.#isRunning = false;
    }
  }

  async expand(...[text, mode, signal]: Parameters<Conversation["expand"]>): ReturnType<Conversation["expand"]> {
    const { config, settings } = this.#surroundings.toSlash(this.#services());
    const answer = await handleSlashCommand(text, followSignal(signal), config, settings, mode);
    return answer.type === "submit_prompt" ? forBackend(answer, this.#settings.backend, this.#surroundings.places) : answer;
  }

  commands(...[mode, signal]: Parameters<Conversation["commands"]>): ReturnType<Conversation["commands"]> {
    const { config, settings } = this.#surroundings.toSlash(this.#services());
    return getAvailableCommands(config, signal ?? new AbortController().signal, mode, settings);
  }

  /** @throws JlgcliError `BACKEND_UNKNOWN` */
  async #capabilitiesOf(backend: string): Promise<BackendCapabilities> {
    const { places } = this.#surroundings;
    const found = await findCapabilities(backend, places);
    if (found === null) throw toUnknownBackend(backend, places);
    return found;
  }

  // --- a turn ---

  async #runTurn(request: TurnRequest): Promise<RunResult> {
    const startedAt = new Date().toISOString();
    const settings = { ...this.#settings, ...pickDefined({ model: request.model }) };
    const tools = createToolTally();
    const onEvent = async (event: RunEvent): Promise<void> => {
      tools.note(event);
      if (event.type === "warning" && event.code === "mcp-servers-withheld" && this.#wasTold(event.message)) return;
      // A caller's throw never changes the turn.
      await Promise.resolve(event).then(request.onEvent).catch(() => undefined);
    };
    const asked = await this.#ask(request, settings, onEvent);
    const turn: Omit<StoredTurn, "prompt" | "asked"> = {
      answer: asked.status === "success" ? asked.text : (asked.partialText ?? ""),
      status: asked.status,
      problem: asked.status === "success" ? null : asked.text,
      tools: tools.list(),
      settings,
      sessionId: asked.sessionId,
      usage: asked.usage,
      cost: asked.cost,
      startedAt,
      durationMs: asked.durationMs,
    };
    const result = await this.#keep(request, turn, asked, onEvent);
    await onEvent({ type: "result", ...result });
    return result;
  }

  #wasTold(message: string): boolean {
    const wasTold = this.#withheld.has(message);
    this.#withheld.add(message);
    return wasTold;
  }

  /** A session that its backend has lost is replaced by what we know of the conversation. */
  async #ask(request: TurnRequest, settings: ConversationSettings, onEvent: (event: RunEvent) => Promise<void>): Promise<RunResult> {
    const resumes = (await findCapabilities(settings.backend, this.#surroundings.places).catch(() => null))?.resumes === true;
    const plan = planTurn(this.#turns, settings.backend, resumes);
    const result = await this.#askOnce(request, settings, plan, onEvent);
    if (plan.resume === null || result.reason !== "session-not-found") return result;
    await onEvent({ type: "warning", code: "backend-notice", message: `${settings.backend} has lost its session: the earlier turns are told to it again` });
    return this.#askOnce(request, settings, planTurn(this.#turns, settings.backend, false), onEvent);
  }

  #askOnce(request: TurnRequest, settings: ConversationSettings, { resume, carried }: TurnPlan, onEvent: (event: RunEvent) => Promise<void>): Promise<RunResult> {
    const options: RunOptions = {
      prompt: toCarriedPrompt(carried, request.prompt ?? request.text),
      backend: settings.backend,
      cwd: this.cwd,
      // The result is told when the turn is kept.
      onEvent: (event) => (event.type === "result" ? undefined : onEvent(event)),
      ...pickDefined({
        model: settings.model ?? undefined,
        access: settings.access ?? undefined,
        resume: resume ?? undefined,
        attachments: request.attachments,
        disallowedTools: request.disallowedTools,
        mcpServers: this.#surroundings.mcpServers,
        signal: request.signal,
      }),
    };
    return this.#surroundings.runTurn(options, request.text);
  }

  /** A turn that cannot be written is part of the conversation as long as the program runs. */
  async #keep({ text, prompt = text }: TurnRequest, turn: Omit<StoredTurn, "prompt" | "asked">, result: RunResult, onEvent: (event: RunEvent) => Promise<void>): Promise<RunResult> {
    const { folder, redactText, toTitle } = this.#surroundings;
    const kept: StoredTurn = { ...turn, prompt: text, ...(prompt === text ? {} : { asked: prompt }) };
    this.#turns.push(kept);
    try {
      this.#title ??= await toTitle(text);
      appendTurn(folder, { id: this.id, cwd: this.cwd, title: this.#title }, await redactTurn(kept, redactText));
      return result;
    } catch (error) {
      const message = `this turn is not kept, so it cannot be gone on with later: ${describeError(error)}`;
      await onEvent({ type: "warning", code: "backend-notice", message });
      return { ...result, warnings: [...result.warnings, message] };
    }
  }

  // --- what built-in commands ask and change ---

  #services(): CommandServices {
    return {
      backends: async () => (await this.#surroundings.backends()).map((line) => ({ ...line, isSelected: line.id === this.#settings.backend })),
      model: {
        show: () => Promise.resolve({ backend: this.#settings.backend, model: this.#settings.model, source: "this conversation" }),
        set: async (model) => {
          await this.change({ model });
          const { backend, model: now } = this.#settings;
          return now === null ? `${backend} chooses the model again.` : `The model of ${backend} is ${now} from now on.`;
        },
      },
      backend: {
        show: async () => describeBackend(await this.capabilities(), this.#settings),
        set: async (id) => {
          await this.change({ backend: id });
          return `From now on: ${describeBackend(await this.capabilities(), this.#settings)}`;
        },
      },
      access: {
        show: async () => describeAccess(await this.capabilities(), this.#settings),
        set: async (level) => {
          await this.change({ access: parseAccess(level) });
          return `From now on: ${describeAccess(await this.capabilities(), this.#settings)}`;
        },
      },
      usage: () => {
        const { turns, usage } = this.usage();
        return Promise.resolve({ period: "this conversation", runs: turns, usage });
      },
    };
  }
}

/** All that a person or a backend has written; an id stays what it is. */
async function redactTurn(turn: StoredTurn, redact: (text: string) => Promise<string>): Promise<StoredTurn> {
  const { prompt, asked, answer, problem, tools } = turn;
  return {
    ...turn,
    prompt: await redact(prompt),
    // not cut before: half a secret would not be known as one
    ...(asked === undefined ? {} : { asked: toCarriedText(await redact(asked)) }),
    answer: await redact(answer),
    problem: problem === null ? null : await redact(problem),
    tools: await Promise.all(tools.map(async (tool) => ({ ...tool, title: await redact(tool.title) }))),
  };
}

/** The ends of turns that have used nothing, since their backend was not started or let nobody in. */
const NEVER_ASKED: ReadonlySet<RunStatus> = new Set(["backend-missing", "backend-unauthenticated", "backend-unknown", "backend-unsupported", "usage", "no-input", "config"]);

function refuseAccess(capabilities: BackendCapabilities, access: string): JlgcliError {
  const { accessLevels } = capabilities;
  const hint = accessLevels.length === 0 ? "it has no way to enforce an access level" : `it can enforce ${accessLevels.join(", ")}: change the level first`;
  return refuse(capabilities, `the access level ${access} cannot be enforced`, hint);
}

function refuse({ displayName }: BackendCapabilities, what: string, hint: string): JlgcliError {
  return new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `${displayName}: ${what}`, { hint });
}
