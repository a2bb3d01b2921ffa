import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";

/** What an argument of the backend names a file for. */
export type FileUse = "access" | "schema" | "mcpServers";

/** A file's plain name and its whole content. */
export interface FileContent {
  readonly name: string;
  readonly content: string;
}

export type FileContents = Readonly<Partial<Record<FileUse, FileContent | undefined>>>;
export type FilePaths = Readonly<Partial<Record<FileUse, string>>>;

/** Files for as long as one run takes. */
export interface PrivateFiles {
  readonly paths: FilePaths;
  remove(): void;
}

const PURPOSES: Readonly<Record<FileUse, string>> = {
  access: "the file that enforces the access level",
  schema: "the file with the schema",
  mcpServers: "the file with the MCP servers",
};

/**
 * Writes each into a folder of its own that only this user can read.
 * @throws JlgcliError `CANNOT_CREATE`; then none is left.
 */
export function createPrivateFiles(contents: FileContents): PrivateFiles {
  const folders: string[] = [];
  const paths: Partial<Record<FileUse, string>> = {};
  const remove = (): void => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
  for (const use of FILE_USES) {
    const file = contents[use];
    if (file === undefined) continue;
    try {
      const folder = mkdtempSync(join(tmpdir(), "jlgcli-"));
      folders.push(folder);
      paths[use] = join(folder, file.name);
      writeFileSync(paths[use], file.content, { mode: 0o600 });
    } catch (error) {
      remove();
      throw new JlgcliError("CANNOT_CREATE", `${PURPOSES[use]} cannot be written: ${describeError(error)}`, { cause: error });
    }
  }
  return { paths, remove };
}

const FILE_USES = ["access", "schema", "mcpServers"] as const satisfies readonly FileUse[];
