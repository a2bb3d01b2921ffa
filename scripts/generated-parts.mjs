/**
 * The generated parts of README.md and docs/*.md, which stand between `<!-- generated:NAME ARGUMENT -->` and
 * `<!-- /generated -->`. `generate-docs.mjs` makes most of them, `screens.mjs` those called `screen`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
const PART = /(<!-- generated:([a-z-]+)(?: ([^>]*?))? -->\n)([\s\S]*?)(<!-- \/generated -->)/g;

/**
 * Fills the parts that `generators` has a name of (name -> argument to text), and leaves those that `isLeft` says are
 * another script's. With `--check` among the arguments of the process nothing is changed: an old part is told, with the
 * `command` that makes it anew, and the exit code is 1.
 */
export async function fillGeneratedParts(generators, isLeft, command) {
  execFileSync(process.execPath, [path.join(root, "scripts/build.mjs"), "--if-stale"], { stdio: ["ignore", 2, 2] });
  const old = [];
  for (const file of findPages()) {
    const before = readFileSync(file, "utf8");
    const after = await fillParts(before, path.relative(root, file), generators, isLeft);
    if (after === before) continue;
    old.push(path.relative(root, file));
    if (!process.argv.includes("--check")) writeFileSync(file, after);
  }
  report(old, command);
}

function findPages() {
  const inDocs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", ...inDocs.map((name) => path.join("docs", name))];
  return pages.map((name) => path.join(root, name)).filter((page) => existsSync(page));
}

async function fillParts(page, name, generators, isLeft) {
  const parts = [...page.matchAll(PART)];
  const opened = page.match(/<!-- generated:/g)?.length ?? 0;
  if (opened !== parts.length) throw new Error(`${name}: ${opened} generated parts begin, ${parts.length} end`);
  let filled = page;
  for (const [whole, begin, generator, argument, , end] of parts) {
    if (isLeft(generator)) continue;
    const render = generators[generator];
    if (render === undefined) throw new Error(`${name}: no generator is called "${generator}"; there are ${Object.keys(generators).join(", ")}`);
    const text = (await render(argument)).trim();
    filled = filled.replace(whole, () => `${begin}\n${text}\n\n${end}`);
  }
  return filled;
}

function report(old, command) {
  if (old.length === 0) return;
  if (process.argv.includes("--check")) {
    console.error(`out of date: ${old.join(", ")}. Run: ${command}`);
    process.exitCode = 1;
  } else {
    console.error(`updated ${old.join(", ")}`);
  }
}
