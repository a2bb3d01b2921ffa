/**
 * Compares dotted numbers (`1.0.102`), as the backends' versions are: negative where `a` is lower, 0 where both are the
 * same, null where one is no such number. What follows the numbers (`-beta.1`) does not count.
 */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === null || right === null) return null;
  const length = Math.max(left.length, right.length);
  const differences = Array.from({ length }, (_, index) => (left[index] ?? 0) - (right[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** Whether a version lies in a range (its end is not part of it); null where that cannot be told. */
export function isVersionWithin(version: string, range: { readonly from: string; readonly below: string }): boolean | null {
  const [toStart, toEnd] = [compareVersions(version, range.from), compareVersions(version, range.below)];
  return toStart === null || toEnd === null ? null : toStart >= 0 && toEnd < 0;
}

function parseVersion(text: string): readonly number[] | null {
  const numbers = /^v?(\d+(?:\.\d+)*)/.exec(text.trim())?.[1];
  return numbers === undefined ? null : numbers.split(".").map(Number);
}
