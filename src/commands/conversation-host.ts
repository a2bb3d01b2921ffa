import { parseDurationFlag } from "../config/duration.js";
import { findHome } from "../environment.js";
import { loadConfigWithSources } from "../config/loader.js";
import { DEFAULT_BACKEND, type Config } from "../config/schema.js";
import { toTrustingEnv } from "../config/trust.js";
import { createConversation } from "../conversation/conversation.js";
import { conversationsFolderOf, forgetConversation, listConversations, loadConversation } from "../conversation/store.js";
import type { ConversationSurroundings } from "../conversation/surroundings.js";
import type { McpServerConfig } from "../adapters/types.js";
import type { Conversation, ConversationHost, ConversationSettings } from "../conversation/types.js";
import { toRealPath } from "../config/real-path.js";
import { JlgcliError } from "../errors.js";
import { ACCESS_LEVELS, type AccessLevel } from "../events/schema.js";
import { createRunId } from "../run-id.js";
import { resolveBackendChain } from "../runner/backend-chain.js";
import { pickDefined } from "../runner/resolve-run.js";
import { redactOwnWords, toUnstartedResult } from "../runner/run.js";
import { runPrompt } from "../runner/run-prompt.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { toSessionTitle } from "../sinks/session-title.js";
import type { CommandIo } from "../command-io.js";
import { openRunSinks } from "./run-sinks.js";
import { listBackendLines } from "./slash-services.js";
import { toSlashSurroundings } from "./slash-surroundings.js";
import { noteSessionOf } from "./used-sessions.js";

/** The flags that all conversations of a program share, as commander gives them. */
export interface ConversationFlags {
  readonly backend?: string;
  readonly model?: string;
  readonly access?: AccessLevel;
  /** For each turn. */
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly trust?: boolean;
  readonly allowShell?: boolean;
}

/**
 * Where the conversations of the interactive mode and of an editor come from. Warnings of the configuration go to
 * stderr, each once.
 * @param flagsFor `all`: the flags also win over what a kept conversation last asked for. `new`: it goes on as it was, with
 * no more access than the flags grant.
 */
export function createConversationHost(flags: ConversationFlags, io: CommandIo, flagsFor: "all" | "new"): ConversationHost {
  const folder = conversationsFolderOf(findHome(io.env));
  const open = createOpener(flags, io);
  return {
    create: async ({ cwd, settings, mcpServers }) => {
      const surroundings = await open(cwd, mcpServers);
      const conversation = createConversation(surroundings, { id: createRunId(), title: null, turns: [], settings: surroundings.settings });
      await conversation.change(settings ?? {});
      return conversation;
    },
    load: async (id, { mcpServers } = {}) => {
      const stored = loadConversation(folder, id);
      const surroundings = await open(stored.cwd, mcpServers);
      const conversation = createConversation(surroundings, { ...stored, settings: surroundings.settings });
      const kept = stored.turns.at(-1)?.settings;
      if (kept !== undefined) await goOnWith(conversation, kept, flagsFor === "all" ? flags : pickDefined({ access: findLowered(kept.access, flags.access) }), io);
      return conversation;
    },
    list: (cwd) => {
      const all = listConversations(folder);
      const place = cwd === undefined ? null : toRealPath(cwd);
      return place === null ? all : all.filter((summary) => toRealPath(summary.cwd) === place);
    },
    forget: (id) => forgetConversation(folder, id),
    backends: async (cwd) => (await open(cwd)).backends(),
  };
}

/** With what its last turn asked for, but for what is named now. */
async function goOnWith(conversation: Conversation, kept: ConversationSettings, { backend, model, access }: ConversationFlags, io: CommandIo): Promise<void> {
  if (backend !== undefined) return;
  try {
    await conversation.change({ ...kept, ...pickDefined({ model, access }) });
  } catch (error) {
    if (!(error instanceof JlgcliError)) throw error;
    io.stderr(`jlgcli: the conversation goes on with ${conversation.settings().backend}: ${error.message}\n`);
  }
}

/** The granted level where the kept one is above it. */
function findLowered(kept: AccessLevel | null, granted: AccessLevel | undefined): AccessLevel | undefined {
  if (kept === null || granted === undefined) return undefined;
  return ACCESS_LEVELS.indexOf(granted) < ACCESS_LEVELS.indexOf(kept) ? granted : undefined;
}

type Opener = (cwd: string, mcpServers?: readonly McpServerConfig[]) => Promise<ConversationSurroundings>;

