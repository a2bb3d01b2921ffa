#!/usr/bin/env node
/**
 * Adds test runs up: `count-tests.mjs REPORT…` reads vitest's JSON reports, says what is wrong with a run, and prints
 * `N passed, N failed` as its last line. A report that is missing or holds no test counts as one failure, and after
 * `--no-skips` so does each skipped test. `--failed-steps=N` tells of failures that no report shows.
 */
import { readFileSync } from "node:fs";

let passed = 0;
let failed = 0;
let skipsFail = false;
let failedSteps = 0;
for (const argument of process.argv.slice(2)) {
  if (argument === "--no-skips") skipsFail = true;
  else if (argument.startsWith("--failed-steps=")) failedSteps = Number(argument.split("=")[1]);
  else addReport(argument);
}
if (failed === 0) failed = failedSteps;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function addReport(file) {
  const report = loadReport(file);
  if (report === undefined) return fail(`${file}: the run left no report`);
  const tests = report.testResults.flatMap((suite) => suite.assertionResults.map((test) => ({ ...test, file: suite.name })));
  if (tests.length === 0) fail(`${file}: no test ran`);
  for (const test of tests) addTest(test);
  for (const suite of report.testResults) addSuite(suite);
}

function loadReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function addTest(test) {
  if (test.status === "passed") passed += 1;
  else if (test.status === "failed") fail(`failed: ${test.fullName}`);
  else if (skipsFail) fail(`skipped: ${test.fullName}`);
  else console.log(`skipped: ${test.fullName}`);
}

/** A file that could not be loaded has no tests to show for it. */
function addSuite(suite) {
  const shown = suite.assertionResults.some((test) => test.status === "failed");
  if (suite.status === "failed" && !shown) fail(`failed: ${suite.name}: ${suite.message}`);
}

function fail(sentence) {
  failed += 1;
  console.log(sentence);
}
