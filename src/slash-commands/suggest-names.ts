import { distance } from "fastest-levenshtein";

/** How many names are worth showing to a person who mistyped one. */
const SUGGESTION_LIMIT = 3;

/** Names close to a mistyped one, best first. A part after the last `:` counts too, so that `reviw` finds `user:review`. */
export function suggestNames(typed: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, distance: Math.min(...formsOf(name).map((form) => distanceBetween(typed, form))) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, SUGGESTION_LIMIT)
    .map((candidate) => candidate.name);
}

function formsOf(name: string): string[] {
  return [name, name.slice(name.lastIndexOf(":") + 1)];
}

function distanceBetween(typed: string, name: string): number {
  const [one, other] = [typed.toLowerCase(), name.toLowerCase()];
  return typed.length >= 3 && other.startsWith(one) && other !== one ? 1 : distance(one, other);
}
