/**
 * What of a final text was not streamed: '' where the streamed text ends with it already. What is given, put after the
 * streamed text, makes it end with the final one. Blanks at the end do not count.
 */
export function findUnstreamedText(streamed: string, text: string): string {
  const [told, wanted] = [streamed.trimEnd(), text.trimEnd()];
  if (told.endsWith(wanted)) return "";
  // Only the text as it was streamed can be gone on with: a blank between would be lost.
  return text.slice(findOverlap(streamed, text));
}

/** How much of the end of one text is the beginning of the other: Knuth, Morris and Pratt, in linear time. */
function findOverlap(ending: string, beginning: string): number {
  const tail = ending.slice(-beginning.length);
  const borders = listBorders(beginning);
  let matched = 0;
  for (const character of toUnits(tail)) {
    while (matched > 0 && character !== beginning.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === beginning.charCodeAt(matched)) matched += 1;
  }
  return isWholeCharacter(beginning, matched) ? matched : 0;
}

/** For each beginning of a text, the length of its longest end that is a beginning too. */
function listBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(matched)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}

function* toUnits(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) yield text.charCodeAt(at);
}

/** A pair of surrogates is one character. */
function isWholeCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !(code >= 0xdc00 && code <= 0xdfff && at > 0);
}
