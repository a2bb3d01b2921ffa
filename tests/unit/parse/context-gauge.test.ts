import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextWindowTraits } from "../../../src/adapters/traits.js";
import { createContextGauge } from "../../../src/parse/context-gauge.js";
import type { JsonRecord } from "../../../src/parse/paths.js";

const TRAITS: ContextWindowTraits = {
  usedWhen: { path: ["t"], equals: "said" },
  usedPaths: [["in"], ["cached"]],
  sizeWhen: { path: ["t"], equals: "end" },
  sizePath: ["models", "{model}", "fits"],
};
const SAID = { t: "said", in: 10, cached: 5 };
const END = { t: "end", models: { big: { fits: 1000 }, small: { fits: 200 } } };

function gauge(records: readonly JsonRecord[], models: readonly string[] = ["big"], traits: ContextWindowTraits | undefined = TRAITS) {
  const made = createContextGauge(traits);
  const told = records.map((record) => made.add(record, new Set(models)));
  return { context: made.context, told };
}

describe("how full the context is", () => {
  it.each<[string, readonly JsonRecord[]]>([
    ["nothing is told", []],
    ["no size is told", [SAID]],
    ["only a size is told", [END]],
    ["neither stands in the record that may hold it", [{ t: "other", in: 1, cached: 1, models: END.models }]],
  ])("is not known where %s", (_what, records) => {
    expect(gauge(records)).toEqual({ context: null, told: records.map(() => false) });
  });

  it("is not known of a backend that does not tell", () => {
    const untold = createContextGauge(undefined);
    expect([untold.add(SAID, new Set()), untold.context]).toEqual([false, null]);
  });

  it("is told with the record that makes both figures known, and with each one after it", () => {
    expect(gauge([SAID, END, { t: "other" }, SAID]).told).toEqual([false, true, false, true]);
  });

  it("is what the last record says, and no sum of several", () => {
    expect(gauge([SAID, { ...SAID, in: 100 }, END]).context).toEqual({ usedTokens: 105, sizeTokens: 1000 });
    expect(gauge([{ ...SAID, in: 100 }, END, SAID]).context).toEqual({ usedTokens: 15, sizeTokens: 1000 });
  });

  it("counts what is told as 0 as 0", () => {
    expect(gauge([{ t: "said", in: 0, cached: 0 }, END]).context).toEqual({ usedTokens: 0, sizeTokens: 1000 });
  });

  it.each([["a string", "1"], ["negative", -1], ["null", null], ["missing", undefined], ["a list", [1]], ["infinite", Infinity]])("is not known any longer when a term is %s", (_name, term) => {
    expect(gauge([SAID, END, { ...SAID, cached: term }]).context).toBeNull();
    expect(gauge([SAID, END, { ...SAID, cached: term }, SAID]).context).toEqual({ usedTokens: 15, sizeTokens: 1000 });
  });

  it.each<[string, readonly string[], unknown, number | null]>([
    ["of the model that answered, not of a helper's", ["small"], END.models, 200],
    ["of a model of two names, one of which stands there", ["big[1m]", "big"], END.models, 1000],
    ["of none, where models that answered differ", ["big", "small"], END.models, null],
    ["of both, where they agree", ["big", "small"], { big: { fits: 7 }, small: { fits: 7 } }, 7],
    ["of none, where no model was told", [], END.models, null],
    ["of none, where the model is not among them", ["other"], END.models, null],
    ["of none, where it is no number", ["big"], { big: { fits: "1000" } }, null],
    ["of none, where it would be 0", ["big"], { big: { fits: 0 } }, null],
  ])("has the size %s", (_what, models, sizes, expected) => {
    expect(gauge([SAID, { t: "end", models: sizes }], models).context?.sizeTokens ?? null).toBe(expected);
  });

  it("takes a size that stands at one place as it is", () => {
    const traits: ContextWindowTraits = { usedWhen: { path: ["used"], exists: true }, usedPaths: [["used"]], sizeWhen: { path: ["size"], exists: true }, sizePath: ["size"] };
    expect(gauge([{ used: 3, size: 9 }], [], traits)).toEqual({ context: { usedTokens: 3, sizeTokens: 9 }, told: [true] });
  });

  it("is forgotten with a line that was lost, until it is told again", () => {
    const made = createContextGauge(TRAITS);
    const models = new Set(["big"]);
    for (const record of [SAID, END]) made.add(record, models);
    made.forget();
    expect(made.context).toBeNull();
    expect([made.add(SAID, models), made.add(END, models)]).toEqual([false, true]);
    expect(made.context).toEqual({ usedTokens: 15, sizeTokens: 1000 });
  });

  it("is read from anything without a throw, and is two numbers or nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ t: fc.constantFrom("said", "end"), in: fc.anything(), cached: fc.anything(), models: fc.anything() })), (records) => {
        const { context } = gauge(records);
        expect(context === null || (context.usedTokens >= 0 && context.sizeTokens > 0)).toBe(true);
      }),
    );
  });
});
