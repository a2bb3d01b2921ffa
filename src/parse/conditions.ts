import type { Condition, PathTest } from "../adapters/traits.js";
import { valueAt, valuesAt } from "./paths.js";

/** A condition made ready for many records. */
export type RecordTest = (record: unknown) => boolean;

/** Compiles a condition once, so that testing a record costs no more than walking its paths. */
export function compileCondition(condition: Condition): RecordTest {
  if ("all" in condition) {
    const tests = condition.all.map(compileCondition);
    return (record) => tests.every((test) => test(record));
  }
  if ("any" in condition) {
    const tests = condition.any.map(compileCondition);
    return (record) => tests.some((test) => test(record));
  }
  if ("not" in condition) {
    const test = compileCondition(condition.not);
    return (record) => !test(record);
  }
  return compilePathTest(condition);
}

/** The same for a condition that may be absent: then every record passes. */
export function compileOptional(condition: Condition | undefined): RecordTest {
  return condition === undefined ? () => true : compileCondition(condition);
}

function compilePathTest(test: PathTest): RecordTest {
  const accepts = compileValueTests(test);
  if (test.path.includes("*")) return (record) => valuesAt(record, test.path).some(accepts);
  return (record) => accepts(valueAt(record, test.path));
}

function compileValueTests(test: PathTest): (value: unknown) => boolean {
  const checks: ((value: unknown) => boolean)[] = [];
  const { equals, oneOf, startsWith, matches, atLeast, exists } = test;
  if (equals !== undefined) checks.push((value) => value === equals);
  if (oneOf !== undefined) checks.push((value) => oneOf.some((allowed) => allowed === value));
  if (startsWith !== undefined) checks.push((value) => typeof value === "string" && value.startsWith(startsWith));
  if (matches !== undefined) {
    const pattern = new RegExp(matches, "iu");
    checks.push((value) => typeof value === "string" && pattern.test(value));
  }
  if (atLeast !== undefined) checks.push((value) => typeof value === "number" && value >= atLeast);
  if (exists !== undefined) checks.push((value) => (value !== undefined && value !== null) === exists);
  const [only] = checks;
  return checks.length === 1 && only !== undefined ? only : (value) => checks.every((check) => check(value));
}
