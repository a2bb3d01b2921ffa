import { closest, distance } from "fastest-levenshtein";

/** The candidate that a mistyped word most likely means; null where none is near enough to be worth a guess. */
export function didYouMean(word: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null;
  const typed = word.toLowerCase();
  const lowered = candidates.map((candidate) => candidate.toLowerCase());
  const nearest = closest(typed, lowered);
  if (distance(typed, nearest) > tolerance(typed)) return null;
  return candidates[lowered.indexOf(nearest)] ?? null;
}

/** One slip in three letters, and at least one: `modle` is near `model`, `xy` is not near `gemini`. */
function tolerance(word: string): number {
  return Math.max(1, Math.ceil(word.length / 3));
}
