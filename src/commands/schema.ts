import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf } from "../exit-codes.js";
import { findPackageFile } from "../package-file.js";
import type { SchemaName } from "../schema-names.js";
import type { CommandIo } from "../command-io.js";

/** `jlgcli schema NAME`: prints a JSON Schema of the package. Gives the exit code. */
export function runSchemaCommand(name: SchemaName, io: CommandIo): number {
  io.stdout(readFileSync(findPackageFile(join("dist", "schemas", `${name}.schema.json`)), "utf8"));
  return exitCodeOf("success");
}
