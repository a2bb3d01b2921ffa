import type * as zodMini from "zod/mini";
import type * as zod from "./zod.js";
import { WINDOW_FORMS, describeWindowProblem } from "./budget-window.js";
import { EXIT_MAP_FORM, tryParseExitMap } from "../exit-map.js";
import { DURATION_FORMS, describeDurationProblem, type Duration } from "./duration.js";

/** zod is handed in, never imported here: a run without any configuration must not pay for loading it. */
export type Zod = typeof zod;

/** The kind of value that a key takes. */
export interface Kind<T> {
  /** What may stand there, as the end of "expected …". */
  readonly expected: string;
  readonly schema: (z: Zod) => zodMini.ZodMiniType<T>;
  /** The value that a word means which stands in an environment variable or on the command line. Absent: JSON only, no variable. */
  readonly fromText?: (text: string) => unknown;
  readonly values?: readonly string[];
}

const verbatim = (text: string): string => text;

/** An id or a name that becomes an argument of another program: it must not look like a flag. */
export const WORD: Kind<string> = {
  expected: "a name that does not begin with \"-\"",
  schema: (z) => z.string().check(z.regex(/^[^\s\-\p{Cc}][^\p{Cc}]*$/u)),
  fromText: verbatim,
};

export const PROSE: Kind<string> = {
  expected: "a text that is not empty",
  schema: (z) => z.string().check(z.regex(/^[^\0]+$/)),
  fromText: verbatim,
};

export const DURATION: Kind<Duration> = {
  expected: `a duration (${DURATION_FORMS}; at most 24 days)`,
  schema: (z) => z.union([z.string(), z.number()]).check(z.refine((value) => describeDurationProblem(value) === null)),
  fromText: verbatim,
};

export const EXIT_MAP: Kind<string> = {
  expected: EXIT_MAP_FORM,
  schema: (z) => z.string().check(z.refine((text) => tryParseExitMap(text) !== null)),
  fromText: verbatim,
};

export const WORDS: Kind<readonly string[]> = {
  expected: "a list of strings",
  schema: (z) => z.array(z.string().check(z.regex(/^[^\0]*$/))),
};

export const VARIABLES: Kind<Readonly<Record<string, string>>> = {
  expected: "an object of variable names and strings",
  schema: (z) => z.record(z.string().check(z.regex(/^[^\s=\0]+$/)), z.string().check(z.regex(/^[^\0]*$/))),
};

/** Records of users' own backends are checked when one is used: a fault in one must not stop the others. */
export const RECORDS: Kind<Readonly<Record<string, unknown>>> = {
  expected: "an object of backend ids and backend records",
  schema: (z) => z.record(z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]*$/i)), z.unknown()),
};

/** Servers are checked when one is asked, for the same reason. */
export const SERVERS: Kind<Readonly<Record<string, unknown>>> = {
  expected: "an object of server names and their settings",
  schema: (z) => z.record(z.string(), z.unknown()),
};

const SWITCH_WORDS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

export const SWITCH: Kind<boolean> = {
  expected: "true or false",
  schema: (z) => z.boolean(),
  fromText: (text) => SWITCH_WORDS[text] ?? text,
};

export function oneOf<const T extends string>(values: readonly [T, ...T[]]): Kind<T> {
  return { expected: `one of ${values.join(", ")}`, values, schema: (z) => z.enum(values), fromText: verbatim };
}

export function wholeNumber(lowest: number, highest: number): Kind<number> {
  return {
    expected: `a whole number from ${lowest} to ${highest}`,
    schema: (z) => z.int().check(z.gte(lowest), z.lte(highest)),
    fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  };
}

/** Of a limit 0 would mean "nothing" to one reader and "off" to another. */
export const AMOUNT: Kind<number> = {
  expected: "a number above 0",
  schema: (z) => z.number().check(z.gt(0)),
  fromText: (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text),
};

export const WINDOW: Kind<string> = {
  expected: WINDOW_FORMS,
  schema: (z) => z.string().check(z.refine((value) => describeWindowProblem(value) === null)),
  fromText: verbatim,
};
