import type { CommandIo } from "../command-io.js";
import type { ExitMap } from "../exit-map.js";

/** Where the actions of the commands get their surroundings, and leave their exit code. */
export interface ProgramSession {
  readonly io: CommandIo;
  exitCode: number;
  /** The numbers that the caller wants in the place of ours. */
  exitMap?: ExitMap;
}
