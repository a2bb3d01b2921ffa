import { JlgcliError } from "../errors.js";
import { adapterFromRecord } from "./from-record.js";
import { createLazyAdapter } from "./lazy-adapter.js";
import type { BackendRecord } from "./record.js";
import { BUILT_IN_RECORDS } from "./records/index.js";
import type { Adapter, AdapterRunOnceArgs } from "./types.js";
import { REPLAY_ID } from "./replay-id.js";
import { findUserRecord, type UserBackendPlaces } from "./user-backends.js";

/**
 * The simulated backend: the record of the backend that the recording names, with its command replaced by a player of
 * the recording. What it prints goes through the same spawner and the same reader.
 */
export function createReplayAdapter(places: UserBackendPlaces): Adapter {
  const lazy = createLazyAdapter(REPLAY_ID, true, (args) => loadReplayAdapter(args, places));
  return {
    ...lazy,
    // The player is part of the package, so it is always there; a named recording is checked when it is played.
    isAvailable: async () => ({ status: "available" }),
    describeRecording: async (args) => (await loadSource(args)).header.label,
  };
}

async function loadReplayAdapter(args: Pick<AdapterRunOnceArgs, "cassette">, places: UserBackendPlaces): Promise<Adapter> {
  const source = await loadSource(args);
  const record = BUILT_IN_RECORDS.find(({ id }) => id === source.header.backend) ?? (await findUserRecord(source.header.backend, places));
  if (record === null) {
    throw new JlgcliError("CASSETTE_INVALID", `the recording is of the backend '${source.header.backend}', which is not known here`);
  }
  return adapterFromRecord(toReplayRecord(record), { command: source.playerCommand, commandArgs: source.playerArgs, recordedId: record.id });
}

/** A recording honours no options, so that none is silently without effect. */
function toReplayRecord(record: BackendRecord): BackendRecord {
  return {
    id: REPLAY_ID,
    displayName: `a recording of ${record.displayName}`,
    kind: "simulated",
    traits: { ...record.traits, executorId: REPLAY_ID },
  };
}

async function loadSource(args: Pick<AdapterRunOnceArgs, "cassette">) {
  const { loadReplaySource } = await import("../replay/replay-record.js");
  return loadReplaySource({ cassettePath: args.cassette ?? null });
}
