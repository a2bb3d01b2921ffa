/** Loaded with `node -r`: writes the peak resident memory, in KiB, to the file named in BENCH_PEAK_MEMORY at the end. */
const { writeFileSync } = require("node:fs");

// Only the process that was started with it: a backend must not overwrite the figure.
const report = process.env.BENCH_PEAK_MEMORY;
process.on("exit", () => writeFileSync(report, String(process.resourceUsage().maxRSS)));
