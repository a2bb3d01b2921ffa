/**
 * Words as a shell would split them: blanks separate, quotes keep together, a backslash takes the next character as it is.
 * Text whose quotes do not close (an apostrophe in a sentence) is split at blanks alone.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  // written so that no part can be matched in two ways: arguments may be megabytes
  const pattern = /\s*((?:[^\s"'\\]+|\\[^]|"[^"\\]*(?:\\[^][^"\\]*)*"|'[^']*')+)\s*/uy;
  while (pattern.lastIndex < text.length) {
    const word = pattern.exec(text)?.[1];
    if (word === undefined) return text.trim() === "" ? [] : text.trim().split(/\s+/u);
    words.push(unquote(word));
  }
  return words;
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/gu, (_all, single?: string, double?: string, escaped?: string) =>
    single ?? double?.replace(/\\(["\\$`])/gu, "$1") ?? escaped ?? "",
  );
}
