/** The id of the simulated backend that plays a recording. */
export const REPLAY_ID = "replay";
