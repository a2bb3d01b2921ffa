import { writeTempFiles, type FileContent, type TempFiles } from "../temp-files.js";

/** What an argument of the backend names a file for. */
export type FileUse = "access" | "schema" | "mcpServers";

export type FileContents = Readonly<Partial<Record<FileUse, FileContent | undefined>>>;
export type FilePaths = Readonly<Partial<Record<FileUse, string>>>;

/** Files for as long as one run takes. */
export interface PrivateFiles {
  readonly paths: FilePaths;
  remove(): void;
}

const PURPOSES = {
  access: "the file that enforces the access level",
  schema: "the file with the schema",
  mcpServers: "the file with the MCP servers",
} as const satisfies Readonly<Record<FileUse, string>>;

const FILE_USES = ["access", "schema", "mcpServers"] as const satisfies readonly FileUse[];

/**
 * Writes each into a folder of its own that only this user can read.
 * @throws JlgcliError `CANNOT_CREATE`; then none is left.
 */
export function createPrivateFiles(contents: FileContents): PrivateFiles {
  const written: TempFiles[] = [];
  const paths: Partial<Record<FileUse, string>> = {};
  const remove = (): void => written.forEach((files) => files.remove());
  try {
    for (const use of FILE_USES) {
      const file = contents[use];
      const files = writeTempFiles(file === undefined ? [] : [file], PURPOSES[use]);
      written.push(files);
      const [path] = files.paths;
      if (path !== undefined) paths[use] = path;
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { paths, remove };
}
