import { resolve } from "node:path";
import type { AccessLevel } from "../events/schema.js";
import { parseDurationFlag } from "../config/duration.js";
import { loadConfigWithSources } from "../config/loader.js";
import { CONFIG_KEYS, DEFAULT_BACKEND, type Config, type OutputFormat } from "../config/schema.js";
import { toTrustingEnv } from "../config/trust.js";
import { findHome } from "../environment.js";
import { JlgcliError } from "../errors.js";
import { SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { endOrphans } from "../process/end-orphans.js";
import { runningFolderOf } from "../process/running-folder.js";
import { printable } from "../printable.js";
import { createJsonRenderer } from "../render/json.js";
import { createStreamJsonRenderer } from "../render/stream-json.js";
import { wantsColor } from "../render/style.js";
import { createTextRenderer } from "../render/text.js";
import type { RenderOptions, Renderer } from "../render/types.js";
import { pickDefined } from "../runner/resolve-run.js";
import { resolveBackendChain, type BackendChain, type ChainRequest } from "../runner/backend-chain.js";
import { runPrompt } from "../runner/run-prompt.js";
import { toEndedResult } from "../runner/run.js";
import type { PromptRunOptions, RunOptions, RunResult } from "../runner/types.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { isSlashCommand } from "../slash-commands/is-slash-command.js";
import { parseExitMap, type ExitMap } from "../exit-map.js";
import { toAnswerOptions, type AnswerFlags } from "./answer-options.js";
import type { CommandIo } from "../command-io.js";
import { loadPrompt } from "./prompt.js";
import { openRunOutputs, type OutputFlags, type RunOutputs } from "./run-outputs.js";
import { openRunSinks, type SinkFlags } from "./run-sinks.js";
import type { SlashPrompt, SlashPromptRequest } from "./slash-prompt.js";

/** The flags of `jlgcli run`, as commander gives them. */
export interface RunFlags extends SinkFlags, AnswerFlags, OutputFlags {
  readonly backend?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly access?: AccessLevel;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly backendArg?: readonly string[];
  readonly file?: string;
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly firstByteTimeout?: string;
  readonly output?: OutputFormat;
  readonly json?: boolean;
  readonly verbosity?: string;
  /** 2 or more, by how often it was given. */
  readonly verbose?: number;
  readonly strictPermissions?: boolean;
  readonly strictModel?: boolean;
  readonly dryRun?: boolean;
  readonly cassette?: string;
  readonly record?: string;
  readonly trust?: boolean;
  readonly literal?: boolean;
  readonly allowShell?: boolean;
}

/**
 * `jlgcli run`: runs one prompt. Gives the exit code.
 * @param onExitMap is given the configured exit map, which also holds for what is thrown from here on.
 */
export async function runRunCommand(words: readonly string[], givenFlags: RunFlags, outerIo: CommandIo, onExitMap?: (map: ExitMap) => void): Promise<number> {
  const flags = toQuiet(givenFlags);
  const prepared = await prepareRun(words, flags, outerIo, onExitMap);
  const { renderer, view, outputs } = prepared;
  const { io } = outputs;
  if (prepared.kind === "ended") return showEnd(prepared.result, renderer);
  const { options } = prepared;
  if (flags.dryRun === true) return dryRun(options, view.format, renderer, io);
  await endEarlierRuns(flags, io);
  await renderer.onPrompt?.(options.prompt);
  const onAnswer = async (whole: string): Promise<void> => renderer.onAnswer(whole);
  const shown: PromptRunOptions = {
    ...options,
    onEvent: (event) => (event.type === "result" ? undefined : renderer.onEvent(event)),
    onAnswer,
  };
  const sinks = await openRunSinks(shown, flags, prepared.config, io);
  const result = await outputs.finish(sinks.refused ?? (await sinks.finish(await runPrompt(sinks.options))), onAnswer);
  await renderer.onResult(result);
  await sinks.note(result);
  await noteUsedSession(result, options, flags, io);
  return result.exitCode;
}

export type RunView = RenderOptions & { readonly format: OutputFormat };

/** What a command line comes to before its backend is asked. */
export type PreparedRun = { readonly config: Config; readonly view: RunView; readonly renderer: Renderer; readonly outputs: RunOutputs } & (
  | { readonly kind: "ready"; readonly options: PromptRunOptions }
  | { readonly kind: "ended"; readonly result: RunResult }
);

/** Reads the configuration and the prompt, and makes the options of a run from them and the flags. */
export async function prepareRun(words: readonly string[], givenFlags: RunFlags, outerIo: CommandIo, onExitMap?: (map: ExitMap) => void): Promise<PreparedRun> {
  const flags = toQuiet(givenFlags);
  const cwd = resolve(outerIo.cwd, flags.cwd ?? ".");
  const surroundings = toTrustingEnv(outerIo.env, flags.trust);
  const { config, warnings } = await loadConfigWithSources({ cwd, env: surroundings });
  if (config.exitMap !== undefined) onExitMap?.(parseExitMap(config.exitMap));
  const outputs = await openRunOutputs(flags, toFormat(flags, config), outerIo);
  const { io } = outputs;
  const extraEnv = parseVariables(flags.env ?? []);
  const view: RunView = { ...toView(flags, config, io), redactor: createLazyRedactor({ ...io.env, ...config.env, ...extraEnv }) };
  // Not silenced by the verbosity that an untrusted project asks for.
  if (flags.quiet !== true) for (const warning of warnings) io.stderr(`jlgcli: ${warning.message}\n`);
  const renderer = createRenderer(io, view);
  const answer = await toAnswerOptions(flags, io);
  const text = await loadPrompt({ words, ...pickDefined({ file: flags.file, swallowed: toSwallowed(flags) }) }, io);
  const chain = await findBackends(flags, { config, cwd, env: surroundings });
  if (chain.kind === "ended") return { kind: "ended", config, view, renderer, outputs, result: toEndedResult(chain.end, { cwd }) };
  const backend = chain.backend ?? config.backend;
  const expanded = await expand(text, { ...flags, ...pickDefined({ backend: chain.backend }) }, { cwd, env: surroundings, config }, io);
  if (expanded.kind === "ended") {
    const result = toEndedResult(expanded.end, { ...pickDefined({ backend }), cwd });
    return { kind: "ended", config, view, renderer, outputs, result };
  }
  if (flags.quiet !== true) for (const notice of expanded.notices) io.stderr(`jlgcli: ${printable(notice)}\n`);
  const options: PromptRunOptions = {
    ...pickDefined({ model: expanded.model ?? undefined, disallowedTools: expanded.disallowedTools ?? undefined }),
    prompt: expanded.prompt,
    cwd,
    env: surroundings,
    extraEnv,
    ...toRunOptions(flags),
    ...answer,
    ...pickDefined({ backend: chain.backend }),
    fallback: chain.fallback,
    ...(flags.continue === true ? { resume: await findSessionToContinue({ ...flags, ...pickDefined({ backend: chain.backend }) }, config, cwd, io) } : {}),
    ...pickDefined({ cassette: toPath(flags.cassette, io), record: toPath(flags.record, io) }),
    ...pickDefined({ signal: io.signal }),
  };
  return { kind: "ready", config, view, renderer, outputs, options };
}

/** A session belongs to one backend: another one could not continue it. */
async function findBackends(flags: RunFlags, surroundings: Omit<ChainRequest, "asked">): Promise<BackendChain> {
  const chain = await resolveBackendChain({ asked: flags.backend, ...surroundings });
  const flag = flags.resume !== undefined ? "--resume" : "--continue";
  if (chain.kind === "ended" || (flags.resume === undefined && flags.continue !== true) || chain.fallback.length === 0) return chain;
  if (flags.backend === undefined) return { ...chain, fallback: [] };
  throw new JlgcliError("USAGE_INVALID", `${flag} continues a session of one backend, and --backend names several`, { hint: "name the backend that the session belongs to" });
}

/** @throws JlgcliError `INPUT_NOT_FOUND` where there is no session to continue, `USAGE_INVALID` where another one is named. */
async function findSessionToContinue(flags: RunFlags, config: Config, cwd: string, io: CommandIo): Promise<string> {
  if (flags.resume !== undefined) throw new JlgcliError("USAGE_INVALID", "--continue and --resume exclude each other", { hint: "--continue takes the session that was used last here" });
  const { findSessionId } = await import("./used-sessions.js");
  return findSessionId(flags.backend ?? config.backend ?? DEFAULT_BACKEND, cwd, io);
}

/** After all else: what it costs is nobody's waiting time. */
export async function noteUsedSession(result: RunResult, options: RunOptions, flags: RunFlags, io: CommandIo): Promise<void> {
  if (result.sessionId === null || result.simulated) return;
  const { noteSessionOf } = await import("./used-sessions.js");
  await noteSessionOf(result, options, { ...io, stderr: flags.quiet === true ? () => undefined : io.stderr });
}

/** What shows one run in the wanted format. */
export function createRenderer(io: CommandIo, view: RunView): Renderer {
  return RENDERERS[view.format](io, view);
}

/** What a run left behind that was killed itself may still be at work on the same files. */
export async function endEarlierRuns(flags: RunFlags, io: CommandIo): Promise<void> {
  const { found, survivors } = await endOrphans(runningFolderOf(findHome(io.env)));
  if (found === 0 || flags.quiet === true) return;
  const processes = found === 1 ? "1 process" : `${found} processes`;
  const rest = survivors === 0 ? "" : `; ${survivors} could not be ended`;
  io.stderr(`jlgcli: an earlier run was killed and had left ${processes} running, which ${found === 1 ? "was" : "were"} ended${rest}\n`);
}

/** A slash command becomes a prompt or an answer here, so that no backend expands it a second time. */
async function expand(text: string, flags: RunFlags, surroundings: Pick<SlashPromptRequest, "cwd" | "env" | "config">, io: CommandIo): Promise<SlashPrompt> {
  if (flags.literal === true || !isSlashCommand(text)) return { kind: "prompt", prompt: text, model: null, disallowedTools: null, notices: [] };
  const { expandSlashPrompt } = await import("./slash-prompt.js");
  return expandSlashPrompt({ text, ...surroundings, ...pickDefined({ backend: flags.backend, allowShell: flags.allowShell, dryRun: flags.dryRun }) }, io);
}

async function showEnd(result: RunResult, renderer: Renderer): Promise<number> {
  await renderer.onResult(result);
  return result.exitCode;
}

/** The value of an option whose value may be left out is perhaps the prompt. */
function toSwallowed({ artifacts }: RunFlags): string | undefined {
  return typeof artifacts === "string" && artifacts !== "" ? `${JSON.stringify(artifacts)} was taken for the folder of --artifacts: put the prompt before it` : undefined;
}

async function dryRun(options: RunOptions, format: OutputFormat, renderer: Renderer, io: CommandIo): Promise<number> {
  const { runDryRun } = await import("./dry-run.js");
  const ended = await runDryRun(options, format, io);
  return ended === null ? SUCCESS_EXIT_CODE : showEnd(ended, renderer);
}

const RENDERERS: Readonly<Record<OutputFormat, (io: CommandIo, options: RenderOptions) => Renderer>> = {
  text: createTextRenderer,
  json: createJsonRenderer,
  "stream-json": createStreamJsonRenderer,
};

function toView(flags: RunFlags, config: Config, io: CommandIo): Omit<RunView, "redactor"> {
  const format = toFormat(flags, config);
  return {
    format,
    verbosity: toVerbosity(flags, config) ?? DEFAULT_VERBOSITY[format](io),
    color: wantsColor(io.stderrIsTty, io.env),
    isProvisional: flags.schema !== undefined,
  };
}

function toFormat(flags: RunFlags, config: Config): OutputFormat {
  return flags.output ?? (flags.json === true ? "json" : (config.output ?? CONFIG_KEYS.output.default ?? "text"));
}

/** Someone at a terminal is told the steps, a script the cost; JSON tells all of it itself. */
const DEFAULT_VERBOSITY: Readonly<Record<OutputFormat, (io: CommandIo) => number>> = {
  text: (io) => (io.stderrIsTty ? 2 : 1),
  json: () => 0,
  "stream-json": () => 0,
};

/** `--verbosity 0` is `--quiet` by another name; a configured 0 leaves what has to be known of the configuration itself. */
function toQuiet(flags: RunFlags): RunFlags {
  return flags.verbosity === "0" ? { ...flags, quiet: true } : flags;
}

/** Null where nobody said how much to tell. */
function toVerbosity(flags: RunFlags, config: Config): number | null {
  if (flags.quiet === true) return 0;
  const asked = flags.verbosity === undefined ? flags.verbose : Number(flags.verbosity);
  return asked === undefined ? (config.verbosity ?? null) : Math.min(asked, 3);
}

function toRunOptions(flags: RunFlags): Partial<RunOptions> {
  return pickDefined({
    model: flags.model,
    effort: flags.effort,
    access: flags.access,
    systemPrompt: flags.systemPrompt,
    appendSystemPrompt: flags.appendSystemPrompt,
    resume: flags.resume,
    backendArgs: flags.backendArg,
    timeoutMs: parseDurationFlag("--timeout", flags.timeout),
    idleTimeoutMs: parseDurationFlag("--idle-timeout", flags.idleTimeout),
    firstByteTimeoutMs: parseDurationFlag("--first-byte-timeout", flags.firstByteTimeout),
    strictPermissions: flags.strictPermissions,
    strictModel: flags.strictModel,
  });
}

/** Files are named from where the person stands, not from the backend's working directory. */
function toPath(file: string | undefined, io: CommandIo): string | undefined {
  return file === undefined ? undefined : resolve(io.cwd, file);
}

/** `K=V` pairs; the value may hold anything, also `=`. */
function parseVariables(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map(parseVariable));
}

function parseVariable(pair: string): [string, string] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, at);
  if (at > 0 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !pair.includes("\0")) return [name, pair.slice(at + 1)];
  throw new JlgcliError("USAGE_INVALID", `--env: expected NAME=VALUE, got ${JSON.stringify(at > 0 ? `${name}=…` : pair)}`, {
    hint: "for instance: --env LOG_LEVEL=debug",
  });
}
