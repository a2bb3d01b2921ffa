import fs from "node:fs";
import path from "node:path";

/** The folder of the project that a folder lies in: the nearest one above with a `.git`, else the folder itself. */
export function findWorkspaceRoot(cwd: string): string {
  return findWorkspaceFolders(cwd).at(-1) ?? cwd;
}

/** The folders from `cwd` up to the project's root, nearest first. Outside of a repository only `cwd`. */
export function findWorkspaceFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (fs.existsSync(path.join(folder, ".git"))) return folders;
    if (path.dirname(folder) === folder) return [path.resolve(cwd)];
  }
}
