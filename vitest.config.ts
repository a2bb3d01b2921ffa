import { defineConfig } from "vitest/config";
import { SkipReporter } from "./tests/support/skip-reporter.js";

/** Where to write the counts as JSON, for a caller that adds several runs up. */
const reportFile = process.env["JLGCLI_TEST_REPORT"];

export default defineConfig({
  test: {
    reporters: ["default", new SkipReporter(), ...(reportFile === undefined ? [] : [["json", { outputFile: reportFile }] as ["json", { outputFile: string }]])],
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/unit/**/*.test.{ts,tsx}"] } },
      builtProject("integration"),
      builtProject("e2e"),
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

/** Tests that use `dist/`: it is built first where it is missing or older than its sources. */
function builtProject(name: string) {
  return {
    extends: true as const,
    // Real processes under real time limits: in CI a second try tells a busy moment of the machine from a fault.
    test: { name, include: [`tests/${name}/**/*.test.ts`], globalSetup: ["tests/global-setup.ts"], retry: process.env["CI"] === undefined ? 0 : 1 },
  };
}
