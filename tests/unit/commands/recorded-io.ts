import type { CommandIo } from "../../../src/command-io.js";

export interface RecordedIo {
  readonly io: CommandIo;
  /** What was written so far; reading it empties the record. */
  readonly takeStdout: () => string;
  readonly takeStderr: () => string;
}

/** The surroundings of a command, with its output kept for the test to read. */
export function recordIo({ cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): RecordedIo {
  const written = { stdout: "", stderr: "" };
  const take = (stream: keyof typeof written): string => {
    const text = written[stream];
    written[stream] = "";
    return text;
  };
  return {
    io: {
      env,
      cwd,
      stdout: (text) => void (written.stdout += text),
      stderr: (text) => void (written.stderr += text),
      stdoutIsTty: false,
      stderrIsTty: false,
    },
    takeStdout: () => take("stdout"),
    takeStderr: () => take("stderr"),
  };
}
