import type { BackendCapabilities } from "../../../src/adapters/capabilities.js";
import type { McpServerConfig } from "../../../src/adapters/types.js";
import type { Conversation, ConversationHost, ConversationSettings, StoredTurn, TurnRequest } from "../../../src/conversation/types.js";
import { JlgcliError } from "../../../src/errors.js";
import type { RunResult } from "../../../src/events/schema.js";
import { SUCCESS_EXIT_CODE } from "../../../src/exit-codes.js";
import type { SlashCommand, SlashCommandAnswer } from "../../../src/slash-commands/types.js";

/** What a test says of the conversations of a host. */
export interface FakeOptions {
  /** What a turn does. Absent: it answers at once. */
  readonly runTurn?: (request: TurnRequest) => Promise<RunResult>;
  /** What a slash command is. Absent: unknown. */
  readonly expand?: (text: string, conversation: Conversation) => SlashCommandAnswer | Promise<SlashCommandAnswer>;
  readonly commands?: () => readonly SlashCommand[] | Promise<readonly SlashCommand[]>;
  readonly capabilities?: Partial<BackendCapabilities>;
}

export interface FakeHost extends ConversationHost {
  /** Every turn that was asked for, in order. */
  readonly asked: TurnRequest[];
  /** The MCP servers of each conversation that was opened, in order. */
  readonly servers: (readonly McpServerConfig[])[];
}

export const FAKE_CAPABILITIES: BackendCapabilities = {
  id: "fake",
  displayName: "Fake",
  resumes: true,
  accessLevels: ["read-only", "full"],
  defaultAccess: "read-only",
  takesModel: true,
  modelNames: ["small", "large"],
  attachments: [".png"],
  takesMcpServers: true,
  deniesTools: true,
};

/** Conversations in memory that keep the contract of real ones. */
export function createFakeHost(options: FakeOptions = {}): FakeHost {
  const kept = new Map<string, Conversation>();
  const asked: TurnRequest[] = [];
  const servers: (readonly McpServerConfig[])[] = [];
  let count = 0;
  return {
    asked,
    servers,
    create: async ({ cwd, mcpServers = [] }) => {
      servers.push(mcpServers);
      count += 1;
      const conversation = createConversation(`conversation-${count}`, cwd, options, asked);
      kept.set(conversation.id, conversation);
      return conversation;
    },
    load: async (id, { mcpServers = [] } = {}) => {
      servers.push(mcpServers);
      const conversation = kept.get(id);
      if (conversation === undefined || conversation.turns().length === 0) throw new JlgcliError("INPUT_NOT_FOUND", `there is no conversation ${id}`);
      return conversation;
    },
    list: (cwd) => [...kept.values()].filter((each) => cwd === undefined || each.cwd === cwd).map((each) => ({ id: each.id, cwd: each.cwd, title: each.title() ?? "", usedAt: "2026-01-01T00:00:00.000Z" })),
    forget: (id) => kept.delete(id),
    backends: async () => [
      { id: "fake", displayName: "Fake", status: "available", isSelected: true },
      { id: "other", displayName: "Other", status: "unauthenticated", nextStep: "run other login", isSelected: false },
      { id: "absent", displayName: "Absent", status: "missing", isSelected: false },
      { id: "player", displayName: "Player", status: "available", isSelected: false, simulated: true },
    ],
  };
}

/** A result as a run makes it. */
export function toResult(fields: Partial<RunResult> = {}): RunResult {
  return {
    schemaVersion: 1,
    runId: "run-1",
    exitCode: SUCCESS_EXIT_CODE,
    status: "success",
    text: "the answer",
    backend: "fake",
    durationMs: 5,
    reason: null,
    partialText: null,
    model: null,
    sessionId: null,
    usage: null,
    cost: null,
    context: null,
    quota: null,
    deniedTools: null,
    backendExitCode: 0,
    backendSignal: null,
    warnings: [],
    simulated: false,
    cwd: "/",
    ...fields,
  };
}

function createConversation(id: string, cwd: string, { runTurn = async () => toResult(), expand, commands, capabilities }: FakeOptions, asked: TurnRequest[]): Conversation {
  const turns: StoredTurn[] = [];
  let settings: ConversationSettings = { backend: "fake", model: null, access: null };
  const conversation: Conversation = {
    id,
    cwd,
    title: () => turns[0]?.prompt ?? null,
    settings: () => settings,
    change: async (changes) => {
      if (changes.access === "workspace-write") throw new JlgcliError("BACKEND_OPTION_UNSUPPORTED", "Fake: the access level workspace-write cannot be enforced", { hint: "it can enforce read-only, full" });
      if (changes.backend === "nothing") throw new JlgcliError("BACKEND_UNKNOWN", "no backend has the id 'nothing'");
      settings = { ...settings, ...changes };
    },
    capabilities: async () => ({ ...FAKE_CAPABILITIES, ...capabilities }),
    turns: () => turns,
    usage: () => ({ turns: turns.length, usage: null, cost: null }),
    send: async (request) => {
      asked.push(request);
      const result = await runTurn(request);
      turns.push(toStored(request, result, settings));
      return result;
    },
    expand: async (text) => (await expand?.(text, conversation)) ?? { type: "unknown", name: "x", suggestions: [], message: "unknown", hint: "" },
    commands: async () => (await commands?.()) ?? [],
  };
  return conversation;
}

function toStored({ text }: TurnRequest, result: RunResult, settings: ConversationSettings): StoredTurn {
  const { status, sessionId, usage, cost, durationMs } = result;
  const succeeded = status === "success";
  const answer = succeeded ? result.text : (result.partialText ?? "");
  return { prompt: text, answer, status, problem: succeeded ? null : result.text, tools: [], settings, sessionId, usage, cost, startedAt: "2026-01-01T00:00:00.000Z", durationMs };
}
