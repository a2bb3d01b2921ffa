import type { Conversation, ConversationHost, ConversationSettings, ConversationSummary, StoredTurn, TurnRequest } from "../../../src/conversation/types.js";
import { JlgcliError } from "../../../src/errors.js";
import { exitCodeOf, type RunStatus } from "../../../src/exit-codes.js";
import type { RunEvent, RunResult } from "../../../src/events/schema.js";
import type { SlashCommand, SlashCommandAnswer } from "../../../src/slash-commands/types.js";

/** A conversation without a backend: a test says what a turn does. */
export interface FakeConversation extends Conversation {
  readonly sent: TurnRequest[];
}

export interface FakeConversationOptions {
  readonly id?: string;
  readonly turns?: readonly StoredTurn[];
  /** What a turn tells before its result, and how it ends. */
  readonly turn?: (request: TurnRequest, tell: (event: RunEvent) => Promise<void>) => Promise<Partial<RunResult> | void> | Partial<RunResult> | void;
  readonly expand?: (text: string, signal: AbortSignal | undefined) => SlashCommandAnswer | Promise<SlashCommandAnswer>;
  readonly commands?: () => Promise<readonly SlashCommand[]>;
}

export function toResult(fields: Partial<RunResult> = {}): RunResult {
  const status: RunStatus = fields.status ?? "success";
  return {
    schemaVersion: 1, runId: "run-1", exitCode: exitCodeOf(status), status, text: "done", backend: "claude", durationMs: 1200, reason: null, partialText: null, model: null,
    sessionId: "session-1", usage: null, cost: null, context: null, quota: null, deniedTools: null, backendExitCode: null, backendSignal: null, warnings: [], simulated: false, cwd: "/project", ...fields,
  };
}

export function toTurn(fields: Partial<StoredTurn> = {}): StoredTurn {
  return {
    prompt: "first", answer: "one", status: "success", problem: null, tools: [], settings: { backend: "claude", model: null, access: null }, sessionId: null, usage: null, cost: null,
    startedAt: "2026-11-30T10:00:00.000Z", durationMs: 1000, ...fields,
  };
}

export function createFakeConversation({ id = "conversation-1", turns = [], turn, expand, commands }: FakeConversationOptions = {}): FakeConversation {
  let settings: ConversationSettings = { backend: "claude", model: null, access: null };
  const kept = [...turns];
  const sent: TurnRequest[] = [];
  return {
    id,
    cwd: "/project",
    sent,
    title: () => kept[0]?.prompt ?? null,
    settings: () => settings,
    change: (changes) => {
      if (changes.backend === "nonsense") return Promise.reject(new JlgcliError("BACKEND_UNKNOWN", "there is no backend 'nonsense'", { hint: "did you mean claude?" }));
      settings = { ...settings, ...changes };
      return Promise.resolve();
    },
    capabilities: () =>
      Promise.resolve({
        id: settings.backend, displayName: "Claude Code", resumes: true, accessLevels: ["read-only", "workspace-write", "full"], defaultAccess: "read-only", takesModel: true, takesMcpServers: false, deniesTools: true,
        modelNames: ["opus", "sonnet"], attachments: [],
      }),
    turns: () => kept,
    usage: () => ({ turns: kept.length, usage: null, cost: null }),
    send: async (request) => {
      sent.push(request);
      const tell = async (event: RunEvent): Promise<void> => request.onEvent?.(event);
      const result = toResult((await turn?.(request, tell)) ?? {});
      kept.push(toTurn({ prompt: request.text, answer: result.status === "success" ? result.text : "", status: result.status }));
      await tell({ type: "result", ...result });
      return result;
    },
    expand: (text, _mode, signal) => Promise.resolve(expand?.(text, signal) ?? { type: "no_command" as const }),
    commands: commands ?? (() => Promise.resolve([])),
  };
}

export function createFakeHost(kept: readonly FakeConversation[] = []): ConversationHost & { readonly created: Parameters<ConversationHost["create"]>[0][] } {
  const created: Parameters<ConversationHost["create"]>[0][] = [];
  return {
    created,
    create: (request) => {
      created.push(request);
      return Promise.resolve(createFakeConversation({ id: `new-${String(created.length)}` }));
    },
    load: (id) => {
      const found = kept.find((each) => each.id === id);
      return found === undefined ? Promise.reject(new JlgcliError("INPUT_NOT_FOUND", `no conversation has the id '${id}'`)) : Promise.resolve(found);
    },
    list: () => kept.map((each): ConversationSummary => ({ id: each.id, cwd: each.cwd, title: each.title() ?? "", usedAt: "2026-11-30T10:00:00.000Z" })),
    forget: () => false,
    backends: () =>
      Promise.resolve([
        { id: "claude", displayName: "Claude Code", status: "available", isSelected: true },
        { id: "codex", displayName: "Codex", status: "missing", nextStep: "npm i -g @openai/codex", isSelected: false },
      ]),
  };
}
