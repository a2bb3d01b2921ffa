import type { CommandIo } from "../command-io.js";
import type { AccessLevel, RunEvent, RunResult, WarningCode } from "../events/schema.js";
import { describeDeniedTools } from "./denied-tools.js";
import type { Progress } from "./progress.js";
import { toSafeText } from "./safe-text.js";
import { styled } from "./style.js";
import { describeSummary } from "./summary.js";
import type { RenderOptions } from "./types.js";

/** What stderr tells of a run beside its failure. */
export interface Notices {
  onPrompt(prompt: string): Promise<void>;
  onEvent(event: RunEvent): Promise<void>;
  onResult(result: RunResult): Promise<void>;
}

/** The levels of verbosity above "errors alone". */
const COST = 1;
const STEPS = 2;
const EVERYTHING = 3;

export function createNotices(io: CommandIo, options: RenderOptions, progress: Progress): Notices {
  let hasStarted = false;
  let access: AccessLevel | null = null;
  const note = (level: number, text: string): void => {
    if (options.verbosity >= level) progress.interrupt(() => io.stderr(`${styled("dim", `jlgcli: ${toOneLine(text)}`, options.color)}\n`));
  };
  /** What others said shows no credential: a tool's command may hold one, a backend's error may quote one. */
  const noteQuoted = async (level: number, text: string): Promise<void> => {
    if (options.verbosity >= level) note(level, await options.redactor.redactText(text));
  };
  return {
    onPrompt: async (prompt) => {
      if (options.verbosity < EVERYTHING) return;
      const shown = toSafeText(await options.redactor.redactText(prompt));
      note(EVERYTHING, `the prompt has ${prompt.length} characters:`);
      io.stderr(`${shown.split("\n").map((line) => `  ${line}`).join("\n")}\n`);
    },
    onEvent: async (event) => {
      if (event.type === "start") hasStarted = true;
      if (event.type === "start") access = event.access;
      if (event.type === "start" && event.simulated) note(COST, `a recording is played: ${event.recordedFrom ?? "source unknown"}`);
      if (event.type === "start") note(EVERYTHING, `run ${event.runId} on ${event.backend} in ${event.cwd}, access ${event.access ?? "not limited"}`);
      if (event.type === "tool_call") await noteQuoted(STEPS, `${event.kind}: ${event.title}`);
      if (event.type === "warning" && !TOLD_WITH_RESULT.includes(event.code)) await noteQuoted(STEPS, `${event.code}: ${event.message}`);
      if (options.verbosity >= EVERYTHING) note(EVERYTHING, `event ${JSON.stringify(await options.redactor.redactJson(event))}`);
    },
    onResult: async (result) => {
      for (const warning of result.warnings) await noteQuoted(COST, warning);
      const denied = describeDeniedTools(result, access);
      if (denied !== null) note(result.deniedTools === null ? EVERYTHING : COST, denied);
      // Where no backend was started there is nothing to sum up.
      if (hasStarted || result.iterations !== undefined) note(COST, describeSummary(result, { isTechnical: options.verbosity >= EVERYTHING, ...(result.iterations !== undefined && { iterations: result.iterations.length }) }));
    },
  };
}

/** Their sentences stand among the result's warnings too. */
const TOLD_WITH_RESULT: readonly WarningCode[] = ["model-substituted", "mcp-servers-withheld", "forbidden-tools-unknown"];

const MAX_NOTICE_CHARS = 300;

function toOneLine(text: string): string {
  const line = toSafeText(text).replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_NOTICE_CHARS ? line : `${line.slice(0, MAX_NOTICE_CHARS)}…`;
}
