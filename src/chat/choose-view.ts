export interface ViewFacts {
  readonly stdinIsTty: boolean;
  readonly stdoutIsTty: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** `--plain` */
  readonly plain: boolean;
  /** `--screen-reader` */
  readonly screenReader: boolean;
}

/** `screen` draws and draws again; `lines` is for all that cannot have that. */
export function chooseView({ stdinIsTty, stdoutIsTty, env, plain, screenReader }: ViewFacts): "screen" | "lines" {
  return stdinIsTty && stdoutIsTty && !plain && !screenReader && !isDumbTerminal(env) ? "screen" : "lines";
}

/** Windows has no `TERM`, and terminals that can do all that is needed. An empty name is none. */
export function isDumbTerminal(env: Readonly<Record<string, string>>, platform: NodeJS.Platform = process.platform): boolean {
  return (env["TERM"] || (platform === "win32" ? "windows" : "dumb")) === "dumb";
}
