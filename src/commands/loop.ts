import { parseDuration } from "../config/duration.js";
import { findHome } from "../environment.js";
import { DEFAULT_BACKEND, type Config } from "../config/schema.js";
import { JlgcliError } from "../errors.js";
import { runningFolderOf } from "../process/running-folder.js";
import type { ExitMap } from "../exit-map.js";
import { createLoopRenderer, type LoopRenderer } from "../render/loop.js";
import { runLoop } from "../runner/loop.js";
import type { LoopSteps } from "../runner/loop-options.js";
import { resolveRun, type ResolvedRun } from "../runner/resolve-run.js";
import { toUnstartedResult } from "../runner/run.js";
import { runPrompt } from "../runner/run-prompt.js";
import type { RunOptions, RunResult } from "../runner/types.js";
import { createRunId } from "../run-id.js";
import type { CommandIo } from "../command-io.js";
import type { LoopRequest } from "./loop-flags.js";
import { openLoopStore, resumeLoop, type LoopStart } from "./loop-store.js";
import { toLoopSettings, type LoopSettings } from "./loop-settings.js";
import { openRunSinks } from "./run-sinks.js";
import { createRenderer, endEarlierRuns, noteUsedSession, prepareRun, type PreparedRun, type RunFlags } from "./run.js";

/** `jlgcli loop`: repeats a prompt on a backend until it is done. Gives the exit code. */
export async function runLoopCommand(request: LoopRequest, outerIo: CommandIo, onExitMap?: (map: ExitMap) => void): Promise<number> {
  const start = await toStart(request, outerIo);
  const { flags } = start;
  // A resumed loop names its files from where it was begun.
  const placedIo = { ...outerIo, cwd: start.cwd };
  const settings = toLoopSettings(flags);
  const { resume: _loop, maxCost: _limit, ...runFlags } = flags;
  const prepared = await prepareRun(start.words, runFlags, placedIo, onExitMap);
  const { io } = prepared.outputs;
  if (prepared.kind === "ended") return showEnd(prepared);
  const { options, view } = prepared;
  await refuseUnable(options, settings);
  await endEarlierRuns(flags, io);
  const store = openLoopStore(start, prepared, io);
  const renderer = createLoopRenderer(io, { ...view, maxIterations: settings.maxIterations }, (runIo) => createRenderer(runIo, view));
  renderer.onBegin(start.loopId, start.earlier.length);
  const steps: LoopSteps = {
    ...createSteps(renderer, prepared, runFlags, io),
    onIteration: (iteration, all) => {
      store.save(all);
      renderer.onIteration(iteration);
    },
  };
  const result = await runLoop({ ...settings, ...toTimes(prepared), run: options, loopId: start.loopId, earlier: start.earlier }, steps);
  const canBeResumed = store.close(result);
  const kept = await prepared.outputs.finish(result, undefined);
  await renderer.onEnd(kept, canBeResumed);
  await noteUsedSession(result, options, flags, io);
  return kept.exitCode;
}

async function toStart(request: LoopRequest, io: CommandIo): Promise<LoopStart> {
  const { words, flags, given } = request;
  if (flags.resume !== undefined) return resumeLoop(flags.resume, request, io);
  return { loopId: createRunId(), words, flags, given, cwd: io.cwd, earlier: [], startedAt: new Date().toISOString() };
}

async function showEnd({ result, renderer }: Extract<PreparedRun, { kind: "ended" }>): Promise<number> {
  await renderer.onResult(result);
  return result.exitCode;
}

/** The time of the configuration is for one run. */
function toTimes({ config }: PreparedRun): { readonly iterationTimeoutMs?: number } {
  return config.timeout === undefined ? {} : { iterationTimeoutMs: parseDuration(config.timeout, "timeout") };
}

/** @throws JlgcliError `BACKEND_OPTION_UNSUPPORTED`, before anything is spawned, for a backend that cannot resume a session, or does not tell its cost. */
async function refuseUnable(options: RunOptions, { keepSession, maxCost }: LoopSettings): Promise<void> {
  if (!keepSession && maxCost === undefined) return;
  const resolved = await resolveRun({ ...options, ...(keepSession ? { resume: "00000000-0000-4000-8000-000000000000" } : {}) });
  if (resolved.kind === "ended") return;
  if (keepSession) await refuseWithoutSessions(resolved);
  if (maxCost === undefined || (await resolved.adapter.tellsCost?.()) !== false) return;
  throw new JlgcliError("BACKEND_OPTION_UNSUPPORTED", `the backend '${resolved.backend}' does not tell what a run costs, so --max-cost cannot be honoured`, {
    hint: "limit the iterations or the time instead",
  });
}

/** What else the backend cannot do is told by the first run. */
async function refuseWithoutSessions({ adapter, args }: Extract<ResolvedRun, { kind: "ready" }>): Promise<void> {
  try {
    await adapter.describeInvocation?.(args);
  } catch (error) {
    if (!(error instanceof JlgcliError) || !error.message.endsWith("cannot honour --resume")) return;
    throw new JlgcliError(error.code, error.message.replace(/--resume$/, "--session"), { hint: "leave it out, or choose another backend", cause: error });
  }
}

function createSteps(renderer: LoopRenderer, { config, view }: PreparedRun, flags: RunFlags, io: CommandIo): LoopSteps {
  return {
    runOnce: async (options, iteration) => {
      renderer.onRun(iteration);
      const result = await runIteration({ ...options, onEvent: (event) => renderer.onEvent(event, iteration) }, flags, config, io);
      await renderer.onRunResult(result, iteration);
      return result;
    },
    runCheck: async ({ command, timeoutMs }, { cwd = io.cwd, env = io.env, signal }) => {
      renderer.onCheck(command);
      const { createProcessSpawner } = await import("../process/spawner.js");
      const { runCheck } = await import("../runner/run-check.js");
      const spawner = createProcessSpawner({ runningFolder: runningFolderOf(findHome(io.env)) });
      const check = await runCheck({ command, cwd, env, timeoutMs, spawner, ...(signal === undefined ? {} : { signal }) });
      // It is told to the model and shown to people.
      return { ...check, output: await view.redactor.redactText(check.output) };
    },
  };
}

/** One run as `jlgcli run` makes it, with its budget, its artifacts and its line in the ledger. */
async function runIteration(options: RunOptions, flags: RunFlags, config: Config, io: CommandIo): Promise<RunResult> {
  try {
    const sinks = await openRunSinks(options, flags, config, io);
    const result = sinks.refused ?? (await sinks.finish(await runPrompt(sinks.options)));
    await sinks.note(result);
    return result;
  } catch (error) {
    const { backend = config.backend ?? DEFAULT_BACKEND, cwd = io.cwd } = options;
    return toUnstartedResult(error, { backend, cwd });
  }
}
