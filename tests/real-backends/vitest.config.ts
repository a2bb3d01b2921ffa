import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** One test at a time: the real programs are heavy, and a time limit means nothing on a crowded machine. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    include: ["**/*.test.ts"],
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
