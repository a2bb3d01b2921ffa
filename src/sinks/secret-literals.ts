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
 * The values in an environment that must not be shown, in every form in which they may stand in text:
 * as they are, escaped as a JSON string (once and twice), URL-encoded, in base64, and as the bytes of UTF-8
 * read one by one. Longest first, so that a longer value wins over one that begins it.
 */
export function findSecretLiterals(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const literals = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isSecret(name, value)) {
      for (const part of toParts(value)) for (const form of toForms(part)) literals.add(form);
    }
  }
  return [...literals].filter((form) => form.length >= MIN_LITERAL_LENGTH).sort((a, b) => b.length - a.length);
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

function toForms(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const encoded = encodeSafely(value);
  const plain = [value, escaped, JSON.stringify(escaped).slice(1, -1)];
  const forms = [...plain, encoded, encoded.replaceAll("%20", "+"), Buffer.from(value).toString("base64").replace(/=+$/, "")];
  return [...forms, ...plain.map((form) => Buffer.from(form).toString("latin1"))].filter((form) => !form.includes("\n"));
}

/** A lone surrogate has no URL-encoded form. */
function encodeSafely(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
