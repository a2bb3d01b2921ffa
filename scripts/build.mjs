#!/usr/bin/env node
/**
 * Builds `dist/` from `src/`:
 *   dist/cli.cjs + dist/chunks/   the command line, bundled; each command group is a chunk of its own, loaded when used
 *   dist/replay-player.cjs        the program of the `replay` backend, one file
 *   dist/schemas/                 the JSON Schemas that `jlgcli schema` prints
 *   dist/lib/                     the library: ES modules with types, not bundled
 * and writes THIRD_PARTY_NOTICES.md from the licences of what went into the bundles.
 * `--if-stale` does nothing where `dist/` is newer than its sources.
 * The bundles are CommonJS, which starts faster than ES modules do. Prints to stderr only: stdout belongs to `npm pack`.
 */
import { isStale } from "./stale.mjs";

if (!process.argv.includes("--if-stale") || isStale()) {
  const { build } = await import("./build-dist.mjs");
  const startedAt = performance.now();
  await build();
  console.error(`built dist/ in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
