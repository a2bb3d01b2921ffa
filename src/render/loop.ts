import type { CommandIo } from "../command-io.js";
import type { LoopIteration, RunEvent, RunResult } from "../events/schema.js";
import { toSafeText } from "./safe-text.js";
import { styled } from "./style.js";
import type { RenderOptions, Renderer } from "./types.js";

/** Shows a loop: its iterations as they come, and its one result. */
export interface LoopRenderer {
  onBegin(loopId: string, iterationsOver: number): void;
  onRun(iteration: number): void;
  onEvent(event: RunEvent, iteration: number): void | Promise<void>;
  /** The end of a run, before it is judged. */
  onRunResult(result: RunResult, iteration: number): void | Promise<void>;
  onCheck(command: string): void;
  onIteration(iteration: LoopIteration): void;
  onEnd(result: RunResult, canBeResumed: boolean): Promise<void>;
}

export interface LoopView extends RenderOptions {
  readonly format: "text" | "json" | "stream-json";
  readonly maxIterations: number;
}

/** Makes what shows a single run in the wanted format. */
type CreateRenderer = (io: CommandIo) => Renderer;

/** Stdout carries what it carries for a run: the loop's answer once, its one result, or all events with the result last. */
export function createLoopRenderer(io: CommandIo, view: LoopView, createRenderer: CreateRenderer): LoopRenderer {
  const runs = RUN_RENDERERS[view.format](io, createRenderer);
  const lines = createProgressLines(io, view);
  return {
    ...lines,
    onEvent: runs.onEvent,
    onRunResult: runs.onRunResult,
    onEnd: async (result, canBeResumed) => {
      lines.onEnd(result);
      await runs.onEnd(result);
      if (canBeResumed) lines.onResumable(result.runId);
    },
  };
}

interface RunsRenderer {
  readonly onEvent: (event: RunEvent, iteration: number) => void | Promise<void>;
  readonly onRunResult: (result: RunResult, iteration: number) => void | Promise<void>;
  readonly onEnd: (result: RunResult) => void | Promise<void>;
}

const RUN_RENDERERS: Readonly<Record<LoopView["format"], (io: CommandIo, createRenderer: CreateRenderer) => RunsRenderer>> = {
  text: createTextRuns,
  json: (io, createRenderer) => ({ onEvent: () => undefined, onRunResult: () => undefined, onEnd: (result) => createRenderer(io).onResult(result) }),
  "stream-json": createStreamedRuns,
};

function createStreamedRuns(io: CommandIo, createRenderer: CreateRenderer): RunsRenderer {
  const renderer = createRenderer(io);
  return {
    onEvent: (event, iteration) => (event.type === "result" ? undefined : renderer.onEvent(event.type === "start" ? { ...event, iteration } : event)),
    onRunResult: (result, iteration) => renderer.onResult({ ...result, iteration }),
    onEnd: (result) => renderer.onResult(result),
  };
}

/** What a run has to say beside its answer is told when it is over; the answer is told once, by the end of the loop. */
function createTextRuns(io: CommandIo, createRenderer: CreateRenderer): RunsRenderer {
  const withoutAnswer: CommandIo = { ...io, stdout: () => undefined, stdoutIsTty: false };
  let current: Renderer | null = null;
  let failed: RunResult | null = null;
  return {
    onEvent: (event) => {
      current ??= createRenderer(withoutAnswer);
      return event.type === "result" ? undefined : current.onEvent(event);
    },
    onRunResult: async (result) => {
      // A failed run is the end of the loop, which tells it.
      failed = result.status === "success" ? null : result;
      if (failed !== null) return;
      await current?.onResult(result);
      current = null;
    },
    onEnd: (result) => {
      const { warnings, deniedTools } = failed ?? { warnings: [], deniedTools: [] };
      return (current ?? createRenderer(io)).onResult({ ...result, warnings, deniedTools });
    },
  };
}

// --- progress on stderr ---

const NOTICES = 1;
const STEPS = 2;

function createProgressLines(io: CommandIo, view: LoopView) {
  // Who reads JSON finds all of it there.
  const level = view.format === "text" ? NOTICES : STEPS;
  const say = (line: string): void => {
    if (view.verbosity >= level) io.stderr(`${styled("dim", `jlgcli: ${line}`, view.color)}\n`);
  };
  return {
    onBegin: (loopId: string, over: number): void => say(over === 0 ? `loop ${loopId}` : `loop ${loopId} goes on after ${countIterations(over)}`),
    onRun: (iteration: number): void => say(`iteration ${iteration} of ${view.maxIterations}`),
    onCheck: (command: string): void => say(`checking: ${toOneLine(command)}`),
    onIteration: (iteration: LoopIteration): void => say(describeIteration(iteration)),
    onEnd: (result: RunResult): void => {
      const count = result.iterations?.length ?? 0;
      if (result.status === "success") say(`done after ${countIterations(count)}`);
    },
    onResumable: (loopId: string): void => say(`to go on: jlgcli loop --resume ${loopId}`),
  };
}

function countIterations(count: number): string {
  return count === 1 ? "1 iteration" : `${count} iterations`;
}

function describeIteration({ iteration, durationMs, completion }: LoopIteration): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const check = completion?.check ?? null;
  const parts = [
    completion?.status === "continue" ? "not done yet" : (completion?.status ?? "failed"),
    ...(check === null ? [] : [check.timedOut ? "the check did not end in time" : `the check ended with ${String(check.exitCode)}`]),
    ...(completion?.summary === null || completion?.summary === undefined ? [] : [toOneLine(completion.summary)]),
  ];
  return `iteration ${iteration} took ${seconds}: ${parts.join(", ")}`;
}

const MAX_LINE_CHARS = 200;

function toOneLine(text: string): string {
  const line = toSafeText(text).replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)}…`;
}
