import type { RunResult } from "../events/schema.js";

export interface SummaryOptions {
  /** How often a loop has asked. */
  readonly iterations?: number;
  /** With what only someone wants to know who looks for a fault. */
  readonly isTechnical?: boolean;
}

/** One line about a run that has ended: `codex, gpt-5.4: success in 2.3 s, 1234 tokens, 0.0123 USD`. What is not known is left out. */
export function describeSummary(result: RunResult, { iterations, isTechnical = false }: SummaryOptions = {}): string {
  const { backend, model, status, reason, durationMs, usage, cost, attempts } = result;
  const who = model === null ? backend : `${backend}, ${model}`;
  const cause = reason === null || reason === status || `backend-${reason}` === status ? "" : ` (${reason})`;
  const facts = [
    `${status}${cause} in ${describeDuration(durationMs)}`,
    ...(iterations === undefined ? [] : [count(iterations, "iteration")]),
    ...(attempts === undefined ? [] : [count(attempts.length, "attempt")]),
    ...(typeof usage?.totalTokens === "number" ? [count(usage.totalTokens, "token")] : []),
    ...(cost === null ? [] : [`${cost.amount.toFixed(4)} ${cost.currency}`]),
    ...(isTechnical ? listTechnical(result) : []),
  ];
  return `${who}: ${facts.join(", ")}`;
}

function listTechnical({ sessionId, backendExitCode, backendSignal, exitCode, runId }: RunResult): readonly string[] {
  return [
    `exit code ${exitCode}`,
    ...(backendExitCode === null ? [] : [`the backend's own ${backendExitCode}`]),
    ...(backendSignal === null ? [] : [`the backend's signal ${backendSignal}`]),
    ...(sessionId === null ? [] : [`session ${sessionId}`]),
    `run ${runId}`,
  ];
}

function describeDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function count(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? "" : "s"}`;
}
