export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The last valid JSON object that stands anywhere in a text (in prose, in a code fence, after other objects), or null.
 * Of nested objects it is the outermost valid one. An object that the text breaks off in the middle of hides what stands
 * within it: a part is not taken for the whole. Takes time in proportion to the text's length, however it is nested.
 */
export function findLastObject(text: string): JsonObject | null {
  const scan = createScan(text);
  let last: { readonly start: number; readonly end: number } | null = null;
  for (let at = text.indexOf("{"); at !== -1; ) {
    const end = scan.findEnd(at);
    if (end === "cut") break;
    if (end !== null) last = { start: at, end };
    at = text.indexOf("{", end ?? at + 1);
  }
  return last === null ? null : toObject(JSON.parse(text.slice(last.start, last.end)));
}

function toObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Where the value that begins at a place ends; null where none does; `cut` where the text ends within it. */
type ValueEnd = number | null | "cut";

interface Scan {
  findEnd(start: number): ValueEnd;
}

/** What is expected next inside an object or an array. */
type Expectation = "first-key" | "key" | "colon" | "object-value" | "object-comma" | "first-item" | "item" | "array-comma";

interface OpenContainer {
  readonly start: number;
  expects: Expectation;
}

const WHITESPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Reads objects by the grammar of RFC 8259, without recursion. An object that was met once is known from then on, so
 * that what stands in many unfinished objects is read once and not once for each.
 */
function createScan(text: string): Scan {
  const known = new Map<number, ValueEnd>();

  const matchAt = (pattern: RegExp, at: number): number | null => {
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : null;
  };
  const skipBlank = (at: number): number => matchAt(WHITESPACE, at) ?? at;

  const findEnd = (start: number): ValueEnd => {
    const before = known.get(start);
    if (before !== undefined) return before;
    const open: OpenContainer[] = [{ start, expects: "first-key" }];
    let at = start + 1;
    const settle = (end: ValueEnd): ValueEnd => {
      for (const container of open) known.set(container.start, end);
      return end;
    };
    for (;;) {
      at = skipBlank(at);
      if (at >= text.length) return settle("cut");
      const container = open.at(-1);
      if (container === undefined) return settle(null);
      const step = STEPS[container.expects];
      const character = text[at] ?? "";
      if (step.closes === character) {
        at += 1;
        open.pop();
        known.set(container.start, at);
        if (open.length === 0) return at;
        continue;
      }
      container.expects = step.then;
      if (step.takes === "," || step.takes === ":") {
        if (character !== step.takes) return settle(null);
        at += 1;
        continue;
      }
      if (step.takes === "value" && (character === "{" || character === "[")) {
        const end = known.get(at);
        if (end === null || end === "cut") return settle(end);
        if (end === undefined) open.push({ start: at, expects: character === "{" ? "first-key" : "first-item" });
        at = end ?? at + 1;
        continue;
      }
      const end = character === '"' ? findStringEnd(text, at) : step.takes === "value" ? (matchAt(NUMBER, at) ?? matchAt(WORD, at) ?? findCutWord(text, at)) : null;
      if (end === null || end === "cut") return settle(end);
      at = end;
    }
  };
  return { findEnd };
}

interface Step {
  readonly takes: "key" | ":" | "value" | ",";
  readonly then: Expectation;
  /** The character that may end the container here. */
  readonly closes?: string;
}

const STEPS: Readonly<Record<Expectation, Step>> = {
  "first-key": { takes: "key", then: "colon", closes: "}" },
  key: { takes: "key", then: "colon" },
  colon: { takes: ":", then: "object-value" },
  "object-value": { takes: "value", then: "object-comma" },
  "object-comma": { takes: ",", then: "key", closes: "}" },
  "first-item": { takes: "value", then: "array-comma", closes: "]" },
  item: { takes: "value", then: "array-comma" },
  "array-comma": { takes: ",", then: "item", closes: "]" },
};

/** `tru`, `-` or the like at the very end: the text breaks off. */
function findCutWord(text: string, at: number): "cut" | null {
  const rest = text.slice(at, at + 6);
  if (at + rest.length < text.length) return null;
  return ["true", "false", "null"].some((word) => word.startsWith(rest)) || rest === "-" ? "cut" : null;
}

const ESCAPES = '"\\/bfnrt';

function findStringEnd(text: string, start: number): ValueEnd {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === '"') return at + 1;
    if (character < " ") return null;
    if (character !== "\\") continue;
    at += 1;
    const escape = text[at];
    if (escape === undefined) return "cut";
    if (escape === "u") {
      const digits = text.slice(at + 1, at + 5);
      if (!/^[\da-fA-F]*$/.test(digits)) return null;
      at += 4;
    } else if (!ESCAPES.includes(escape)) return null;
  }
  return "cut";
}
