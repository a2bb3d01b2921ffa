import { findSecrets, replaceSpans, type SecretSpan } from "./find-secrets.js";
import type { Redactor } from "./redact.js";
import type { RedactRule } from "./redact-rules.js";

/** Lines and characters that are looked at together. Half of the lines are held back for the next look. */
const WINDOW_LINES = 512;
const WINDOW_CHARS = 1024 * 1024;

/** A line with what belongs to it, for instance the time it came. */
export interface TaggedLine<Tag> {
  readonly line: string;
  readonly tag: Tag;
}

export interface RecordRedactor<Tag> {
  /** Takes a line and gives those that can be shown by now, in order. */
  push(line: string, tag: Tag): readonly TaggedLine<Tag>[];
  /** No more lines come: gives what was held back. */
  flush(): readonly TaggedLine<Tag>[];
}

/**
 * Finds secrets that are spread over several JSON records, as a streamed answer spreads them: the strings at one path
 * (`delta.text`) of successive records are read as one text. A record in which something is found is written anew;
 * every other line stays as it is. Secrets within one line are the business of the redactor that runs before.
 */
export function createRecordRedactor<Tag>({ rules }: Redactor): RecordRedactor<Tag> {
  let held: HeldLine<Tag>[] = [];
  let heldChars = 0;

  const release = (count: number): readonly TaggedLine<Tag>[] => {
    const due = held.slice(0, count);
    for (const line of due) line.isDue = true;
    redactTogether(held, rules);
    const released = due.map(({ line, tag, record, isChanged }) => ({ tag, line: isChanged ? withLineEnd(record, line) : line }));
    held = held.slice(count);
    heldChars = held.reduce((sum, { line }) => sum + line.length, 0);
    return released;
  };
  return {
    push(line, tag) {
      held.push({ line, tag, isDue: false, isChanged: false, ...parseRecord(line) });
      heldChars += line.length;
      if (held.length < WINDOW_LINES && heldChars < WINDOW_CHARS) return [];
      return release(Math.ceil(held.length / 2));
    },
    flush: () => release(held.length),
  };
}

interface HeldLine<Tag> extends TaggedLine<Tag> {
  readonly record: unknown;
  readonly leaves: readonly Leaf[];
  /** It is shown after this look: what begins in it must be found now. */
  isDue: boolean;
  isChanged: boolean;
}

/** A string in a record. */
interface Leaf {
  readonly path: string;
  text: string;
  readonly replace: (text: string) => void;
}

function withLineEnd(record: unknown, line: string): string {
  return JSON.stringify(record) + (line.endsWith("\n") ? "\n" : "");
}

function parseRecord(line: string): { readonly record: unknown; readonly leaves: readonly Leaf[] } {
  if (!line.startsWith("{")) return { record: null, leaves: [] };
  try {
    const record: unknown = JSON.parse(line);
    return { record, leaves: findLeaves(record) };
  } catch {
    // A line of a log that looks like JSON is no record.
    return { record: null, leaves: [] };
  }
}

/** Elements of a list share a path. The walk needs no stack, so that no depth is too much for it. */
function findLeaves(record: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: record, path: "" }];
  for (const { value: parent, path: parentPath } of open) {
    if (!isTree(parent)) continue;
    for (const [key, value] of Object.entries(parent)) {
      const path = Array.isArray(parent) ? `${parentPath}[]` : `${parentPath}.${key}`;
      if (typeof value === "string") leaves.push({ path, text: value, replace: (text) => void Reflect.set(parent, key, text) });
      else open.push({ value, path });
    }
  }
  return leaves;
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function redactTogether<Tag>(lines: readonly HeldLine<Tag>[], rules: readonly RedactRule[]): void {
  for (const pieces of groupByPath(lines)) {
    const { spans } = findSecrets(pieces.map(({ leaf }) => leaf.text).join(""), rules, false);
    // What begins in a line that is held back may go on after the last line that has come: the next look sees it whole.
    const dueChars = pieces.filter(({ line }) => line.isDue).reduce((sum, { leaf }) => sum + leaf.text.length, 0);
    redactPieces(pieces, spans.filter((span) => span.matchStart < dueChars));
  }
}

interface PlacedLeaf {
  readonly leaf: Leaf;
  readonly line: { readonly isDue: boolean; isChanged: boolean };
}

/** Only paths whose text goes on from record to record: a type or an id that is the same in all of them does not. */
function groupByPath<Tag>(lines: readonly HeldLine<Tag>[]): readonly (readonly PlacedLeaf[])[] {
  const groups = new Map<string, PlacedLeaf[]>();
  for (const line of lines) {
    for (const leaf of line.leaves) {
      const group = groups.get(leaf.path);
      if (group === undefined) groups.set(leaf.path, [{ leaf, line }]);
      else group.push({ leaf, line });
    }
  }
  return [...groups.values()].filter((group) => group.some(({ leaf, line }) => line !== group[0]?.line && leaf.text !== group[0]?.leaf.text));
}

/** The piece in which a secret begins gets the marker; the other pieces lose their part of it. */
function redactPieces(pieces: readonly PlacedLeaf[], spans: readonly SecretSpan[]): void {
  if (spans.length === 0) return;
  let start = 0;
  for (const { leaf, line } of pieces) {
    const end = start + leaf.text.length;
    const text = redactPiece(leaf.text, start, spans.filter((span) => span.start < end && span.end > start));
    start = end;
    if (text !== leaf.text) {
      leaf.replace(text);
      leaf.text = text;
      line.isChanged = true;
    }
  }
}

function redactPiece(text: string, offset: number, spans: readonly SecretSpan[]): string {
  const shift = Math.max(0, ...spans.filter((span) => span.start < offset).map((span) => span.end - offset));
  const started = spans.filter((span) => span.start >= offset);
  const local = started.map((span) => ({ ...span, start: span.start - offset - shift, end: span.end - offset - shift }));
  return replaceSpans(text.slice(shift), local);
}
