import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What `dist/` is made from. */
const SOURCES = ["src", "scripts", "package.json", "package-lock.json", "tsconfig.json"];

/** True where `dist/` is missing or older than one of its sources. */
export function isStale() {
  const builtAt = modifiedAtMs(path.join(root, "dist/.built"));
  return SOURCES.some((source) => newestInMs(path.join(root, source)) > builtAt);
}

/** 0 where there is nothing. */
function modifiedAtMs(entry) {
  return statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newestInMs(entry) {
  if (!statSync(entry, { throwIfNoEntry: false })?.isDirectory()) return modifiedAtMs(entry);
  return Math.max(modifiedAtMs(entry), ...readdirSync(entry).map((name) => newestInMs(path.join(entry, name))));
}
