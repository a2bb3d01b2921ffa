import { JlgcliError } from "../errors.js";
import { listBackendIds } from "./backend-ids.js";
import type { BackendRecord } from "./record.js";
import { adapterFromRecord } from "./from-record.js";
import { BUILT_IN_RECORDS } from "./records/index.js";
import { createReplayAdapter } from "./replay-adapter.js";
import { REPLAY_ID } from "./replay-id.js";
import type { Adapter, AdapterId } from "./types.js";
import { createUserAdapter, type UserBackendPlaces } from "./user-backends.js";

/** Where backends of the user's own are looked for, beside the built-in ones. */
export type RegistryOptions = UserBackendPlaces;

/**
 * The adapter of a backend.
 * @throws JlgcliError `BACKEND_UNKNOWN` for an id that no record has.
 */
export function getAdapterById(id: AdapterId, options: RegistryOptions = {}): Adapter {
  const adapter = tryGetAdapterById(id, options);
  if (adapter !== null) return adapter;
  throw toUnknownBackend(id, options);
}

/** The error about an id that no record has. */
export function toUnknownBackend(id: AdapterId, options: RegistryOptions): JlgcliError {
  return new JlgcliError("BACKEND_UNKNOWN", `no backend has the id '${id}'`, { hint: `known backends: ${listBackendIds(options).join(", ")}` });
}

/** The adapter of a backend; null for an unknown id. A user's record is read when the adapter is first used. */
export function tryGetAdapterById(id: AdapterId, options: RegistryOptions = {}): Adapter | null {
  const record = findBuiltInRecord(id);
  if (record !== undefined) return adapterFromRecord(record);
  if (id === REPLAY_ID) return createReplayAdapter(options);
  return createUserAdapter(id, options);
}

/** The record of a built-in backend. */
export function findBuiltInRecord(id: AdapterId): BackendRecord | undefined {
  return BUILT_IN_RECORDS.find((record) => record.id === id);
}
