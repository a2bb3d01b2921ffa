import type { ContentBlock, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Conversation, TurnRequest } from "../conversation/types.js";
import type { RunResult } from "../events/schema.js";
import { EXIT_TABLE, type RunStatus } from "../exit-codes.js";
import { pickDefined } from "../runner/resolve-run.js";
import { isSlashCommand } from "../slash-commands/is-slash-command.js";
import type { CommandMessage } from "../slash-commands/types.js";
import { assertTakesImages, writeImageFiles } from "./image-files.js";
import { parsePrompt, type ParsedPrompt } from "./parse-prompt.js";
import { toSessionUpdate, type UpdateContext } from "./to-session-update.js";
import { toTurnEnd } from "./to-turn-end.js";
import { createTurnView } from "./turn-view.js";

/** One prompt and all that is needed to answer it. */
export interface PromptToAnswer {
  readonly conversation: Conversation;
  readonly blocks: readonly ContentBlock[];
  /** Its abort cancels: the answer is then `cancelled`. */
  readonly signal: AbortSignal;
  readonly showsNotices: boolean;
  /** Tells the client; never rejects, and waits no longer than the signal allows. */
  readonly send: (update: SessionUpdate) => Promise<void>;
}

/**
 * Answers a prompt: by a slash command from here, or by a turn of the conversation.
 * A command that cannot work here is answered by a message, not by an error: editors show an error as a failure of the
 * agent, and a message where the command was typed.
 * @throws RequestError for a prompt that cannot be sent, and for a turn that failed
 */
export async function answerPrompt(request: PromptToAnswer): Promise<PromptResponse> {
  const prompt = parsePrompt(request.blocks);
  const asked = await expandCommand(prompt, request);
  if (asked.type === "answered") return asked.response;
  if (request.signal.aborted) return CANCELLED;
  return runTurn(prompt, asked, request);
}

const CANCELLED: PromptResponse = { stopReason: "cancelled" };

/** What is left to do after slash commands were looked for. */
type Asked =
  | { readonly type: "answered"; readonly response: PromptResponse }
  | { readonly type: "turn"; readonly firstText?: string; readonly turn?: Pick<TurnRequest, "model" | "disallowedTools">; readonly notices: readonly string[] };

const PLAIN: Asked = { type: "turn", notices: [] };

async function expandCommand({ firstText }: ParsedPrompt, request: PromptToAnswer): Promise<Asked> {
  if (firstText === null || !isSlashCommand(firstText)) return PLAIN;
  const { conversation, signal } = request;
  const answer = await conversation.expand(firstText, "acp", signal);
  switch (answer.type) {
    case "no_command":
    case "unknown":
      return PLAIN;
    case "submit_prompt":
      return { type: "turn", firstText: answer.prompt, turn: pickDefined({ model: answer.model ?? undefined, disallowedTools: answer.disallowedTools ?? undefined }), notices: answer.notices };
    case "message":
      return showMessages([answer], request);
    case "stream_messages":
      return showMessages(answer.messages, request);
    case "unsupported":
    case "disabled":
      return showProblem(answer.message, "usage", request);
    case "error":
      return showProblem(answer.hint === undefined ? answer.message : `${answer.message} (${answer.hint})`, answer.status, request);
    case "dialog":
    case "clear":
    case "quit":
      // never in this mode
      return showProblem(`/${answer.command.name} needs the interactive mode`, "usage", request);
    default:
      return answer satisfies never;
  }
}

async function showMessages(messages: Iterable<CommandMessage> | AsyncIterable<CommandMessage>, { send, signal }: PromptToAnswer): Promise<Asked> {
  let isFirst = true;
  let failed = false;
  for await (const { content, messageType } of messages) {
    if (signal.aborted) return { type: "answered", response: CANCELLED };
    await send(toMessage(isFirst ? content : `\n\n${content}`));
    isFirst = false;
    failed ||= messageType === "error";
  }
  return { type: "answered", response: toCommandEnd(failed ? "error" : "success", signal) };
}

async function showProblem(message: string, status: RunStatus, { send, signal }: PromptToAnswer): Promise<Asked> {
  await send(toMessage(message));
  return { type: "answered", response: toCommandEnd(status, signal) };
}

/** A program that drives us reads from the status whether the command did what it should. */
function toCommandEnd(status: RunStatus, { aborted }: AbortSignal): PromptResponse {
  return aborted ? CANCELLED : { stopReason: "end_turn", _meta: { jlgcli: { status, exitCode: EXIT_TABLE[status].code } } };
}

function toMessage(text: string): SessionUpdate {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

// --- a turn ---

async function runTurn(prompt: ParsedPrompt, asked: Extract<Asked, { type: "turn" }>, request: PromptToAnswer): Promise<PromptResponse> {
  const { conversation, signal, send, showsNotices } = request;
  if (prompt.images.length > 0) assertTakesImages(prompt.images, await conversation.capabilities());
  const turns = conversation.turns();
  const context: UpdateContext = { turn: turns.length + 1, earlierCosts: turns.map(({ cost }) => cost), showsNotices };
  for (const message of asked.notices) await sendEvent({ type: "warning", code: "backend-notice", message }, context, send);
  const images = writeImageFiles(prompt.images);
  const view = createTurnView(context);
  try {
    const result = await conversation.send({
      text: prompt.toText(),
      prompt: prompt.toPrompt(asked.firstText),
      ...asked.turn,
      ...(images.paths.length === 0 ? {} : { attachments: images.paths }),
      signal,
      onEvent: (event) => (view.note(event) ? sendEvent(event, context, send) : undefined),
    });
    for (const update of view.finish(result)) await send(update);
    return await endTurn(result, request, context);
  } finally {
    images.remove();
  }
}

async function sendEvent(event: Parameters<typeof toSessionUpdate>[0], context: UpdateContext, send: PromptToAnswer["send"]): Promise<void> {
  const update = toSessionUpdate(event, context);
  if (update !== null) await send(update);
}

async function endTurn(result: RunResult, { conversation, signal, send }: PromptToAnswer, { turn }: UpdateContext): Promise<PromptResponse> {
  if (turn === 1) await send({ sessionUpdate: "session_info_update", title: conversation.title(), updatedAt: new Date().toISOString() });
  const end = toTurnEnd(result, signal.aborted);
  if (end.type === "error") throw end.error;
  return end.response;
}
