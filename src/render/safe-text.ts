/**
 * Text of a stranger, made safe to show on a terminal: no sequence and no character in it can steer one. Lines and tabs
 * stay, and so does every word that a terminal would show. Not with Node's own `stripVTControlCharacters`: before Node 24
 * it takes words for a part of a sequence.
 */
export function toSafeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(SEQUENCE, "").replace(STEERING, "");
}

/**
 * What of a text that comes in pieces can be made safe by now, and its end that may be the beginning of a sequence: that
 * belongs before the next piece. Long strings for the terminal are not waited for.
 */
export function splitUnfinished(text: string): { readonly whole: string; readonly rest: string } {
  const at = text.slice(-MAX_WAITING_CHARS).search(UNFINISHED);
  const end = at === -1 ? text.length : Math.max(0, text.length - MAX_WAITING_CHARS) + at;
  return { whole: text.slice(0, end), rest: text.slice(end) };
}

const MAX_WAITING_CHARS = 256;

/** The beginnings of what `SEQUENCE` takes for a whole, at the end of a text; a carriage return may be half a line end. */
const UNFINISHED = new RegExp(
  [
    String.raw`(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\n\u0007\u001B\u0080-\u009F]*\u001B?$`,
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*$`,
    String.raw`\u001B[ -/]*$`,
    String.raw`\r$`,
  ].join("|"),
);

/** By ECMA-48, 8.3: what terminals take for one whole sequence. */
const SEQUENCE = new RegExp(
  [
    // A string for the terminal (its title, a link), with its end. One without an end loses its beginning alone.
    String.raw`(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\n\u0007\u001B\u0080-\u009F]*(?:\u0007|\u001B\\|\u009C)`,
    // Colours, the cursor, modes.
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
    // All others.
    String.raw`\u001B[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** The control characters but line feed and tab, also the 8-bit ones, which some terminals read as escape sequences. */
const STEERING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
