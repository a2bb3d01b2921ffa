/**
 * Loaded with `node -r`: notes how long each file and each of Node's own modules takes to load, without what it loads
 * itself, and writes that as JSON to the file named in BENCH_LOAD_TIMES when the process ends.
 */
const { writeFileSync } = require("node:fs");
const Module = require("node:module");

const times = {};
const nested = [0];
const load = Module._load;

Module._load = function timedLoad(request, parent, isMain) {
  const cached = Module.builtinModules.includes(request) ? times[`node:${request}`] : undefined;
  if (cached !== undefined) return load.call(this, request, parent, isMain);
  const from = performance.now();
  nested.push(0);
  try {
    return load.call(this, request, parent, isMain);
  } finally {
    const total = performance.now() - from;
    const own = total - nested.pop();
    nested[nested.length - 1] += total;
    const name = request.replace(/^.*[\\/]/, "");
    times[name] = (times[name] ?? 0) + own;
  }
};

process.on("exit", () => {
  // The main program runs to its first await inside its own load: what it needs from others was taken off.
  writeFileSync(process.env.BENCH_LOAD_TIMES, JSON.stringify({ times, sinceStartMs: performance.now() }));
});