function createOpener(flags: ConversationFlags, io: CommandIo): Opener {
  const told = new Set<string>();
  const env = toTrustingEnv(io.env, flags.trust);
  const limits = pickDefined({ timeoutMs: parseDurationFlag("--timeout", flags.timeout), idleTimeoutMs: parseDurationFlag("--idle-timeout", flags.idleTimeout) });
  return async (cwd, mcpServers = []) => {
    const { config, warnings } = await loadConfigWithSources({ cwd, env });
    for (const { message } of warnings.filter((warning) => !told.has(warning.message))) {
      told.add(message);
      io.stderr(`jlgcli: ${message}\n`);
    }
    return toSurroundings({ cwd, mcpServers, env, config, limits, backend: await findBackend(flags, config, cwd, env) }, flags, io);
  };
}

interface Place {
  readonly cwd: string;
  readonly mcpServers: readonly McpServerConfig[];
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly limits: Pick<RunOptions, "timeoutMs" | "idleTimeoutMs">;
  readonly backend: string;
}

/** A conversation has one backend at a time; `auto` is the first that is available. */
async function findBackend({ backend: asked }: ConversationFlags, config: Config, cwd: string, env: Place["env"]): Promise<string> {
  const chain = await resolveBackendChain({ asked, config, cwd, env });
  if (chain.kind === "ended") {
    const code = chain.end.status === "backend-unauthenticated" ? "BACKEND_UNAUTHENTICATED" : "BACKEND_MISSING";
    throw new JlgcliError(code, chain.end.text, pickDefined({ hint: chain.end.details }));
  }
  if (asked !== undefined && chain.fallback.length > 0) {
    throw new JlgcliError("USAGE_INVALID", `--backend: a conversation has one backend at a time, got ${JSON.stringify(asked)}`, { hint: "name one; it can be changed later" });
  }
  return chain.backend ?? config.backend ?? DEFAULT_BACKEND;
}

function toSurroundings({ cwd, mcpServers, env, config, limits, backend }: Place, flags: ConversationFlags, io: CommandIo): ConversationSurroundings {
  const redactor = createLazyRedactor({ ...toSecrets(mcpServers), ...env, ...config.env });
  const redactText = (text: string): Promise<string> => redactor.redactText(text);
  const configuredModel = (id: string): string | null => (id === (config.backend ?? DEFAULT_BACKEND) ? (config.model ?? null) : null);
  return {
    cwd,
    mcpServers,
    folder: conversationsFolderOf(findHome(env)),
    places: { env, ...pickDefined({ records: config.backends }) },
    settings: { backend, model: flags.model ?? configuredModel(backend), access: flags.access ?? config.access ?? null },
    configuredModel,
    runTurn: (options, text) => runTurn({ env, ...limits, ...options }, text, config, io),
    toSlash: (services) => toSlashSurroundings({ cwd, env, config, services, ...pickDefined({ allowShell: flags.allowShell }) }),
    backends: () => listBackendLines({ cwd, env, config }, backend),
    redactText,
    toTitle: (prompt) => toSessionTitle(prompt, { ...env, ...config.env }, redactText),
  };
}

/** What the caller's MCP servers are told may come back in an answer. */
function toSecrets(servers: readonly McpServerConfig[]): Readonly<Record<string, string>> {
  const entries = servers.flatMap((server) => (server.type === "stdio" ? Object.entries(server.env) : Object.entries(server.headers).map(toVariable)));
  // Two servers may each have a token of the same name.
  return Object.fromEntries(entries.map(([name, value], index) => [`${index}_${name}`, value]));
}

/** A header by the name that a variable of its kind would have. */
function toVariable([name, value]: readonly [string, string]): readonly [string, string] {
  return /^(?:proxy-)?authorization$/i.test(name) ? ["TOKEN", value.replace(/^[a-z]+ +/i, "")] : [name.replaceAll("-", "_"), value];
}

/** A turn is a run: it has a budget, and is noted in the ledger and among the sessions. @param text what was typed. */
async function runTurn(options: RunOptions, text: string, config: Config, io: CommandIo): Promise<RunResult> {
  try {
    const sinks = await openRunSinks(options, {}, config, io);
    const result = sinks.refused ?? (await sinks.finish(await runPrompt(sinks.options)));
    await sinks.note(result);
    if (!result.simulated) await noteSessionOf(result, { ...options, prompt: text }, io);
    return result;
  } catch (error) {
    return redactOwnWords(toUnstartedResult(error, options), options.env ?? io.env);
  }
}
