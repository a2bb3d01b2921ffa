import { Buffer } from "node:buffer";

/** Shorter values are words and numbers that stand in ordinary text. */
const MIN_LITERAL_LENGTH = 8;

/** Names whose value is secret whatever it looks like. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|API_?KEY|ACCESS_KEY(?:_ID)?|SECRET_KEY|PRIVATE_KEY|SIGNING_KEY|ENCRYPTION_KEY|MASTER_KEY|ACCOUNT_KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|CONNECTION_STRING)(?:_?\d+)?$/i;

/** Names whose value is secret where it looks random: `SORT_KEY=created_at` is not. */
const MAYBE_SECRET_NAME = /(?:^|_)(?:TOKEN|API_?KEY|KEY|SECRET|PASSWORD|PASS|PAT|AUTH|COOKIE|SESSION|WEBHOOK|DSN|CREDENTIALS?)(?:_|\d|$)/i;

const PLAIN_VALUES = /^(?:true|false|yes|no|on|off|null|none|undefined|disabled|enabled|required|optional|anonymous|default|changeme|localhost|redacted)$/i;

/**
 * Regular expressions for the values in an environment that must not be shown, in every form in which they may stand in
 * text: as they are, escaped in JSON (also in JSON within JSON), URL-encoded, any mixture of these, in base64, and as
 * the bytes of UTF-8 taken for characters one by one. Longest first, so that a value wins over another that begins it.
 */
export function findSecretLiterals(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isSecret(name, value)) for (const part of toParts(value)) values.add(part);
  }
  return [...values].sort((a, b) => b.length - a.length).flatMap((value) => [toPattern(value), toBase64Pattern(value)]);
}

function isSecret(name: string, value: string): boolean {
  const trimmed = value.trim();
  if (trimmed.length < MIN_LITERAL_LENGTH || PLAIN_VALUES.test(trimmed) || isPath(trimmed)) return false;
  return SECRET_NAME.test(name) || (MAYBE_SECRET_NAME.test(name) && looksRandom(trimmed));
}

/** A path is where a secret stands, not the secret. A base64 key may begin with a slash too. */
function isPath(value: string): boolean {
  const startsLikePath = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/]|file:)/.test(value);
  const isBase64Key = /^[A-Za-z0-9+/=]{32,}$/.test(value) && looksRandom(value);
  return startsLikePath && !isBase64Key;
}

function looksRandom(value: string): boolean {
  return value.length >= 16 && !/\s/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Text is redacted line by line, so a value of several lines is looked for line by line too. */
function toParts(value: string): readonly string[] {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= 2 * MIN_LITERAL_LENGTH);
  return trimmed.includes("\n") ? [trimmed, ...lines] : [trimmed];
}

function toPattern(value: string): string {
  return Array.from(value, toCharacterPattern).join("");
}

/** Characters that are written in more ways than the general ones. */
const CHARACTER_PATTERNS: Readonly<Record<string, string>> = {
  // In pairs, because a single one belongs to the escape that follows.
  "\\": String.raw`(?:(?:\\\\){1,8}|\\|%5[Cc])`,
  '"': String.raw`(?:\\{0,16}"|%22|&quot;|\\{1,16}u0022)`,
  // No line break itself: text is redacted line by line.
  "\n": String.raw`(?:\\{1,16}n|%0[Aa])`,
  "\r": String.raw`(?:\\{1,16}r|%0[Dd])?`,
  "\t": String.raw`(?:\t|\\{1,16}t|%09)`,
  " ": String.raw`(?: |%20|\+)`,
  "/": String.raw`(?:\\{0,16}\/|%2[Ff])`,
};

function toCharacterPattern(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  return CHARACTER_PATTERNS[character] ?? `(?:${toWaysToWrite(character).join("|")})`;
}

function toWaysToWrite(character: string): readonly string[] {
  const bytes = Buffer.from(character);
  const encoded = Array.from(bytes, (byte) => `%${toHexPattern(byte, 2)}`).join("");
  const escaped = Array.from({ length: character.length }, (_, unit) => String.raw`\\{1,16}u${toHexPattern(character.charCodeAt(unit), 4)}`).join("");
  return [quote(character), quote(bytes.toString("latin1")), encoded, escaped];
}

/** A number in hexadecimal digits of either case. */
function toHexPattern(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0").replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function toBase64Pattern(value: string): string {
  return quote(Buffer.from(value).toString("base64").replace(/=+$/, ""));
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
