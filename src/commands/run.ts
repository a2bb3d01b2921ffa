import { resolve } from "node:path";
import type { AccessLevel } from "../events/schema.js";
import { parseDuration } from "../config/duration.js";
import { loadConfigWithSources } from "../config/loader.js";
import { CONFIG_KEYS, DEFAULT_BACKEND, type Config, type OutputFormat } from "../config/schema.js";
import { findHome } from "../config/environment.js";
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
import { runOnce, toEndedResult } from "../runner/run.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { createLazyRedactor } from "../sinks/lazy-redactor.js";
import { isSlashCommand } from "../slash-commands/is-slash-command.js";
import type { CommandIo } from "./io.js";
import { loadPrompt } from "./prompt.js";
import { openRunSinks, type SinkFlags } from "./run-sinks.js";
import type { SlashPrompt, SlashPromptRequest } from "./slash-prompt.js";

/** The flags of `jlgcli run`, as commander gives them. */
export interface RunFlags extends SinkFlags {
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
  readonly verbose?: boolean;
  readonly strictPermissions?: boolean;
  readonly strictModel?: boolean;
  readonly dryRun?: boolean;
  readonly cassette?: string;
  readonly record?: string;
  readonly trust?: boolean;
  readonly literal?: boolean;
  readonly allowShell?: boolean;
}

/** `jlgcli run`: runs one prompt on one backend. Gives the exit code. */
export async function runRunCommand(words: readonly string[], flags: RunFlags, io: CommandIo): Promise<number> {
  const prepared = await prepareRun(words, flags, io);
  const { renderer, view } = prepared;
  if (prepared.kind === "ended") return showEnd(prepared.result, renderer);
  const { options } = prepared;
  if (flags.dryRun === true) return dryRun(options, view.format, renderer, io);
  await endEarlierRuns(flags, io);
  const shown: RunOptions = {
    ...options,
    onEvent: (event) => (event.type === "result" ? undefined : renderer.onEvent(event)),
    onAnswer: (text) => renderer.onAnswer(text),
  };
  const sinks = await openRunSinks(shown, flags, prepared.config, io);
  const result = sinks.refused ?? (await sinks.finish(await runOnce(sinks.options)));
  await renderer.onResult(result);
  await sinks.note(result);
  await noteUsedSession(result, options, flags, io);
  return result.exitCode;
}

export type RunView = RenderOptions & { readonly format: OutputFormat };

/** What a command line comes to before its backend is asked. */
export type PreparedRun = { readonly config: Config; readonly view: RunView; readonly renderer: Renderer } & (
  | { readonly kind: "ready"; readonly options: RunOptions }
  | { readonly kind: "ended"; readonly result: RunResult }
);

/** Reads the configuration and the prompt, and makes the options of a run from them and the flags. */
export async function prepareRun(words: readonly string[], flags: RunFlags, io: CommandIo): Promise<PreparedRun> {
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  const surroundings = flags.trust === true ? { ...io.env, JLGCLI_TRUST: "1" } : io.env;
  const { config, warnings } = await loadConfigWithSources({ cwd, env: surroundings });
  const extraEnv = parseVariables(flags.env ?? []);
  const view: RunView = { ...toView(flags, config, io), redactor: createLazyRedactor({ ...io.env, ...config.env, ...extraEnv }) };
  // Not silenced by the verbosity that an untrusted project asks for.
  if (flags.quiet !== true) for (const warning of warnings) io.stderr(`jlgcli: ${warning.message}\n`);
  const renderer = createRenderer(io, view);
  const text = await loadPrompt({ words, ...pickDefined({ file: flags.file, swallowed: toSwallowed(flags) }) }, io);
  const expanded = await expand(text, flags, { cwd, env: surroundings, config }, io);
  if (expanded.kind === "ended") {
    const result = toEndedResult(expanded.end, { ...pickDefined({ backend: flags.backend ?? config.backend }), cwd });
    return { kind: "ended", config, view, renderer, result };
  }
  if (flags.quiet !== true) for (const notice of expanded.notices) io.stderr(`jlgcli: ${printable(notice)}\n`);
  const options: RunOptions = {
    ...pickDefined({ model: expanded.model ?? undefined }),
    prompt: expanded.prompt,
    cwd,
    env: surroundings,
    extraEnv,
    ...toRunOptions(flags),
    ...(flags.continue === true ? { resume: await findSessionToContinue(flags, config, cwd, io) } : {}),
    ...pickDefined({ cassette: toPath(flags.cassette, io), record: toPath(flags.record, io) }),
    ...pickDefined({ signal: io.signal }),
  };
  return { kind: "ready", config, view, renderer, options };
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
  if (flags.literal === true || !isSlashCommand(text)) return { kind: "prompt", prompt: text, model: null, notices: [] };
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
  return {
    format: flags.output ?? (flags.json === true ? "json" : (config.output ?? CONFIG_KEYS.output.default ?? "text")),
    verbosity: toVerbosity(flags, config, io),
    color: wantsColor(io.stderrIsTty, io.env),
  };
}

/** Someone at a terminal is told the steps; a script is told notices alone. */
function toVerbosity(flags: RunFlags, config: Config, io: CommandIo): number {
  if (flags.quiet === true) return 0;
  if (flags.verbose === true) return 3;
  return config.verbosity ?? (io.stderrIsTty ? 2 : 1);
}

function toRunOptions(flags: RunFlags): Partial<RunOptions> {
  return pickDefined({
    backend: flags.backend,
    model: flags.model,
    effort: flags.effort,
    access: flags.access,
    systemPrompt: flags.systemPrompt,
    appendSystemPrompt: flags.appendSystemPrompt,
    resume: flags.resume,
    backendArgs: flags.backendArg,
    timeoutMs: toMilliseconds("--timeout", flags.timeout),
    idleTimeoutMs: toMilliseconds("--idle-timeout", flags.idleTimeout),
    firstByteTimeoutMs: toMilliseconds("--first-byte-timeout", flags.firstByteTimeout),
    strictPermissions: flags.strictPermissions,
    strictModel: flags.strictModel,
  });
}

/** Files are named from where the person stands, not from the backend's working directory. */
function toPath(file: string | undefined, io: CommandIo): string | undefined {
  return file === undefined ? undefined : resolve(io.cwd, file);
}

function toMilliseconds(flag: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value, flag);
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
