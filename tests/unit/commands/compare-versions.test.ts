import { describe, expect, it } from "vitest";
import { compareVersions, isVersionWithin } from "../../../src/commands/compare-versions.js";

describe("compareVersions", () => {
  it.each([
    ["1.0.102", "1.0.99", 1],
    ["0.171.0", "0.172.0", -1],
    ["2.1", "2.1.0", 0],
    ["v20.19.0", "20.19", 0],
    ["10.0.0", "9.9.9", 1],
    ["1.2.3-beta.1", "1.2.3", 0],
  ])("finds %s against %s to be %i", (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b) ?? NaN)).toBe(sign);
  });

  it.each([["latest", "1.0"], ["1.0", ""], ["", ""]])("cannot compare %j with %j", (a, b) => {
    expect(compareVersions(a, b)).toBeNull();
  });
});

describe("isVersionWithin", () => {
  it.each([
    ["0.170.9", false],
    ["0.171.0", true],
    ["0.171.12", true],
    ["0.172.0", false],
    ["nightly", null],
  ])("says of %s from 0.171.0 below 0.172.0: %s", (version, isWithin) => {
    expect(isVersionWithin(version, { from: "0.171.0", below: "0.172.0" })).toBe(isWithin);
  });
});
