import { BUILT_IN_RECORDS } from "./records/index.js";
import { REPLAY_ID } from "./replay-id.js";
import type { AdapterId } from "./types.js";
import { listUserBackends, type UserBackendPlaces } from "./user-backends.js";

/** The ids that jlgcli knows by itself. A user's record cannot take one of them. */
export const BUILT_IN_IDS: readonly AdapterId[] = [...BUILT_IN_RECORDS.map((record) => record.id), REPLAY_ID];

/** Every id that can be asked for: built-in, simulated, the user's own. */
export function listBackendIds(places: UserBackendPlaces = {}): readonly AdapterId[] {
  return [...BUILT_IN_IDS, ...listOwnIds(places).filter((id) => !BUILT_IN_IDS.includes(id))];
}

/** A folder that cannot be read holds nothing to suggest; `jlgcli backends` tells about it. */
function listOwnIds(places: UserBackendPlaces): readonly AdapterId[] {
  try {
    return listUserBackends(places);
  } catch {
    return [];
  }
}
