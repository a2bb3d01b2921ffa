import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import path from "node:path";
import { rolldown } from "rolldown";
import license from "rollup-plugin-license";
import { collectRunModules, lazyBuiltins, lazyCommander, lazyExeca, minifyChunks, plainInk } from "./bundle-plugins.mjs";
import { renderNotices } from "./notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = path.join(root, "dist");

/** Libraries that get a chunk of their own, so that what a command loads can be seen and tested by file name. */
const LIBRARY_CHUNKS = ["commander", "execa", "cosmiconfig", "zod", "ajv", "marked", "@agentclientprotocol"];

/**
 * Node 22 and newer keep compiled code on disk; it must be asked for before the chunks are loaded. In a folder of the
 * user's own: Node's usual place lies among the temporary files, where anyone may have put something before.
 */
const ENTRY_BANNER = `#!/usr/bin/env node
try{const p=require("node:path"),{env}=process;require("node:module").enableCompileCache?.(p.join(env.XDG_CACHE_HOME||p.join(require("node:os").homedir(),".cache"),"jlgcli"))}catch{}`;

/** Makes `dist/` anew. */
export async function build() {
  await rm(dist, { recursive: true, force: true });
  const [, ...licences] = await Promise.all([buildLibrary(), buildCli(), buildPlayer(), buildChatScreen()]);
  await writeSchemas();
  await writeFile(path.join(root, "THIRD_PARTY_NOTICES.md"), renderNotices(licences.flat()));
  await writeFile(path.join(dist, ".built"), "");
}

/** The same sources through tsc: one file per module, with declarations. */
async function buildLibrary() {
  const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  await runNode([tsc, "-p", path.join(root, "scripts/tsconfig.build.json")]);
}

/** The JSON Schemas, made by the library that was just built. */
async function writeSchemas() {
  const { toJsonSchemas } = await import(pathToFileURL(path.join(dist, "lib/json-schemas.js")).href);
  await mkdir(path.join(dist, "schemas"), { recursive: true });
  for (const [name, schema] of Object.entries(toJsonSchemas())) {
    await writeFile(path.join(dist, `schemas/${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
  }
}

/** What a run loads at once, and what it loads when it starts a program. */
const RUN_ROOTS = ["src/commands/run.ts", "src/process/spawner.ts"];

async function buildCli() {
  const runModules = collectRunModules(RUN_ROOTS.map((file) => path.join(root, file)));
  const licences = await bundle("src/cli.ts", {
    banner: (chunk) => (chunk.isEntry ? ENTRY_BANNER : ""),
    chunkFileNames: "chunks/[name].cjs",
    codeSplitting: {
      groups: [
        ...LIBRARY_CHUNKS.map((name) => ({
          name: `lib-${name.replace("@", "")}`,
          test: new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`),
          priority: 2,
        })),
        // What every command needs. Left in the entry, lazy chunks would have to require the entry itself.
        { name: "core", tags: ["$initial"], test: /[\\/]src[\\/](?!cli\.ts$)/, priority: 1 },
        { name: "run-core", test: runModules.has },
      ],
    },
  }, { plugins: [runModules.plugin, ...lazyPlugins()] });
  await chmod(path.join(dist, "cli.cjs"), 0o755);
  return licences;
}

async function buildPlayer() {
  if (!existsSync(path.join(root, "src/replay/player.ts"))) return [];
  return bundle("src/replay/player.ts", { entryFileNames: "replay-player.cjs", codeSplitting: false });
}

/** An ES module, since one of its libraries waits at its top level; loaded with `import()` by `jlgcli chat` alone. */
async function buildChatScreen() {
  return bundle("src/chat/ui/screen.tsx", { format: "esm", entryFileNames: "chat-ui.mjs", codeSplitting: false }, {
    plugins: [plainInk()],
    transform: { define: { "process.env.NODE_ENV": '"production"' }, jsx: { runtime: "automatic", development: false } },
  });
}

/** What keeps a start short. */
function lazyPlugins() {
  return [lazyBuiltins(), lazyCommander(), lazyExeca()];
}

/** Gives the licences of the packages that went in. */
async function bundle(input, output, { plugins = lazyPlugins(), transform = {} } = {}) {
  let licences = [];
  const bundler = await rolldown({
    cwd: root,
    input,
    platform: "node",
    tsconfig: path.join(root, "scripts/tsconfig.build.json"),
    // An optional loader of cosmiconfig, for config files that are code. Ours are data.
    external: ["typescript"],
    // A UMD `main` asks for its parts in a way that no bundler sees (jsonc-parser): they would be missing at run time.
    resolve: { mainFields: ["module", "main"] },
    transform,
    plugins: [...plugins, license({ thirdParty: { output: (found) => (licences = found) } }), minifyChunks()],
    // human-signals makes a table that nobody here reads, at the price of a tenth of execa's start.
    treeshake: { manualPureFunctions: ["getSignalsByNumber"] },
    onLog: failOnWarning,
  });
  await bundler.write({
    dir: dist,
    format: "cjs",
    entryFileNames: "[name].cjs",
    minify: false,
    comments: { legal: false },
    ...output,
  });
  await bundler.close();
  return licences;
}

function failOnWarning(level, log) {
  // Imported here and there at once: that the import is late is then for tests, which put a double in its place.
  if (log.code === "INEFFECTIVE_DYNAMIC_IMPORT") return;
  // How long a plugin took says how busy the machine is.
  if (level === "warn" && log.code !== "PLUGIN_TIMINGS") throw new Error(log.message ?? String(log));
}

function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} exited with ${code}`))));
  });
}
