// Node 20 cannot read TypeScript: a module of this folder is bundled in memory and imported from there.
import { pathToFileURL, fileURLToPath } from "node:url";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

export async function importTypeScript(name) {
  const input = fileURLToPath(new URL(name, import.meta.url));
  const bundle = await rolldown({ input, platform: "node", transform: { define: { "import.meta.url": JSON.stringify(pathToFileURL(input).href) } } });
  const { output } = await bundle.generate({ format: "esm" });
  const folder = mkdtempSync(join(tmpdir(), "jlgcli-bundle-"));
  try {
    const path = join(folder, "bundle.mjs");
    writeFileSync(path, output[0].code);
    return await import(pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
