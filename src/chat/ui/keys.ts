/**
 * What comes from a terminal in raw mode, as keys. The sequences are those of xterm
 * (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), of its bracketed paste, and of the keyboard protocol of kitty
 * (https://sw.kovidgoyal.net/kitty/keyboard-protocol/).
 */
export type Key =
  /** Printable characters, as many as came at once. */
  | { readonly type: "text"; readonly text: string }
  /** Lines end in `\n`. */
  | { readonly type: "paste"; readonly text: string }
  /** `ctrl-c`, `alt-enter`, `shift-tab`, `up`, …: modifiers first, in the order ctrl, alt, shift. */
  | { readonly type: "press"; readonly name: string };

export interface KeyParser {
  /** The keys that are whole with this piece of input. */
  feed(chunk: string): readonly Key[];
  /** How long to wait for the rest of what has begun, in milliseconds; null where nothing has. */
  patienceMs(): number | null;
  /** What has begun is taken as it stands, since nothing more came. */
  flush(): readonly Key[];
}

export const PASTE_START = "\u001B[200~";
export const PASTE_END = "\u001B[201~";

/** The Esc key sends what also begins every sequence; sequences come at once. */
const ESCAPE_PATIENCE_MS = 40;
/** A terminal that forgets the end of a paste must not swallow the keyboard for ever. */
const PASTE_PATIENCE_MS = 1500;

export function createKeyParser(): KeyParser {
  let pending = "";
  /** What was pasted so far, in pieces; null outside a paste. */
  let pasted: string[] | null = null;

  const feedPaste = (pieces: string[], chunk: string): readonly Key[] => {
    // The end mark may have been cut in two. Only the last piece is looked at again: a long paste comes in very many.
    const text = (pieces.pop() ?? "") + chunk;
    const end = text.indexOf(PASTE_END);
    if (end === -1) {
      const kept = Math.max(0, text.length - PASTE_END.length);
      pieces.push(text.slice(0, kept), text.slice(kept));
      pasted = pieces;
      return [];
    }
    pasted = null;
    return [toPaste(pieces.join("") + text.slice(0, end)), ...feed(text.slice(end + PASTE_END.length))];
  };

  const feed = (chunk: string): readonly Key[] => {
    if (pasted !== null) return feedPaste(pasted, chunk);
    const text = pending + chunk;
    pending = "";
    const keys: Key[] = [];
    for (let at = 0; at < text.length; ) {
      const token = readToken(text, at);
      if (token === null) {
        pending = text.slice(at);
        break;
      }
      at += token.length;
      if (token === PASTE_START) return [...keys, ...feedPaste([], text.slice(at))];
      const key = toKey(token);
      if (key !== null) keys.push(key);
    }
    return keys;
  };

  return {
    feed,
    patienceMs: () => (pasted !== null ? PASTE_PATIENCE_MS : pending !== "" ? ESCAPE_PATIENCE_MS : null),
    flush() {
      const [text, paste] = [pending, pasted];
      pending = "";
      pasted = null;
      if (paste !== null) return [toPaste(paste.join(""))];
      return text === "\u001B" ? [{ type: "press", name: "esc" }] : [];
    },
  };
}

function toPaste(text: string): Key {
  return { type: "paste", text: text.replace(/\r\n?/g, "\n") };
}

const CSI = /\u001B{1,2}\[[0-?]*[ -/]*[@-~]/y;
const SS3 = /\u001B{1,2}O[ -~]/y;
const UNFINISHED = /\u001B{1,2}(?:\[[0-?]*[ -/]*|O)?$/y;
const PLAIN = /[^\u0000-\u001F\u007F]+/y;

/** One key's worth of input; null where its end has not come yet. */
function readToken(text: string, at: number): string | null {
  if (text[at] !== "\u001B") return matchAt(PLAIN, text, at) ?? text.charAt(at);
  if (matchAt(UNFINISHED, text, at) !== null) return null;
  const sequence = matchAt(CSI, text, at) ?? matchAt(SS3, text, at);
  if (sequence !== null) return sequence;
  // Esc itself before another sequence, or Alt with a character.
  return text[at + 1] === "\u001B" ? "\u001B" : text.slice(at, at + 1) + String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Null for a sequence that is no key of ours, such as an answer of the terminal. */
function toKey(token: string): Key | null {
  const name = CONTROLS[token];
  if (name !== undefined) return { type: "press", name };
  if (token.startsWith("\u001B")) return token.length > 2 && /[[O]/.test(token.replace(/^\u001B+/, "").charAt(0)) ? toSequenceKey(token) : toAltKey(token);
  if (token < " " && token.length === 1) return { type: "press", name: `ctrl-${String.fromCharCode(token.charCodeAt(0) + 0x60)}` };
  return { type: "text", text: token };
}

const CONTROLS: Readonly<Record<string, string>> = {
  "\u001B": "esc",
  "\r": "enter",
  "\t": "tab",
  "\u007F": "backspace",
  "\b": "backspace",
  "\u0000": "ctrl-space",
};

function toAltKey(token: string): Key {
  const key = token.slice(1);
  return { type: "press", name: `alt-${CONTROLS[key] ?? key}` };
}

const SEQUENCE = /^(\u001B{1,2})(?:\[|O)([0-9;:]*)([ -~])$/;
const LETTERS: Readonly<Record<string, string>> = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end", Z: "shift-tab", M: "enter" };
const NUMBERS: Readonly<Record<string, string>> = { 1: "home", 3: "delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end" };
const CODE_POINTS: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "esc", 127: "backspace", 57414: "enter" };

function toSequenceKey(token: string): Key | null {
  const [, escapes = "", parameters = "", final = ""] = SEQUENCE.exec(token) ?? [];
  const [first = 0, second = 1, third = 0] = parameters.split(";").map((one) => Number(one.split(":")[0]));
  const alt = escapes.length > 1 ? 2 : 0;
  if (final === "u") return toCodePointKey(first, second);
  if (final === "~" && first === 27) return toCodePointKey(third, second);
  const name = final === "~" ? NUMBERS[first] : LETTERS[final];
  return name === undefined ? null : { type: "press", name: `${toModifiers((second - 1) | alt)}${name}` };
}

function toCodePointKey(codePoint: number, modifier: number): Key | null {
  const named = CODE_POINTS[codePoint];
  if (named === undefined && (codePoint < 32 || codePoint > 0x10ffff || (codePoint >= 0xe000 && codePoint <= 0xf8ff))) return null;
  const name = named ?? String.fromCodePoint(codePoint);
  const modifiers = toModifiers(modifier - 1);
  if (named === undefined && (modifiers === "" || modifiers === "shift-")) return { type: "text", text: modifiers === "" ? name : name.toUpperCase() };
  return { type: "press", name: `${modifiers}${name}` };
}

/** Bits as both protocols count them: 1 shift, 2 alt, 4 control. */
function toModifiers(bits: number): string {
  return `${(bits & 4) === 0 ? "" : "ctrl-"}${(bits & 2) === 0 ? "" : "alt-"}${(bits & 1) === 0 ? "" : "shift-"}`;
}
