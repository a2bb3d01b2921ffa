import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Vitest calls this once before the tests that use `dist/`. */
export default function buildWhenStale(): void {
  const script = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));
  const build = spawnSync(process.execPath, [script, "--if-stale"], { encoding: "utf8" });
  if (build.status !== 0) throw new Error(`the build failed:\n${build.stdout}${build.stderr}`);
}
