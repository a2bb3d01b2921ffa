import { isJsonRecord } from "../parse/paths.js";
import { printable } from "../printable.js";
import { toSafeText } from "../render/safe-text.js";
import type { StoredRun } from "../sinks/stored-runs.js";
import { TERMINAL_COLUMNS, toTable } from "./table.js";
import { tildePath } from "./tilde-path.js";

/** As long as it takes to name a run among some thousand. */
const SHORT_ID_CHARS = 8;
const UNKNOWN = "-";

/** Kept runs as a table, one line each, the newest first. */
export function toRunsText(runs: readonly StoredRun[], isTty: boolean): string {
  if (runs.length === 0) return "no runs are kept here\n";
  const rows = runs.map(({ meta }) => [
    printable(meta.runId.slice(0, SHORT_ID_CHARS)),
    meta.startedAt.slice(0, "2026-01-31T12:34:56".length).replace("T", " "),
    printable(meta.backend ?? UNKNOWN),
    printable(meta.status ?? "unfinished"),
    toSeconds(meta.durationMs),
    toOneLine(meta.prompt, isTty ? TERMINAL_COLUMNS / 4 : Infinity),
  ]);
  return toLines(toTable(["RUN", "STARTED (UTC)", "BACKEND", "STATUS", "TIME", "PROMPT"], rows, null));
}

/** All of one run that people ask for. */
export function toRunText({ folder, meta }: StoredRun, result: unknown, home: string): string {
  const facts: readonly (readonly [string, string])[] = [
    ["run", meta.runId],
    ["started", meta.startedAt],
    ["ended", meta.endedAt ?? "unfinished"],
    ["status", meta.status === null ? UNKNOWN : `${meta.status} (exit code ${meta.exitCode ?? UNKNOWN})`],
    ["time", toSeconds(meta.durationMs)],
    ["backend", meta.backend ?? UNKNOWN],
    ["model", textAt(result, "model") ?? meta.model ?? UNKNOWN],
    ["access", meta.access ?? UNKNOWN],
    ["cwd", tildePath(meta.cwd, home)],
    ["session", textAt(result, "sessionId") ?? UNKNOWN],
    ["files", tildePath(folder, home)],
  ];
  const answer = textAt(result, "text");
  return [
    ...facts.map(([name, value]) => `${name.padEnd(8)} ${printable(value)}\n`),
    `\nPrompt:\n${toSafeText(meta.prompt)}\n`,
    ...(answer === null ? [] : [`\n${meta.status === "success" ? "Answer" : "End"}:\n${toSafeText(answer)}\n`]),
  ].join("");
}

function textAt(result: unknown, name: string): string | null {
  const value = isJsonRecord(result) ? result[name] : null;
  return typeof value === "string" ? value : null;
}

function toSeconds(durationMs: number | null): string {
  return durationMs === null ? UNKNOWN : `${(durationMs / 1000).toFixed(1)} s`;
}

function toOneLine(text: string, maxChars: number): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
