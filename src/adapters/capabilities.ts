import { ACCESS_LEVELS, type AccessLevel } from "../events/schema.js";
import { DEFAULT_ACCESS } from "./invocation.js";
import { findBuiltInRecord } from "./registry.js";
import { REPLAY_ID } from "./replay-id.js";
import type { BackendRecord } from "./record.js";
import { findUserRecord, type UserBackendPlaces } from "./user-backends.js";

/** What a caller with a choice to offer may know of a backend: which options of a run it honours, told from its record. */
export interface BackendCapabilities {
  readonly id: string;
  readonly displayName: string;
  /** An earlier session of its own can be gone on with. */
  readonly resumes: boolean;
  /** The levels that it can enforce, lowest first; empty where it has none. */
  readonly accessLevels: readonly AccessLevel[];
  /** The level of a run that names none; null where it has none. */
  readonly defaultAccess: AccessLevel | null;
  readonly takesModel: boolean;
  /** Names for models that its record knows; it may take others too. */
  readonly modelNames: readonly string[];
  /** The ends of the names of files that it takes with a prompt (`.png`); `any`, or none. */
  readonly attachments: readonly string[] | "any";
  /** MCP servers that a caller names can be handed to it, at full access. */
  readonly takesMcpServers: boolean;
  /** Single tools can be forbidden for a run, in its own words. */
  readonly deniesTools: boolean;
}

/**
 * What a backend can do; null for an id that no record has.
 * @throws JlgcliError `BACKEND_RECORD_INVALID` for a record of the user's own that is not sound.
 */
export async function findCapabilities(id: string, places: UserBackendPlaces = {}): Promise<BackendCapabilities | null> {
  if (id === REPLAY_ID) return REPLAY_CAPABILITIES;
  const record = findBuiltInRecord(id) ?? (await findUserRecord(id, places));
  return record === null ? null : toCapabilities(record);
}

const REPLAY_CAPABILITIES: BackendCapabilities = {
  id: REPLAY_ID,
  displayName: "Replay",
  resumes: false,
  accessLevels: [],
  defaultAccess: null,
  takesModel: false,
  modelNames: [],
  attachments: [],
  takesMcpServers: false,
  deniesTools: false,
};

function toCapabilities({ id, displayName, options = {} }: BackendRecord): BackendCapabilities {
  const { model, access, attach } = options;
  return {
    id,
    displayName,
    resumes: options.resume !== undefined,
    accessLevels: ACCESS_LEVELS.filter((level) => access?.[level] !== undefined),
    defaultAccess: access === undefined ? null : DEFAULT_ACCESS,
    takesModel: model !== undefined,
    modelNames: model?.values ?? Object.keys(model?.aliases ?? {}),
    attachments: attach === undefined ? [] : (attach.extensions ?? "any"),
    takesMcpServers: options.mcpServers !== undefined,
    deniesTools: options.disallowTools !== undefined,
  };
}
