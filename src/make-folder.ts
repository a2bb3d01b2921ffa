import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with those above it that are missing, private ones (0700). Throws what the system says.
 * Node's own recursive mkdir never ends below a pseudo file system such as /proc, where a home may point.
 */
export function makePrivateFolder(folder: string): void {
  const missing: string[] = [];
  for (let each = folder; !existsSync(each) && dirname(each) !== each; each = dirname(each)) missing.unshift(each);
  for (const each of missing) makeOne(each);
}

/** Another process may have been faster. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
