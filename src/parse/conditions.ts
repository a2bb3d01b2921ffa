import type { Condition, PathTest } from "../adapters/traits.js";
import { compilePath, valuesAt, type PathCompiler } from "./paths.js";

/** A condition made ready for many records. */
export type RecordTest = (record: unknown) => boolean;

/** Compiles a condition once, so that testing a record costs no more than walking its paths. */
export function compileCondition(condition: Condition, toPathReader: PathCompiler = compilePath): RecordTest {
  const compile = (part: Condition): RecordTest => compileCondition(part, toPathReader);
  if ("all" in condition) {
    return compileAll(condition.all.map(compile));
  }
  if ("any" in condition) {
    const tests = condition.any.map(compile);
    return (record) => tests.some((test) => test(record));
  }
  if ("not" in condition) {
    const test = compile(condition.not);
    return (record) => !test(record);
  }
  return compilePathTest(condition, toPathReader);
}

/** The same for a condition that may be absent: then every record passes. */
export function compileOptional(condition: Condition | undefined, toPathReader: PathCompiler = compilePath): RecordTest {
  return condition === undefined ? () => true : compileCondition(condition, toPathReader);
}

function compilePathTest(test: PathTest, toPathReader: PathCompiler): RecordTest {
  const accepts = compileValueTests(test);
  if (test.path.includes("*")) return (record) => valuesAt(record, test.path).some(accepts);
  const read = toPathReader(test.path);
  return (record) => accepts(read(record));
}

/** Two tests, a record's type and its item's, are what nearly every rule has. */
function compileAll(tests: readonly RecordTest[]): RecordTest {
  const [first, second] = tests;
  if (tests.length === 2 && first !== undefined && second !== undefined) return (record) => first(record) && second(record);
  return (record) => tests.every((test) => test(record));
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
