import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** Bundles one of our sources into one file, as the build does, so that a test runs what is in `src/` now. */
export async function bundle(source: string, outFile: string, format: "cjs" | "esm"): Promise<string> {
  const bundler = await rolldown({ cwd: REPOSITORY, input: source, platform: "node" });
  await bundler.write({ file: outFile, format, codeSplitting: false });
  await bundler.close();
  return outFile;
}

export async function buildPlayer(): Promise<string> {
  return bundle("src/replay/player.ts", join(await makeFolder(), "replay-player.cjs"), "cjs");
}

const folders: string[] = [];

/** A folder of its own for a test. `removeFolders` takes it away. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "jlgcli-replay-"));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
