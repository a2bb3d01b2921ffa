import { BUILT_IN_RECORDS } from "../adapters/records/index.js";

/** True for the id of a real backend that comes with jlgcli. A simulated one would let an untrusted folder give the answer itself. */
export function isKnownBackend(id: string): boolean {
  return BUILT_IN_RECORDS.some((record) => record.id === id && record.kind !== "simulated");
}
