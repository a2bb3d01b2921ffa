import fc from "fast-check";

/** Cuts bytes at these places. */
export function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const at = [0, ...[...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

/** Places to cut at: few, many, next to each other. */
export const cuts = fc.oneof(fc.array(fc.nat(), { maxLength: 8 }), fc.nat(4000).map((from) => Array.from({ length: 60 }, (_, index) => from + index)));
