import type { Reporter, TestModule, Vitest } from "vitest/node";

/** Prints each test that was skipped: its title, or that of what it belongs to, says why. Not those that `-t` leaves out. */
export class SkipReporter implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isFiltered) return;
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) console.log(`skipped: ${module.relativeModuleId}: ${test.fullName}`);
    }
  }
}
