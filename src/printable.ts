/** Text from a file or a folder's name, safe to print: a control character must not steer the reader's terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** A value as JSON, short enough for a sentence. */
export function preview(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return printable(json.length > 60 ? `${json.slice(0, 59)}…` : json);
}

/** A path as one word of a shell command. */
export function quotePath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", `'\\''`)}'`;
}
