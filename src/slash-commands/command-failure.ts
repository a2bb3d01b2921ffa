import type { RunStatus } from "../exit-codes.js";

/** A command that cannot give what it was called for. The message names the command, the hint is the next step. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    /** Decides the exit code. */
    readonly status: RunStatus,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}
