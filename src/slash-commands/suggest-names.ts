/** How many names are worth showing to a person who mistyped one. */
const SUGGESTION_LIMIT = 3;

/** Names that a mistyped one may mean, best first. The part after the last `:` counts too: `reviw` finds `user:review`. */
export async function suggestNames(typed: string, names: readonly string[]): Promise<string[]> {
  // only a mistake pays for the library
  const { didYouMean } = await import("../did-you-mean.js");
  const short = typed.length < 3;
  const suggestions = new Set(short ? [] : names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase())));
  for (let open = [...names]; suggestions.size < SUGGESTION_LIMIT; ) {
    const form = didYouMean(typed, open.flatMap((name) => [name, lastPart(name)]));
    if (form === null) break;
    const [found] = open.filter((name) => name === form || lastPart(name) === form);
    if (found !== undefined) suggestions.add(found);
    open = open.filter((name) => name !== found);
  }
  return [...suggestions].slice(0, SUGGESTION_LIMIT);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}
