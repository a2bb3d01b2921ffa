import { parseDuration } from "../config/duration.js";
import { JlgcliError } from "../errors.js";
import { DEFAULT_MARKER, type Completion } from "../runner/completion.js";
import { DEFAULT_MAX_ITERATIONS, DEFAULT_NO_PROGRESS } from "../runner/loop.js";
import type { LoopOptions } from "../runner/loop-options.js";
import type { Carry } from "../runner/loop-words.js";
import { pickDefined } from "../runner/resolve-run.js";
import type { LoopFlags } from "./loop-flags.js";

/** What the flags say of the loop itself. */
export type LoopSettings = Required<Pick<LoopOptions, "completion" | "maxIterations" | "noProgressAfter" | "carry" | "instruct" | "keepSession">> & Pick<LoopOptions, "maxCost">;

const DEFAULT_UNTIL_TIMEOUT_MS = 10 * 60_000;

/** @throws JlgcliError `USAGE_INVALID` for flags that mean nothing, or contradict each other. */
export function toLoopSettings(flags: LoopFlags): LoopSettings {
  const completion = toCompletion(flags);
  return {
    completion,
    maxIterations: parseCount("--max-iterations", flags.maxIterations, 1) ?? DEFAULT_MAX_ITERATIONS,
    noProgressAfter: toNoProgress(flags.progress),
    carry: toCarry(flags.carry ?? "none", completion),
    instruct: flags.instruct === true,
    keepSession: flags.session === true,
    ...pickDefined({ maxCost: parseAmount("--max-cost", flags.maxCost) }),
  };
}

function toCompletion(flags: LoopFlags): Completion {
  const kind = flags.completion ?? (flags.until === undefined ? "marker" : "until");
  if (kind !== "until" && flags.until !== undefined) throw usage(`--completion ${kind} and --until exclude each other`, "leave one of them out: only one thing decides that a loop is done");
  if (kind !== "until" && flags.untilTimeout !== undefined) throw usage("--until-timeout needs --until");
  if (kind !== "marker" && flags.marker !== undefined) throw usage(`--marker means nothing with --completion ${kind}`);
  switch (kind) {
    case "marker":
      return { kind, marker: toMarker(flags.marker ?? DEFAULT_MARKER) };
    case "json":
      return { kind };
    case "until":
      return { kind, command: toCommand(flags.until), timeoutMs: flags.untilTimeout === undefined ? DEFAULT_UNTIL_TIMEOUT_MS : parseDuration(flags.untilTimeout, "--until-timeout") };
    default:
      return kind satisfies never;
  }
}

function toMarker(marker: string): string {
  if (marker.trim() === marker && marker !== "" && !/[\r\n]/.test(marker)) return marker;
  throw usage(`--marker: ${JSON.stringify(marker)} can be no last line`, "give one line without blanks around it");
}

function toCommand(command: string | undefined): string {
  if (command === undefined) throw usage("--completion until needs a command", 'for instance: --until "npm test"');
  if (command.trim() === "" || command.includes("\0")) throw usage("--until: the command is empty or has a NUL character");
  return command;
}

const CARRY_NEEDS: Readonly<Record<Carry, Completion["kind"] | null>> = { none: null, answer: null, next: "json", summary: "json", check: "until" };

function toCarry(carry: Carry, completion: Completion): Carry {
  const needed = CARRY_NEEDS[carry];
  if (needed === null || needed === completion.kind) return carry;
  throw usage(`--carry ${carry} needs ${needed === "json" ? "--completion json" : "--until"}`);
}

/** Commander gives true where the flag was not given, since its name begins with `--no-`. */
function toNoProgress(value: string | boolean | undefined): number {
  if (typeof value !== "string") return DEFAULT_NO_PROGRESS;
  const count = parseCount("--no-progress", value, 0) ?? DEFAULT_NO_PROGRESS;
  if (count === 1) throw usage("--no-progress: one answer alone is no row", "give 2 or more, or 0 to switch it off");
  return count;
}

function parseCount(flag: string, text: string | undefined, lowest: number): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : -1;
  if (count >= lowest) return count;
  throw usage(`${flag}: expected a whole number from ${lowest}, got ${JSON.stringify(text)}`);
}

function parseAmount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw usage(`${flag}: expected a number above 0, got ${JSON.stringify(text)}`);
}

function usage(message: string, hint?: string): JlgcliError {
  return new JlgcliError("USAGE_INVALID", message, hint === undefined ? {} : { hint });
}
