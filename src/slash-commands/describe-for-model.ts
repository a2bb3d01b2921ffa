import type { SlashCommand } from "./types.js";

/** What one command may say of itself to a model; the listing is paid for in every prompt. */
const ENTRY_LIMIT_CHARS = 1536;

/** The model-invocable commands as text for a system prompt: name, description and when to use it. */
export function describeForModel(commands: readonly SlashCommand[]): string {
  if (commands.length === 0) return "";
  return ["Commands that can be called by name, as `/name arguments`:", ...commands.map(describeEntry)].join("\n");
}

function describeEntry({ name, argumentHint, description, whenToUse }: SlashCommand): string {
  const call = argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
  const text = `- ${call}: ${description}${whenToUse === undefined ? "" : ` ${whenToUse}`}`;
  return text.length > ENTRY_LIMIT_CHARS ? `${text.slice(0, ENTRY_LIMIT_CHARS - 1)}…` : text;
}
