import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExecutorOutputTraits } from "../../../src/adapters/traits.js";
import { compileQuotaReader } from "../../../src/parse/quota-windows.js";
import type { JsonRecord } from "../../../src/parse/paths.js";
import { createUsageMeter } from "../../../src/parse/usage-meter.js";

const OUTPUT: ExecutorOutputTraits = {
  payload: "jsonl",
  resultPath: ["x"],
  usageWhen: { path: ["t"], equals: "u" },
  usagePaths: [["in"], ["out"]],
  usageParts: { inputTokens: ["in"], outputTokens: ["out"], cacheReadTokens: ["cached"] },
  costPath: { path: ["usd"], when: { path: ["t"], equals: "u" }, currency: "USD" },
};

function measure(records: readonly JsonRecord[], output = OUTPUT) {
  const meter = createUsageMeter(output);
  const told = records.map((record) => meter.add(record));
  return { total: meter.total, usage: meter.usage, cost: meter.cost, told };
}

describe("the usage of a run", () => {
  it("is unknown before anything is told", () => {
    expect(measure([{ t: "other", in: 1, out: 2 }])).toEqual({ total: undefined, usage: null, cost: null, told: [false] });
  });

  it("is summed within and across records, by part, with null for a part that is never told", () => {
    const { total, usage, cost } = measure([{ t: "u", in: 1, out: 2, cached: 5, usd: 0.5 }, { t: "u", in: 10, out: 20, cached: 0, usd: 0.25 }]);
    expect(total).toBe(33);
    expect(usage).toEqual({ inputTokens: 11, outputTokens: 22, cacheReadTokens: 5, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 33 });
    expect(cost).toEqual({ amount: 0.75, currency: "USD" });
  });

  it("voids a part that is missing once, and no other", () => {
    const { total, usage } = measure([{ t: "u", in: 1, out: 2, cached: 5 }, { t: "u", in: 1, out: 2 }]);
    expect(total).toBe(6);
    expect(usage).toMatchObject({ inputTokens: 2, cacheReadTokens: null });
  });

  it.each([["a string", "1"], ["negative", -1], ["null", null], ["missing", undefined], ["a list", [1]], ["an object", { n: 1 }], ["a boolean", true], ["infinite", Infinity]])(
    "is void for good when a term is %s",
    (_name, term) => {
      expect(measure([{ t: "u", in: term, out: 2 }, { t: "u", in: 1, out: 2 }]).total).toBeUndefined();
      expect(measure([{ t: "u", in: 1, out: 2 }, { t: "u", in: term, out: 2 }]).total).toBeUndefined();
    },
  );

  it("counts what is told as 0 as 0", () => {
    expect(measure([{ t: "u", in: 0, out: 0 }])).toMatchObject({ total: 0, usage: { totalTokens: 0, inputTokens: 0 } });
  });

  it("sums every model of a list and of a map", () => {
    const output: ExecutorOutputTraits = { payload: "jsonl", resultPath: ["x"], usageWhen: { path: ["m"], exists: true }, usagePaths: [["m", "*", "n"]] };
    expect(measure([{ m: { a: { n: 1 }, b: { n: 2 } } }], output).total).toBe(3);
    expect(measure([{ m: [{ n: 4 }, { n: 5 }] }], output).total).toBe(9);
    expect(measure([{ m: {} }], output).total).toBeUndefined();
  });

  it("is void once output was lost", () => {
    const meter = createUsageMeter(OUTPUT);
    meter.add({ t: "u", in: 1, out: 2, usd: 1 });
    meter.voidAll();
    meter.add({ t: "u", in: 1, out: 2, usd: 1 });
    expect([meter.total, meter.usage, meter.cost]).toEqual([undefined, null, null]);
  });

  it("is the sum of its terms, in any order", () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1 }), (terms) => {
      const { total } = measure(terms.map(([a, b]) => ({ t: "u", in: a, out: b })));
      expect(total).toBe(terms.flat().reduce((sum, term) => sum + term, 0));
    }));
  });
});

describe("quota windows", () => {
  const read = compileQuotaReader({ when: { path: ["t"], equals: "q" }, path: ["info", "windows"], utilizationKey: "used", resetsAtKey: "at" });

  it.each<readonly [string, unknown, unknown]>([
    ["all that are readable, verbatim", { a: { used: 0.5, at: 10 }, "b-c": { used: 130, at: -1, extra: 1 } }, [{ name: "a", utilization: 0.5, resetsAt: 10 }, { name: "b-c", utilization: 130, resetsAt: -1 }]],
    ["those whose figures are numbers", { a: { used: "0.5", at: 10 }, b: { used: 1, at: null }, c: { used: 1 }, d: 4, e: { used: 0, at: 0 } }, [{ name: "e", utilization: 0, resetsAt: 0 }]],
    ["none of an empty map", {}, undefined],
    ["none of a list", [{ used: 1, at: 1 }], undefined],
    ["none of a text", "soon", undefined],
  ])("are read: %s", (_name, windows, expected) => {
    expect(read({ t: "q", info: { windows } })).toEqual(expected);
  });

  it("are read from no other record", () => {
    expect(read({ t: "x", info: { windows: { a: { used: 1, at: 1 } } } })).toBeUndefined();
    expect(compileQuotaReader(undefined)({ t: "q" })).toBeUndefined();
  });
});
