const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** The segmenter takes a time that grows with the square of a text: a megabyte without a blank would stop a chat for hours. */
const PIECE_CHARS = 512;

/** The characters of a text as a person sees them, one after the other. */
export function* listGraphemes(text: string): Generator<string, void, undefined> {
  let end = findPieceEnd(text, PIECE_CHARS);
  for (let from = 0; from < text.length; ) {
    const graphemes = Array.from(SEGMENTER.segment(text.slice(from, end)), ({ segment }) => segment);
    // The last one may go on behind the piece: it is looked at again with more of the text.
    if (end < text.length) graphemes.pop();
    for (const grapheme of graphemes) {
      yield grapheme;
      from += grapheme.length;
    }
    end = findPieceEnd(text, (graphemes.length === 0 ? end : from) + PIECE_CHARS);
  }
}

/** Not within a code point: half of one stands for itself, and would seem to begin another character. */
function findPieceEnd(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}
