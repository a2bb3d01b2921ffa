import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Installs the latest version of one backend into `folder` and tells both versions; `problem` says why that failed. */
export function installLatest(id, { package: name, suite, afterInstall, helper }, folder) {
  const pinned = loadJson(join(suite, "package.json")).dependencies[name];
  try {
    const wanted = [`${name}@latest`, ...(helper === undefined ? [] : [helper])];
    // Install scripts are left out, but for the one that puts the program in place.
    runQuietly("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...wanted]);
    const place = join(folder, "node_modules", name);
    if (afterInstall !== undefined) runQuietly(process.execPath, [join(place, afterInstall)]);
    return { id, pinned, latest: loadJson(join(place, "package.json")).version };
  } catch (error) {
    const words = String(error.stderr ?? "").trim() || error.message;
    return { id, pinned, problem: words.split("\n")[0] };
  }
}

function runQuietly(command, args) {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"], timeout: 10 * 60_000 });
}

function loadJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
