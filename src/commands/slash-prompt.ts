import type { AdapterRunOnceResult } from "../adapters/types.js";
import type { Config } from "../config/schema.js";
import { DEFAULT_BACKEND } from "../config/schema.js";
import { followSignal } from "../follow-signal.js";
import { pickDefined, toEnd } from "../runner/resolve-run.js";
import { forBackend } from "../slash-commands/for-backend.js";
import { handleSlashCommand } from "../slash-commands/handle-slash-command.js";
import type { CommandMessage, SlashCommandAnswer } from "../slash-commands/types.js";
import type { CommandIo } from "../command-io.js";
import { createSlashServices } from "./slash-services.js";
import { toSlashSurroundings } from "./slash-surroundings.js";

export interface SlashPromptRequest {
  /** What was typed. */
  readonly text: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  /** The backend that the command line names. */
  readonly backend?: string;
  readonly allowShell?: boolean;
  readonly dryRun?: boolean;
}

/** What a typed text has become: a prompt for the backend, or an answer without one. */
export type SlashPrompt =
  | { readonly kind: "prompt"; readonly prompt: string; readonly model: string | null; readonly disallowedTools: readonly string[] | null; readonly notices: readonly string[] }
  | { readonly kind: "ended"; readonly end: AdapterRunOnceResult };

/** Expands a slash command in the mode of one-shot runs. A command that is not there never reaches a model as text. */
export async function expandSlashPrompt(request: SlashPromptRequest, io: CommandIo): Promise<SlashPrompt> {
  const backend = request.backend ?? request.config.backend ?? DEFAULT_BACKEND;
  const services = createSlashServices(request, backend, io);
  const { config, settings } = toSlashSurroundings({ ...request, services });
  const answer = await handleSlashCommand(request.text, followSignal(io.signal), config, settings, "non_interactive");
  return toSlashPrompt(answer, { ...request, backend });
}

async function toSlashPrompt(answer: SlashCommandAnswer, { text, backend, env, config }: SlashPromptRequest & { readonly backend: string }): Promise<SlashPrompt> {
  switch (answer.type) {
    case "no_command":
      return { kind: "prompt", prompt: text, model: null, disallowedTools: null, notices: [] };
    case "submit_prompt":
      return toPrompt(await forBackend(answer, backend, { env, ...pickDefined({ records: config.backends }) }));
    case "message":
      return toMessageEnd([answer]);
    case "stream_messages":
      return toMessageEnd(await collect(answer.messages));
    case "unknown":
      return { kind: "ended", end: toEnd("usage", answer.message, answer.hint) };
    case "unsupported":
    case "disabled":
      return { kind: "ended", end: toEnd("usage", answer.message, "--literal sends the text as it is") };
    case "error":
      return { kind: "ended", end: toEnd(answer.status, answer.message, answer.hint) };
    case "dialog":
    case "clear":
    case "quit":
      // Never in this mode: such a command is unsupported here.
      return { kind: "ended", end: toEnd("usage", `/${answer.command.name} needs the interactive mode`) };
    default:
      return answer satisfies never;
  }
}

function toPrompt({ prompt, model, disallowedTools, notices }: Extract<SlashCommandAnswer, { type: "submit_prompt" }>): SlashPrompt {
  return { kind: "prompt", prompt, model, disallowedTools, notices };
}

function toMessageEnd(messages: readonly CommandMessage[]): SlashPrompt {
  const failed = messages.some((message) => message.messageType === "error");
  return { kind: "ended", end: toEnd(failed ? "error" : "success", messages.map((message) => message.content).join("\n")) };
}

async function collect(messages: AsyncIterable<CommandMessage>): Promise<readonly CommandMessage[]> {
  const collected: CommandMessage[] = [];
  for await (const message of messages) collected.push(message);
  return collected;
}
