import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** One file at a time, three tests of it at once at most: the real programs are heavy, and a time limit means nothing on a crowded machine. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    include: ["*.test.ts"],
    globalSetup: ["../global-setup.ts", "report-run.ts"],
    fileParallelism: false,
    maxWorkers: 1,
    maxConcurrency: 3,
    // Real programs under real time limits: a second try tells a busy moment of the machine from a fault. It is reported as a retry.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
