import { describe, expect, it } from "vitest";
import { defineBackend } from "../../../src/adapters/define-backend.js";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";

// They are not checked again in each run.
describe("the records that come with jlgcli", () => {
  it.each(BUILT_IN_RECORDS.map((record) => ({ id: record.id, record })))("$id is sound", ({ record }) => {
    expect(defineBackend(record)).toBe(record);
  });

  it("have ids of their own", () => {
    expect(new Set(BUILT_IN_RECORDS.map(({ id }) => id)).size).toBe(BUILT_IN_RECORDS.length);
  });
});
