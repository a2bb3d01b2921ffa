import { findHome } from "../environment.js";
import { JlgcliError, describeError } from "../errors.js";
import type { LoopIteration } from "../events/schema.js";
import type { RunStatus } from "../exit-codes.js";
import { createProcessSource } from "../process/process-table.js";
import type { RunResult } from "../runner/types.js";
import { loadLoopState, loopFolderOf, pruneLoopStates, removeLoopState, saveLoopState } from "../sinks/loop-state.js";
import { LOOP_STATE_VERSION, type LoopState } from "../sinks/loop-state-type.js";
import { createRedactor } from "../sinks/redact.js";
import type { CommandIo } from "../command-io.js";
import type { LoopFlags, LoopRequest } from "./loop-flags.js";
import type { PreparedRun } from "./run.js";

/** A loop that is about to begin, or to go on. */
export interface LoopStart {
  readonly loopId: string;
  readonly words: readonly string[];
  readonly flags: LoopFlags;
  /** The options as the command line takes them. */
  readonly given: readonly string[];
  readonly cwd: string;
  readonly earlier: readonly LoopIteration[];
  readonly startedAt: string;
}

/** How this command line shows the loop, and where its prompt came from: neither is part of the loop. */
const NOT_KEPT: readonly string[] = ["--resume", "--output", "--json", "--quiet", "--verbose", "--file", "--literal"];
/** Their values are secrets as a rule. */
const WITHHELD: readonly string[] = ["--env"];

/**
 * The loop of an id, with what is given now on top of what was given when it began.
 * @throws JlgcliError `INPUT_NOT_FOUND` for a loop that is not there, `USAGE_INVALID` for one that another process is at
 * work on, and where something has to be given again since it was not kept.
 */
export async function resumeLoop(loopId: string, { words, flags, given, parseFlags }: LoopRequest, io: CommandIo): Promise<LoopStart> {
  const state = await loadLoopState(loopFolderOf(findHome(io.env)), loopId);
  if (isAtWork(state.owner)) throw new JlgcliError("USAGE_INVALID", `the loop ${loopId} is at work in the process ${state.owner.pid}`, { hint: "wait for it, or end it first" });
  const givesPrompt = words.length > 0 || flags.file !== undefined;
  refuseMissing(state, givesPrompt, given);
  const args = [...state.args, ...given.filter((arg) => flagOf(arg) !== "--resume")];
  const parsed = parseFlags(args);
  const { loopId: id, cwd, startedAt, iterations } = state;
  const kept = { loopId: id, given: args, cwd, startedAt, earlier: iterations };
  // What is kept was a slash command's expansion already.
  return givesPrompt ? { ...kept, words, flags: parsed } : { ...kept, words: [state.prompt], flags: { ...parsed, literal: true } };
}

function refuseMissing(state: LoopState, givesPrompt: boolean, given: readonly string[]): void {
  const missing = state.withheld.filter((name) => (name === "prompt" ? !givesPrompt : !given.some((arg) => flagOf(arg) === name)));
  if (missing.length === 0) return;
  throw new JlgcliError("USAGE_INVALID", `to go on with the loop ${state.loopId}, give again: ${missing.map((name) => (name === "prompt" ? "the prompt" : name)).join(", ")}`, {
    hint: "what may hold a secret is not kept",
  });
}

/** Windows cannot be asked: there nobody is taken to be at work. */
function isAtWork({ pid, startedAt }: LoopState["owner"]): boolean {
  const row = pid === process.pid ? undefined : findProcess(pid);
  return row !== undefined && !row.isZombie && row.startedAt === startedAt;
}

function findProcess(pid: number) {
  return process.platform === "win32" ? undefined : createProcessSource().findProcess(pid);
}

/** Ends before anything was done: the next command line will be another one. */
const REFUSALS: readonly RunStatus[] = ["usage", "backend-unknown", "backend-unsupported", "backend-missing", "invalid-data", "no-input", "config"];

export interface LoopStore {
  save(iterations: readonly LoopIteration[]): void;
  /** Gives whether the loop can be gone on with. */
  close(result: RunResult): boolean;
}

/** Keeps the loop's state as it goes on. A failure only warns: the loop is worth more than its state. */
export function openLoopStore(start: LoopStart, prepared: Extract<PreparedRun, { kind: "ready" }>, io: CommandIo): LoopStore {
  const folder = loopFolderOf(findHome(io.env));
  const { options, config, view } = prepared;
  const redact = createRedactor({ ...io.env, ...config.env, ...options.extraEnv });
  const args = start.given.filter((arg) => !NOT_KEPT.includes(flagOf(arg)));
  const state: Omit<LoopState, "iterations"> = {
    version: LOOP_STATE_VERSION,
    loopId: start.loopId,
    startedAt: start.startedAt,
    cwd: start.cwd,
    prompt: options.prompt,
    args: args.filter((arg) => !WITHHELD.includes(flagOf(arg))),
    withheld: WITHHELD.filter((flag) => args.some((arg) => flagOf(arg) === flag)),
    owner: { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? null },
  };
  let isKept = false;
  let hasFailed = false;
  const save = (iterations: readonly LoopIteration[]): void => {
    try {
      saveLoopState(folder, { ...state, iterations }, redact);
      isKept = true;
    } catch (error) {
      if (!hasFailed && view.verbosity > 0) io.stderr(`jlgcli: the loop cannot be gone on with after an interruption: ${describeError(error)}\n`);
      hasFailed = true;
    }
  };
  pruneLoopStates(folder, Date.now());
  save(start.earlier);
  return {
    save,
    close: (result) => {
      const hasBegun = result.iterations?.some(({ completion }) => completion !== null) === true;
      const isWorthKeeping = result.status !== "success" && (hasBegun || !REFUSALS.includes(result.status));
      if (!isWorthKeeping) removeLoopState(folder, start.loopId);
      return isWorthKeeping && isKept;
    },
  };
}

/** `--env` of `--env=KEY=VALUE`. */
function flagOf(arg: string): string {
  return arg.split("=", 1)[0] ?? arg;
}
