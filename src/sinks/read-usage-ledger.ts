import { createReadStream } from "node:fs";
import { JlgcliError, describeError } from "../errors.js";
import type { Cost, QuotaWindow, RunUsage } from "../events/schema.js";
import { isJsonRecord, type JsonRecord } from "../parse/paths.js";
import { createLineSplitter } from "../parse/split-lines.js";
import type { LedgerEntry } from "./usage-ledger.js";

/** In bytes. A line of ours has some hundred. */
const MAX_LINE_BYTES = 1024 * 1024;

export interface LedgerReading {
  /** Lines that are none of ours, or were cut. They are left out. */
  readonly brokenLines: number;
}

/**
 * Reads a ledger line by line, with memory that does not grow with it. A file that is not there is an empty ledger.
 * @throws JlgcliError `OUTPUT_FAILED` for a file that cannot be read.
 */
export async function readUsageLedger(file: string, onEntry: (entry: LedgerEntry) => void): Promise<LedgerReading> {
  const splitter = createLineSplitter(MAX_LINE_BYTES);
  let brokenLines = 0;
  const take = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (line.trim() === "") continue;
      const entry = parseLedgerLine(line);
      if (entry === null) brokenLines += 1;
      else onEntry(entry);
    }
  };
  try {
    for await (const chunk of createReadStream(file)) if (chunk instanceof Uint8Array) take(splitter.push(chunk));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      throw new JlgcliError("OUTPUT_FAILED", `${file} cannot be read: ${describeError(error)}`, { cause: error });
    }
  }
  take(splitter.end());
  return { brokenLines: brokenLines + splitter.lostLines };
}

/** A line of the ledger; null for anything else. A figure that cannot be read is null, as one that is not known. */
export function parseLedgerLine(line: string): LedgerEntry | null {
  const value = parseJson(line);
  if (!isJsonRecord(value)) return null;
  const [time, backend] = [textOf(value, "time"), textOf(value, "backend")];
  if (time === null || backend === null || Number.isNaN(Date.parse(time))) return null;
  return {
    time,
    backend,
    runId: textOf(value, "runId") ?? "",
    model: textOf(value, "model"),
    project: textOf(value, "project"),
    status: textOf(value, "status") ?? "",
    durationMs: numberOf(value, "durationMs"),
    usage: toUsage(value["usage"]),
    cost: toCost(value["cost"]),
    quota: toQuota(value["quota"]),
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function textOf(record: JsonRecord, name: string): string | null {
  const value = record[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Tokens, money and times are never below 0. */
function numberOf(record: JsonRecord, name: string): number | null {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function toUsage(value: unknown): RunUsage | null {
  if (!isJsonRecord(value)) return null;
  return {
    inputTokens: numberOf(value, "inputTokens"),
    outputTokens: numberOf(value, "outputTokens"),
    cacheReadTokens: numberOf(value, "cacheReadTokens"),
    cacheWriteTokens: numberOf(value, "cacheWriteTokens"),
    reasoningTokens: numberOf(value, "reasoningTokens"),
    totalTokens: numberOf(value, "totalTokens"),
  };
}

function toCost(value: unknown): Cost | null {
  if (!isJsonRecord(value)) return null;
  const [amount, currency] = [numberOf(value, "amount"), textOf(value, "currency")];
  return amount === null || currency === null ? null : { amount, currency };
}

function toQuota(value: unknown): readonly QuotaWindow[] | null {
  return Array.isArray(value) ? value.flatMap((window: unknown) => toQuotaWindow(window) ?? []) : null;
}

function toQuotaWindow(value: unknown): QuotaWindow | null {
  if (!isJsonRecord(value)) return null;
  const [name, utilization] = [textOf(value, "name"), numberOf(value, "utilization")];
  return name === null || utilization === null ? null : { name, utilization, resetsAt: textOf(value, "resetsAt") };
}
