import type { SpawnedChild, SpawnOutcome } from "../adapters/traits.js";
import { describeError } from "../errors.js";
import { CommandFailure } from "./command-failure.js";
import { DEFAULT_SETTINGS, type SlashCommandConfig, type SlashCommandSettings } from "./config.js";
import type { Binding } from "./dialects/dialect.js";
import type { ShellNode } from "./parse-template.js";
import { toPosixScript, toWindowsScript, type ShellScript } from "./shell-script.js";

export interface ShellBlockRequest {
  readonly node: ShellNode;
  readonly binding: Binding;
  readonly config: SlashCommandConfig;
  readonly settings: SlashCommandSettings;
  readonly signal: AbortSignal;
  /** The command, for messages. */
  readonly label: string;
}

/**
 * What a shell block prints on stdout, without new lines at its end. Whether it may run was decided before.
 * A block that fails, is late, or prints too much throws a `CommandFailure`: half a prompt is none.
 */
export async function runShellBlock(request: ShellBlockRequest): Promise<string> {
  const { config, label, node, binding } = request;
  const isWindows = (config.platform ?? process.platform) === "win32";
  const { script, env } = isWindows ? toWindowsScript(node.script, binding, label) : toPosixScript(node.script, binding);
  const [command, args] = isWindows ? ["cmd", ["/d", "/s", "/c", `"${script}"`]] : ["sh", ["-c", script]];
  const { output, outcome, ended } = await runBounded(command, args, { script, env }, request);
  if (ended !== null) throw fail(request, ended);
  const reason = describeBadEnd(outcome);
  if (reason !== null) throw fail(request, reason);
  return withoutLastLines(output);
}

/** A loop, since a regular expression for this takes forever on a megabyte of new lines. */
function withoutLastLines(output: string): string {
  let end = output.length;
  while (end > 0 && "\r\n".includes(output.charAt(end - 1))) end -= 1;
  return output.slice(0, end);
}

interface BoundedRun {
  readonly output: string;
  readonly outcome: SpawnOutcome;
  /** Why it was ended by us; null when it ended by itself. */
  readonly ended: string | null;
}

async function runBounded(command: string, args: readonly string[], { env }: ShellScript, request: ShellBlockRequest): Promise<BoundedRun> {
  const { config, settings, signal } = request;
  const timeoutMs = settings.shellTimeoutMs ?? DEFAULT_SETTINGS.shellTimeoutMs;
  const limitBytes = settings.shellOutputLimitBytes ?? DEFAULT_SETTINGS.shellOutputLimitBytes;
  const spawner = await config.loadSpawner?.();
  if (spawner === undefined) throw fail(request, "cannot run: this caller starts no programs");
  if (signal.aborted) throw fail(request, "was interrupted");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let ended: string | null = null;
  const end = (reason: string): void => {
    ended ??= reason;
    child.killTree();
  };
  const onStdout = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > limitBytes) end(`printed more than ${String(limitBytes)} bytes`);
    else chunks.push(chunk);
  };
  const child = startChild(() => spawner.spawn(command, args, { cwd: config.cwd, env: { ...config.env, ...env }, onStdout }), request);
  child.endStdin();
  const timer = setTimeout(() => end(`did not end within ${String(timeoutMs / 1000)} s`), timeoutMs);
  const onAbort = (): void => end("was interrupted");
  signal.addEventListener("abort", onAbort, { once: true });
  const outcome = await child.done;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  await child.endTree?.();
  const output = Buffer.concat(chunks).toString("utf8") + (outcome.stdout ?? "");
  return { output, outcome, ended };
}

function startChild(start: () => SpawnedChild, request: ShellBlockRequest): SpawnedChild {
  try {
    return start();
  } catch (error) {
    throw fail(request, `could not start: ${describeError(error)}`);
  }
}

function describeBadEnd(outcome: SpawnOutcome): string | null {
  const said = outcome.stderr.trim().slice(-500);
  const detail = said === "" ? "" : `: ${said}`;
  if (outcome.spawnErrorMessage !== undefined) return `could not start: ${outcome.spawnErrorMessage}`;
  if (outcome.exitCode === null) return `was ended by ${outcome.signal ?? "a signal"}${detail}`;
  return outcome.exitCode === 0 ? null : `ended with exit code ${String(outcome.exitCode)}${detail}`;
}

function fail({ label, node }: ShellBlockRequest, reason: string): CommandFailure {
  return new CommandFailure("invalid-data", `${label}: the shell block ${node.raw.replace(/\s+/gu, " ").slice(0, 80)} ${reason}`);
}
