import { inject } from "vitest";
import type { BackendId } from "./backends.js";
import { type IsolatedEnv, type IsolatedEnvOptions, createIsolatedEnv } from "./isolated-env.js";
import { type JlgcliRun, type JlgcliRunOptions, runJlgcli } from "./run-jlgcli.js";
import { endLeftOverProcesses, waitForNoLeftOvers } from "./left-over-processes.js";
import { type ModelServer, startModelServer } from "./model-server.js";
import { noteRequests } from "./request-tally.js";

/** One backend with a model server and a home of its own, on which `jlgcli run` is watched. */
export interface BackendStage<Id extends string = BackendId> {
  readonly backend: Id;
  readonly server: ModelServer;
  readonly place: IsolatedEnv;
  /** Runs `jlgcli run --backend BACKEND ARGS`. */
  readonly run: (args: readonly string[], options?: JlgcliRunOptions) => Promise<JlgcliRun>;
}

export interface StageOptions extends Omit<IsolatedEnvOptions, "serverUrl"> {
  /** False where nothing may reach the model; `either` where that is a matter of time. Else a test in which nothing does has tested nothing, and fails. */
  readonly callsAreDue?: boolean | "either";
}

/**
 * Sets a stage up, plays on it and takes it down. Fails where a process of the run lives on, or where a call of the
 * model was due and none came, or the other way round. Stages share nothing, so several can stand at once.
 */
export function onStage<T>(backend: BackendId, options: StageOptions, play: (stage: BackendStage) => Promise<T>): Promise<T> {
  const { callsAreDue = true, ...envOptions } = options;
  return playIn((serverUrl) => createIsolatedEnv(backend, { ...envOptions, serverUrl }), { backend, callsAreDue }, play);
}

export interface StagePlan<Id extends string> {
  readonly backend: Id;
  readonly callsAreDue: boolean | "either";
}

/** The same in a place that the caller makes. */
export async function playIn<Id extends string, T>(
  makePlace: (serverUrl: string) => Promise<IsolatedEnv>,
  { backend, callsAreDue }: StagePlan<Id>,
  play: (stage: BackendStage<Id>) => Promise<T>,
): Promise<T> {
  const server = await startModelServer();
  const place = await makePlace(server.url);
  try {
    const played = await play({ backend, server, place, run: (args, runOptions) => runJlgcli({ backend, server, place }, args, runOptions) });
    await refuseLeftOvers(place);
    if (callsAreDue !== "either" && server.calls.length > 0 !== callsAreDue) throw new Error(`calls of the model were ${callsAreDue ? "due" : "not allowed"}; seen: ${server.describeRequests() || "none"}`);
    return played;
  } finally {
    await endLeftOverProcesses({ home: place.home });
    noteRequests(inject("tallyFile"), backend, server.requests);
    await server.close();
    await place.cleanUp();
  }
}

async function refuseLeftOvers(place: IsolatedEnv): Promise<void> {
  const left = await waitForNoLeftOvers({ home: place.home }, 1_000);
  if (left.length > 0) throw new Error(`still running: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`);
}
