import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { BackendCapabilities } from "../adapters/capabilities.js";
import { accessOf, parseAccess } from "../conversation/describe-settings.js";
import type { ConversationSettings } from "../conversation/types.js";
import { ACCESS_WORDS } from "../events/access-words.js";
import type { AccessLevel } from "../events/schema.js";
import type { BackendLine } from "../slash-commands/config.js";
import { invalidParams } from "./to-request-error.js";

/** What the options of a session are told from. */
export interface OptionSources {
  readonly settings: ConversationSettings;
  readonly capabilities: BackendCapabilities;
  readonly backends: readonly BackendLine[];
}

/** The value that stands for no model: the backend chooses. */
export const DEFAULT_MODEL = "default";

/** The backend, its model and its access level, as far as there is something to choose. */
export function toConfigOptions(sources: OptionSources): SessionConfigOption[] {
  return [toBackendOption(sources), ...toModelOption(sources), ...toAccessOption(sources)];
}

/** The access levels once more, for clients that know modes alone; null where the backend has none. */
export function toModes({ settings, capabilities }: Omit<OptionSources, "backends">): SessionModeState | null {
  const currentModeId = accessOf(capabilities, settings);
  if (currentModeId === null) return null;
  return { currentModeId, availableModes: capabilities.accessLevels.map((id) => ({ id, ...toAccessWords(id) })) };
}

/** @throws RequestError -32602 for an option that is not there, and JlgcliError for a value that cannot be one. */
export function parseConfigChange(configId: string, value: string | boolean): Partial<ConversationSettings> {
  const parse = CHANGES.get(configId);
  if (parse === undefined) throw invalidParams(`there is no option ${JSON.stringify(configId)}; there are ${[...CHANGES.keys()].join(", ")}`, { configId });
  if (typeof value !== "string" || value === "") throw invalidParams(`the option ${configId} takes the name of a value, got ${JSON.stringify(value)}`, { configId, value });
  return parse(value);
}

/** A map: the names come from outside, and an object would know `constructor` too. */
const CHANGES: ReadonlyMap<string, (value: string) => Partial<ConversationSettings>> = new Map<string, (value: string) => Partial<ConversationSettings>>([
  ["backend", (backend) => ({ backend })],
  ["model", (model) => ({ model: model === DEFAULT_MODEL ? null : model })],
  ["access", (access) => ({ access: parseAccess(access) })],
]);

function toBackendOption({ settings, capabilities, backends }: OptionSources): SessionConfigOption {
  const usable = backends.filter(({ id, status, simulated }) => id === settings.backend || (USABLE.has(status) && simulated !== true));
  const isListed = usable.some(({ id }) => id === settings.backend);
  const own: readonly SessionConfigSelectOption[] = isListed ? [] : [{ value: settings.backend, name: capabilities.displayName }];
  return {
    type: "select",
    id: "backend",
    name: "Backend",
    description: "The command line that answers",
    category: "_backend",
    currentValue: settings.backend,
    options: [...own, ...usable.map(toBackendValue)],
  };
}

/** What is not installed, or asks no model, is not offered; who is not signed in is told how when it is. */
const USABLE: ReadonlySet<string> = new Set(["available", "unauthenticated"]);

function toBackendValue({ id, displayName, status, nextStep }: BackendLine): SessionConfigSelectOption {
  return { value: id, name: displayName, ...(status === "available" ? {} : { description: nextStep === undefined ? status : `${status}: ${nextStep}` }) };
}

function toModelOption({ settings, capabilities }: OptionSources): readonly SessionConfigOption[] {
  if (!capabilities.takesModel) return [];
  const names = new Set([...capabilities.modelNames, ...(settings.model === null ? [] : [settings.model])]);
  names.delete(DEFAULT_MODEL);
  const options = [{ value: DEFAULT_MODEL, name: "Default", description: `${capabilities.displayName} chooses` }, ...[...names].map((name) => ({ value: name, name }))];
  return [{ type: "select", id: "model", name: "Model", category: "model", currentValue: settings.model ?? DEFAULT_MODEL, options }];
}

function toAccessOption({ settings, capabilities }: OptionSources): readonly SessionConfigOption[] {
  const currentValue = accessOf(capabilities, settings);
  if (currentValue === null) return [];
  const options = capabilities.accessLevels.map((value) => ({ value, ...toAccessWords(value) }));
  return [{ type: "select", id: "access", name: "Access", description: "What the backend's tools may do", category: "mode", currentValue, options }];
}

function toAccessWords(level: AccessLevel): { readonly name: string; readonly description: string } {
  const { name, meaning } = ACCESS_WORDS[level];
  return { name, description: `Tools may ${meaning}` };
}
