import { findCapabilities } from "../adapters/capabilities.js";
import type { UserBackendPlaces } from "../adapters/user-backends.js";
import type { SlashCommandAnswer } from "./types.js";

type ExpandedPrompt = Extract<SlashCommandAnswer, { type: "submit_prompt" }>;

/**
 * An expanded command as one backend can use it. A model and tools are named in the words of the tool that the command was
 * written for: another backend would not know them. What is left out is told in a notice.
 * @param places where backends of the user's own are looked for.
 */
export async function forBackend(answer: ExpandedPrompt, backend: string, places: UserBackendPlaces): Promise<ExpandedPrompt> {
  const { model, allowedTools, disallowedTools, command } = answer;
  const writtenFor = command.dialect ?? "another tool";
  const isModelForBackend = command.dialect === backend || command.dialect === "jlgcli";
  const forbidden = disallowedTools ?? [];
  const isEnforced = forbidden.length > 0 && command.dialect === backend && (await deniesTools(backend, places));
  return {
    ...answer,
    model: isModelForBackend ? model : null,
    disallowedTools: isEnforced ? forbidden : null,
    notices: [
      ...answer.notices,
      ...(model === null || isModelForBackend ? [] : [`/${command.name} asks for the model ${model} of ${writtenFor}: not used on ${backend}`]),
      ...(allowedTools === null ? [] : [`/${command.name} asks for tools of its own: what tools may do is decided by --access alone`]),
      ...(forbidden.length === 0 || isEnforced ? [] : [`/${command.name} forbids the tools ${forbidden.join(", ")} of ${writtenFor}: not enforced on ${backend}`]),
    ],
  };
}

/** A backend that cannot be looked up ends the run with its own words. */
async function deniesTools(backend: string, places: UserBackendPlaces): Promise<boolean> {
  const capabilities = await findCapabilities(backend, places).catch(() => null);
  return capabilities?.deniesTools === true;
}
