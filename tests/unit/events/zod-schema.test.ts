import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { RunEvent, RunResult } from "../../../src/events/schema.js";
import { EVENT_SCHEMAS, runEventSchema, type runResultSchema } from "../../../src/events/zod-schema.js";

/** The same types apart from `readonly`, which JSON does not know. */
type Mutable<T> = T extends readonly (infer Item)[] ? Mutable<Item>[] : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
/** True only for the very same type: one that is merely assignable gives false. */
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const sameEvents: IsSame<Mutable<RunEvent>, Mutable<z.infer<typeof runEventSchema>>> = true;
const sameResult: IsSame<Mutable<RunResult>, Mutable<z.infer<typeof runResultSchema>>> = true;
// The comparison itself can fail.
const notSame: IsSame<Mutable<RunResult>, Mutable<Omit<RunResult, "details">>> = false;

describe("the zod schemas of the events", () => {
  it("are the plain types, which the compiler proves", () => {
    expect([sameEvents, sameResult, notSame]).toEqual([true, true, false]);
  });

  it("hold every event once", () => {
    const types = EVENT_SCHEMAS.map((schema) => schema.shape.type.value);
    expect(new Set(types).size).toBe(types.length);
    expect(runEventSchema.safeParse({ type: "surprise" }).success).toBe(false);
  });
});
