import { type BackendStage, playIn } from "../backend-stage.js";
import type { MoreBackendId } from "./backends.js";
import { type MoreEnvOptions, createMoreEnv } from "./more-env.js";

export type MoreStage = BackendStage<MoreBackendId>;

export interface MoreStageOptions extends Omit<MoreEnvOptions, "serverUrl"> {
  /** False where nothing may reach the model; else a test in which nothing does has tested nothing, and fails. */
  readonly callsAreDue?: boolean;
}

/** Like `onStage`, for the backends of this folder. */
export function onMoreStage<T>(backend: MoreBackendId, options: MoreStageOptions, play: (stage: MoreStage) => Promise<T>): Promise<T> {
  const { callsAreDue = true, ...envOptions } = options;
  return playIn((serverUrl) => createMoreEnv(backend, { ...envOptions, serverUrl }), { backend, callsAreDue }, play);
}
