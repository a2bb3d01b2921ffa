import type { SlashCommandAnswer } from "./types.js";

type ExpandedPrompt = Extract<SlashCommandAnswer, { type: "submit_prompt" }>;

/**
 * An expanded command as one backend can use it. A model is named in the words of the tool that the command was written
 * for: another backend would not know it. What is left out is told in a notice.
 */
export function forBackend(answer: ExpandedPrompt, backend: string): ExpandedPrompt {
  const { model, allowedTools, disallowedTools, command } = answer;
  const isForBackend = command.dialect === backend || command.dialect === "jlgcli";
  return {
    ...answer,
    model: isForBackend ? model : null,
    notices: [
      ...answer.notices,
      ...(model === null || isForBackend ? [] : [`/${command.name} asks for the model ${model} of ${command.dialect ?? "another tool"}: not used on ${backend}`]),
      ...(allowedTools === null && disallowedTools === null ? [] : [`/${command.name} asks for tools of its own: what tools may do is decided by --access alone`]),
    ],
  };
}
