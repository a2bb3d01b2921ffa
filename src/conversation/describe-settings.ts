import type { BackendCapabilities } from "../adapters/capabilities.js";
import { JlgcliError } from "../errors.js";
import { ACCESS_WORDS } from "../events/access-words.js";
import { ACCESS_LEVELS, type AccessLevel } from "../events/schema.js";
import type { ConversationSettings } from "./types.js";

/** `Codex with the model gpt-5; its tools may only look.` */
export function describeBackend(capabilities: BackendCapabilities, settings: ConversationSettings): string {
  const model = settings.model === null ? "the model that it chooses" : `the model ${settings.model}`;
  const access = accessOf(capabilities, settings);
  return `${capabilities.displayName}${capabilities.takesModel ? ` with ${model}` : ""}${access === null ? "" : `; its tools may ${ACCESS_WORDS[access].meaning}`}.`;
}

/** `read-only: its tools may only look. Codex can also enforce workspace-write, full.` */
export function describeAccess(capabilities: BackendCapabilities, settings: ConversationSettings): string {
  const access = accessOf(capabilities, settings);
  if (access === null) return `${capabilities.displayName} has no access levels.`;
  const others = capabilities.accessLevels.filter((level) => level !== access);
  return `${access}: its tools may ${ACCESS_WORDS[access].meaning}.${others.length === 0 ? "" : ` ${capabilities.displayName} can also enforce ${others.join(", ")}.`}`;
}

/** The level that holds for the next turn; null where the backend has none. */
export function accessOf(capabilities: BackendCapabilities, settings: ConversationSettings): AccessLevel | null {
  return settings.access ?? capabilities.defaultAccess;
}

/** @throws JlgcliError `USAGE_INVALID` */
export function parseAccess(text: string): AccessLevel {
  const level = ACCESS_LEVELS.find((each) => each === text);
  if (level !== undefined) return level;
  throw new JlgcliError("USAGE_INVALID", `${JSON.stringify(text)} is no access level`, { hint: `one of ${ACCESS_LEVELS.join(", ")}` });
}
