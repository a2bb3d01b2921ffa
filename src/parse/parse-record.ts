import { stripVTControlCharacters } from "node:util";
import { isJsonRecord, type JsonRecord } from "./paths.js";

/**
 * What one line of a JSONL stream is. `lost`: it begins like a record but does not parse, so something is missing;
 * `noise`: text between the records; `other`: JSON that is no object, or a blank line.
 */
export type ParsedLine =
  | { readonly kind: "record"; readonly record: JsonRecord }
  | { readonly kind: "lost" | "noise" | "other" };

const OTHER: ParsedLine = { kind: "other" };

/** How many places are tried as the beginning of a single object; keeps hostile output from costing quadratic time. */
const MAX_OBJECT_STARTS = 64;

/** Reads one line. Terminal escapes and NUL bytes around a record are taken off; a line never throws. */
export function parseRecord(line: string): ParsedLine {
  const direct = toParsedLine(line);
  if (direct !== undefined) return direct;
  const cleaned = stripTerminalNoise(line);
  if (cleaned === "") return OTHER;
  return toParsedLine(cleaned) ?? { kind: cleaned.startsWith("{") ? "lost" : "noise" };
}

/**
 * The one object of a `single-object` payload. Text before and after it is let be: some backends print
 * log lines around their JSON (google-gemini/gemini-cli#14921).
 */
export function parseSingleObject(text: string): JsonRecord | undefined {
  const whole = toParsedLine(text);
  if (whole !== undefined) return whole.kind === "record" ? whole.record : undefined;
  const cleaned = stripTerminalNoise(text);
  for (const match of [...cleaned.matchAll(/^[ \t]*\{/gm)].slice(0, MAX_OBJECT_STARTS)) {
    const from = match.index;
    const end = endOfObject(cleaned, from);
    const found = end === -1 ? undefined : toParsedLine(cleaned.slice(from, end));
    if (found?.kind === "record") return found.record;
  }
  return undefined;
}

function toParsedLine(text: string): ParsedLine | undefined {
  if (text.trim() === "") return OTHER;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonRecord(value) ? { kind: "record", record: value } : OTHER;
  } catch {
    return undefined;
  }
}

/** Titles, links and other strings for the terminal, with their text, of which Node takes off only the beginning. */
const CONTROL_STRINGS = /\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)/g;

function stripTerminalNoise(text: string): string {
  return stripVTControlCharacters(text.replace(CONTROL_STRINGS, "")).replaceAll("\0", "").replaceAll("\uFEFF", "").trim();
}

/** The index after the object that begins at `from`; -1 where it does not end. Braces in strings do not count. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
