const MAX_TITLE_CHARS = 80;
/** A secret that begins in the title is known by its shape within so many characters. */
const MAX_LINE_CHARS = 4096;
/** A shorter value of a variable is no secret. */
const MIN_VALUE_CHARS = 4;

/**
 * The title of a session: the first line of its prompt, without secrets.
 * @param redact loads what is needed to find them; not called for plain words, which is what most titles are.
 */
export async function toSessionTitle(prompt: string, env: Readonly<Record<string, string | undefined>>, redact: (text: string) => Promise<string>): Promise<string> {
  const line = (/\S[^\r\n]*/.exec(prompt)?.[0] ?? "").slice(0, MAX_LINE_CHARS);
  return shorten(isPlain(line, env) ? line : await redact(line));
}

/** Keys, tokens and passwords have a long word, a digit in a longer one, or one of the signs that join a name with its value. */
const PLAIN_WORDS = /^(?:[\p{L}'’]{1,15}|[\p{N}]{1,4}|[\s.,;!?()"])(?:[\s.,;!?()"]+(?:[\p{L}'’]{1,15}|[\p{N}]{1,4}))*[\s.,;!?()"]*$/u;

function isPlain(line: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return PLAIN_WORDS.test(line) && !Object.values(env).some((value) => value !== undefined && value.length >= MIN_VALUE_CHARS && line.includes(value));
}

function shorten(line: string): string {
  const characters = [...line.replaceAll(/\s+/g, " ").trim()];
  return characters.length <= MAX_TITLE_CHARS ? characters.join("") : `${characters.slice(0, MAX_TITLE_CHARS - 1).join("")}…`;
}
