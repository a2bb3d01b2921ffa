/** True for the id of a real backend that comes with jlgcli. A simulated one would let an untrusted folder give the answer itself. */
export async function isKnownBackend(id: string): Promise<boolean> {
  const { BUILT_IN_RECORDS } = await import("../adapters/records/index.js");
  return BUILT_IN_RECORDS.some((record) => record.id === id && record.kind !== "simulated");
}
