/** From this similarity on two answers count as nearly equal: of a hundred words five may be others. */
export const ALIKE_FROM = 0.95;

/**
 * How much two texts have in common, from 0 to 1: twice the words that both have (each as often as it stands in both)
 * by the words of both. White space does not count; letter case, punctuation and every figure do, so that
 * "12 tests fail" after "42 tests fail" is progress. Takes time in proportion to the texts' length.
 */
export function measureSimilarity(one: string, other: string): number {
  const words = splitWords(one);
  const others = splitWords(other);
  const total = words.length + others.length;
  if (total === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of others) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    common += 1;
  }
  return (2 * common) / total;
}

/** How many answers at the end are equal or nearly equal to the one before them, the first of the row included. */
export function countAlike(answers: readonly string[]): number {
  let count = answers.length === 0 ? 0 : 1;
  for (let at = answers.length - 1; at > 0; at -= 1) {
    if (measureSimilarity(answers[at] ?? "", answers[at - 1] ?? "") < ALIKE_FROM) break;
    count += 1;
  }
  return count;
}

/** Scripts that are written without blanks are counted by characters. */
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}]/gu;

function splitWords(text: string): readonly string[] {
  return text.match(WORDS) ?? [];
}
