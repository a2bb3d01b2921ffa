import type { Redactor } from "./redact.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** Redacts what is shown beside the answer. */
export interface LazyRedactor {
  readonly redactText: (text: string) => Promise<string>;
  /** A copy of a JSON value without credentials. */
  readonly redactJson: (value: unknown) => Promise<unknown>;
}

/** Loads the rules when they are first needed: most runs have nothing to redact, and the rules are many. */
export function createLazyRedactor(env: Variables): LazyRedactor {
  let redactor: Promise<Redactor> | undefined;
  const load = (): Promise<Redactor> => (redactor ??= import("./redact.js").then(({ createRedactor }) => createRedactor(env)));
  return {
    redactText: async (text) => (await load())(text),
    redactJson: async (value) => {
      const redact = await load();
      const { redactValue } = await import("./redact.js");
      return redactValue(value, redact);
    },
  };
}
