import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { makeTempTree } from "./temp-tree.js";

/** The loader as one file in a folder without node_modules: a library that it asks for is not found there. */
async function bundleLoader(folder: string): Promise<string> {
  const bundle = await rolldown({ input: "src/config/loader.ts", platform: "node", external: [/^zod/, "cosmiconfig", "fastest-levenshtein"] });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "loader.mjs" });
  await bundle.close();
  return join(folder, "loader.mjs");
}

describe("loading the configuration", () => {
  it("brings only what it uses of zod, not its messages in every language", async () => {
    const bundle = await rolldown({ input: "src/config/loader.ts", platform: "node", external: ["cosmiconfig"] });
    const { output } = await bundle.generate({ format: "cjs" });
    await bundle.close();
    const code = output.map((file) => (file.type === "chunk" ? file.code : "")).join("\n");
    expect(code).toContain("$ZodObject");
    expect(code).not.toContain("Ungültige Eingabe");
  });

  it("needs neither zod nor cosmiconfig where there is nothing to check", async () => {
    const { root, project, env, folder, write } = makeTempTree();
    const loader = await bundleLoader(folder("bundle"));
    const script = join(root, "run.mjs");
    writeFileSync(script, `import { loadConfig } from ${JSON.stringify(pathToFileURL(loader).href)};\nconsole.log(JSON.stringify(await loadConfig({ cwd: ${JSON.stringify(project)} })));`);
    write("project/package.json", { name: "jlgcli" });
    expect(execFileSync(process.execPath, [script], { env, encoding: "utf8" })).toBe("{}\n");

    // The controls: with a file it does need zod, with YAML cosmiconfig first.
    write("project/.jlgcli.json", { model: "m" });
    expect(spawnSync(process.execPath, [script], { env, encoding: "utf8" }).stderr).toContain("Cannot find package 'zod'");
    rmSync(join(project, ".jlgcli.json"));
    write("project/.jlgclirc.yaml", "model: m");
    expect(spawnSync(process.execPath, [script], { env, encoding: "utf8" }).stderr).toContain("Cannot find package 'cosmiconfig'");
  });
});
