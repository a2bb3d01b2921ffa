import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { JlgcliError } from "./errors.js";

const PACKAGE_NAME = "jlgcli";

/**
 * A file of the package. This module stands at different depths in the sources, in the library and in the bundled
 * command line, so the package is found by its name.
 * @throws JlgcliError `INTERNAL` where the package is not whole.
 */
export function findPackageFile(name: string): string {
  const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
  const path = root === null ? null : join(root, name);
  if (path !== null && existsSync(path)) return path;
  throw new JlgcliError("INTERNAL", `${path ?? name}: this file of the jlgcli package is missing`, {
    hint: "Install jlgcli again; in a clone of its repository run `npm run build`.",
  });
}

function findPackageRoot(folder: string): string | null {
  if (isPackageRoot(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findPackageRoot(parent);
}

function isPackageRoot(folder: string): boolean {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return false;
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  return typeof manifest === "object" && manifest !== null && "name" in manifest && manifest.name === PACKAGE_NAME;
}
