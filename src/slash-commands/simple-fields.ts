/**
 * Front matter that consists of `key: text` lines alone, which nearly all of it does, read without a YAML parser: over a
 * thousand files the parser costs half a second, this a few milliseconds. Null for anything that YAML could read in
 * another way; the parser then decides. Every value is a string; the readers of fields take strings for all of them.
 */
export function parseSimpleFields(source: string): Readonly<Record<string, string>> | null {
  const fields: Record<string, string> = {};
  for (const line of source.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const key = /^[A-Za-z][\w-]*(?=:(?:\s|$))/u.exec(line)?.[0];
    const value = key === undefined ? null : readValue(key, line.slice(key.length + 1).trim());
    if (key === undefined || value === null || Object.hasOwn(fields, key)) return null;
    fields[key] = value;
  }
  return fields;
}

/** Fields that are text in any case. YAML would stumble over a colon in them, and people mean it as it stands. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(["description", "argument-hint", "argument_hint", "when_to_use"]);
const FLAGS: ReadonlySet<string> = new Set(["disable-model-invocation", "user-invocable"]);
/** Fields that people write in brackets, which YAML takes for lists. */
const BRACKETED_FIELDS: ReadonlySet<string> = new Set(["argument-hint", "argument_hint"]);

function readValue(key: string, written: string): string | null {
  const quoted = /^"([^"\\]*)"$/u.exec(written)?.[1] ?? /^'([^']*)'$/u.exec(written)?.[1];
  if (quoted !== undefined) return quoted;
  if (written === "" || /\s#/u.test(written) || /^(?:null|~)$/iu.test(written)) return null;
  const isBracketed = BRACKETED_FIELDS.has(key) && /^\[[^"'#]*\]$/u.test(written);
  if (!isBracketed && /^[-?:,[\]{}#&*!|>'"%@`~]/u.test(written)) return null;
  if (TEXT_FIELDS.has(key) || (FLAGS.has(key) && /^[a-z01]+$/iu.test(written))) return written;
  // a colon is a fault, a switch or a number is no string: the parser decides
  return /:(?:\s|$)|^(?:true|false)$|^[+.]?\d|^\.(?:inf|nan)$/iu.test(written) ? null : written;
}
