import { JlgcliError } from "./errors.js";

/** From one of our exit codes to the number that a caller wants in its place. */
export type ExitMap = ReadonlyMap<number, number>;

/** What an exit map looks like, as the end of "expected …". */
export const EXIT_MAP_FORM = "pairs of exit codes such as 2=125,6=125, each from 0 to 255 and each left side once";

/** `2=125,6=125` -> map. @throws JlgcliError `USAGE_INVALID` */
export function parseExitMap(text: string): ExitMap {
  const map = tryParseExitMap(text);
  if (map !== null) return map;
  throw new JlgcliError("USAGE_INVALID", `--exit-map: expected ${EXIT_MAP_FORM}, got ${JSON.stringify(text)}`, {
    hint: "for git bisect: --exit-map 2=125,6=125,69=125,75=125",
  });
}

/** Null for a text that is no exit map. */
export function tryParseExitMap(text: string): ExitMap | null {
  const pairs = text.split(",").map(parsePair);
  const known = pairs.filter((pair) => pair !== null);
  const map = new Map(known);
  return known.length === pairs.length && map.size === pairs.length ? map : null;
}

function parsePair(text: string): readonly [number, number] | null {
  const found = /^\s*(\d{1,3})\s*=\s*(\d{1,3})\s*$/.exec(text);
  const [from, to] = [Number(found?.[1]), Number(found?.[2])];
  return from <= HIGHEST_EXIT_CODE && to <= HIGHEST_EXIT_CODE ? [from, to] : null;
}

/** A larger number would wrap: 256 is seen as 0. */
const HIGHEST_EXIT_CODE = 255;
