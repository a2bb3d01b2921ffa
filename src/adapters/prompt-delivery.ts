import { exitCodeOf } from "../exit-codes.js";
import { toRefusalEnvelope } from "./envelope.js";
import { ENVELOPE_ERROR_CODES, type ExecutorTraits, type ResultEnvelope, type RunRequest } from "./traits.js";

/**
 * The longest prompt that goes as one argument, in bytes. Linux takes 131,071 for one string (MAX_ARG_STRLEN - 1);
 * Windows takes 32,767 characters for the whole command line, of which the flags need some.
 */
export const MAX_ARGUMENT_BYTES = { posix: 131_071, win32: 30_000 } as const;

/** The prompt, guarded where the backend would take it for a command of its own. */
export function guardPrompt(traits: ExecutorTraits, prompt: string): string {
  const guard = traits.promptGuard;
  return guard !== undefined && new RegExp(guard.when, "u").test(prompt) ? `${guard.prefix}${prompt}` : prompt;
}

/** Room for the names of a mention guard, in bytes: one argument with all of them must stay within the system's limits. */
const MENTIONS_LIMIT_BYTES = { posix: 100_000, win32: 10_000 } as const;

/** The arguments that keep the backend from putting in what the prompt only mentions. Names beyond the room are left out. */
export function toMentionArgs({ mentionGuard }: ExecutorTraits, prompt: string, platform: NodeJS.Platform = process.platform): readonly string[] {
  if (mentionGuard?.args === undefined) return [];
  const names = new Set([...prompt.matchAll(new RegExp(mentionGuard.when, "gu"))].map((match) => match[1] ?? match[0]));
  if (names.size === 0) return [];
  const entries = [...names].map((name) => (mentionGuard.each ?? "{json}").replaceAll("{json}", () => JSON.stringify(name)));
  let room: number = platform === "win32" ? MENTIONS_LIMIT_BYTES.win32 : MENTIONS_LIMIT_BYTES.posix;
  const kept = entries.filter((entry) => (room -= Buffer.byteLength(entry) + 1) > 0);
  return mentionGuard.args.map((arg) => arg.replaceAll("{mentions}", () => kept.join(",")));
}

/** The variables that do the same. */
export function toMentionEnv({ mentionGuard }: ExecutorTraits, prompt: string): Readonly<Record<string, string>> {
  return mentionGuard?.env !== undefined && new RegExp(mentionGuard.when, "u").test(prompt) ? mentionGuard.env : {};
}

/** The arguments of a run: the record's, the caller's, and the prompt where it is delivered as one. No shell sees them. */
export function toArgv(
  traits: ExecutorTraits,
  request: Pick<RunRequest, "prompt" | "extraArgs">,
  sideFileArgs: readonly string[] = [],
): readonly string[] {
  // Before the caller's, since those may end with a subcommand.
  const args = [...traits.args, ...sideFileArgs, ...toMentionArgs(traits, request.prompt), ...(request.extraArgs ?? [])];
  if (traits.promptDelivery === "stdin") return args;
  return traits.promptArgSeparator === undefined
    ? [...args, request.prompt]
    : [...args, traits.promptArgSeparator, request.prompt];
}

/** Refuses, before anything is spawned, a prompt that cannot be passed as an argument. */
export function refuseArgumentPrompt(
  traits: ExecutorTraits,
  command: string,
  prompt: string,
  platform: NodeJS.Platform = process.platform,
): ResultEnvelope | undefined {
  if (traits.promptDelivery !== "argument") return undefined;
  if (platform === "win32" && /\.(cmd|bat)$/i.test(command)) {
    const text = `${command} starts through cmd.exe, which would read the prompt as its own syntax; name the real program instead`;
    return toRefusalEnvelope({ status: "backend-unsupported", exitCode: exitCodeOf("backend-unsupported"), text }, ENVELOPE_ERROR_CODES.executorUnavailable);
  }
  const nulAt = prompt.indexOf("\0");
  if (nulAt !== -1) {
    const text = `the prompt has a NUL character at position ${nulAt}, which no argument can carry, and ${command} takes it only as an argument`;
    return toRefusalEnvelope({ status: "invalid-data", exitCode: exitCodeOf("invalid-data"), text }, ENVELOPE_ERROR_CODES.executorRunFailed);
  }
  const limit = platform === "win32" ? MAX_ARGUMENT_BYTES.win32 : MAX_ARGUMENT_BYTES.posix;
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= limit) return undefined;
  const text = `the prompt has ${bytes} bytes, more than the argument limit of ${limit} bytes for ${command}, which takes it only as an argument`;
  return toRefusalEnvelope({ status: "invalid-data", exitCode: exitCodeOf("invalid-data"), text }, ENVELOPE_ERROR_CODES.executorRunFailed);
}
