import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Three tests at once at most: the real programs are heavy, and a time limit means nothing on a crowded machine. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    include: ["*.test.ts"],
    globalSetup: ["../../global-setup.ts", "report-run.ts"],
    fileParallelism: false,
    maxWorkers: 1,
    maxConcurrency: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
