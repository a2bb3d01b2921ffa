import { listBackendIds } from "../adapters/backend-ids.js";
import { tryGetAdapterById } from "../adapters/registry.js";
import type { Adapter, AdapterRunOnceArgs, AdapterRunOnceResult } from "../adapters/types.js";
import { parseDuration, type Duration } from "../config/duration.js";
import { loadConfig } from "../config/loader.js";
import { CONFIG_KEYS, DEFAULT_BACKEND, type Config } from "../config/schema.js";
import { exitCodeOf, type RunStatus } from "../exit-codes.js";
import type { RunOptions } from "./types.js";

/** A run that ended before its backend was asked, or that can be asked now. */
export type ResolvedRun =
  | { readonly kind: "ready"; readonly backend: string; readonly adapter: Adapter; readonly args: AdapterRunOnceArgs }
  | { readonly kind: "ended"; readonly backend: string; readonly end: AdapterRunOnceResult };

/**
 * Finds the backend of a run and its arguments: options win over the configuration, which wins over the defaults.
 * @throws JlgcliError `CONFIG_INVALID`
 */
export async function resolveRun(options: RunOptions): Promise<ResolvedRun> {
  const cwd = options.cwd ?? process.cwd();
  const config = await loadConfig({ cwd, ...(options.env === undefined ? {} : { env: options.env }) });
  const backend = options.backend ?? config.backend ?? DEFAULT_BACKEND;
  const problem = findPromptProblem(options.prompt);
  if (problem !== null) return { kind: "ended", backend, end: problem };
  const places = { ...pickDefined({ records: config.backends }), ...pickDefined({ env: options.env }) };
  const adapter = tryGetAdapterById(backend, places);
  if (adapter === null) return { kind: "ended", backend, end: await toUnknownBackendEnd(backend, places) };
  return { kind: "ready", backend, adapter, args: toAdapterArgs(backend, cwd, options, config) };
}

/** An end of one of our own making. */
export function toEnd(status: RunStatus, text: string, details?: string): AdapterRunOnceResult & { readonly status: RunStatus } {
  return { status, exitCode: exitCodeOf(status), text, ...pickDefined({ details }) };
}

function findPromptProblem(prompt: string): AdapterRunOnceResult | null {
  if (prompt.trim() === "") return toEnd("usage", "the prompt is empty");
  const at = prompt.indexOf("\0");
  return at === -1 ? null : toEnd("invalid-data", `the prompt has a NUL character at position ${at}`);
}

async function toUnknownBackendEnd(id: string, places: Parameters<typeof tryGetAdapterById>[1]): Promise<AdapterRunOnceResult> {
  const { didYouMean } = await import("../did-you-mean.js");
  const known = listBackendIds(places);
  const guess = didYouMean(id, known);
  const details = [...(guess === null ? [] : [`did you mean '${guess}'?`]), `known backends: ${known.join(", ")}`].join(" ");
  return toEnd("backend-unknown", `no backend has the id '${id}'`, details);
}

/** A configured model, effort or argument belongs to the configured backend: another one would not know it. */
function toAdapterArgs(backend: string, cwd: string, options: RunOptions, config: Config): AdapterRunOnceArgs {
  const { backend: _backend, onEvent: _onEvent, onAnswer, extraEnv, env, ...passedOn } = options;
  // Where the answer alone does not decide it must not be shown before the end.
  const isStrict = options.strictPermissions === true || options.strictModel === true;
  const ofBackend = backend === (config.backend ?? DEFAULT_BACKEND) ? config : {};
  return {
    ...pickDefined({
      model: ofBackend.model,
      effort: ofBackend.effort,
      backendArgs: ofBackend.backendArgs,
      access: config.access,
      systemPrompt: config.systemPrompt,
      appendSystemPrompt: config.appendSystemPrompt,
      timeoutMs: toMilliseconds(config.timeout),
      idleTimeoutMs: toMilliseconds(config.idleTimeout ?? CONFIG_KEYS.idleTimeout.default),
      firstByteTimeoutMs: toMilliseconds(config.firstByteTimeout),
      env: toBackendEnv(env, config.env, extraEnv),
    }),
    ...passedOn,
    ...(isStrict ? {} : pickDefined({ onAnswer })),
    cwd,
  };
}

function toMilliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

type Variables = Readonly<Record<string, string>>;

/** Undefined where nothing changes this process's own environment. */
function toBackendEnv(env: Variables | undefined, configured: Variables | undefined, extra: Variables | undefined): Variables | undefined {
  if (configured === undefined && extra === undefined) return env;
  return { ...(env ?? definedEnv(process.env)), ...configured, ...extra };
}

function definedEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Without the keys that are undefined: under exact optional types, absent and undefined are not the same. */
export function pickDefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
