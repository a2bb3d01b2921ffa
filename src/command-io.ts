/** All that a command may know of its surroundings. A command never touches the process's own streams. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves when the reader of stdout has taken what was written; absent: nothing to wait for. */
  readonly drained?: () => Promise<void>;
  /**
   * Makes stdout the caller's alone, for a protocol: what anything else writes there goes to stderr from now on, and a
   * reader that goes away is no failure but the end. Gives what still writes there. Absent: nothing else can.
   */
  readonly takeStdout?: () => (text: string) => void;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  /** Standard input, for a command that was asked to read it; never touched otherwise. */
  readonly stdin?: () => PromptInput;
  /** The streams themselves, for the interactive mode alone. */
  readonly terminal?: () => TerminalStreams;
  /** Aborted, with the signal's name as its reason, when the person or the system ends us. */
  readonly signal?: AbortSignal;
}

export interface PromptInput {
  readonly isTty: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Reads no further: an input that has not ended keeps the process alive otherwise. */
  readonly close?: () => void;
}

/** The process's own streams. Whoever takes them is the only one to write while it has them. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /**
   * What a Ctrl-C of a terminal that is not in raw mode does. While the handler gives true it is dealt with; else it
   * ends the program. Gives the function that takes the handler away.
   */
  readonly onInterrupt: (handler: () => boolean) => () => void;
}
