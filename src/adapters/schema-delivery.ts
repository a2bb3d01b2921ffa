import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { BackendRecord } from "./record.js";
import { isStrictSchema } from "./strict-schema.js";
import type { AdapterRunOnceArgs } from "./types.js";

/** The arguments of a run whose schema is left to the backend where its record can hand it over, else asked for in the prompt. */
export function withDeliveredSchema(record: BackendRecord, args: AdapterRunOnceArgs): AdapterRunOnceArgs {
  const { schema, ...others } = args;
  if (schema === undefined || takesSchema(record, schema)) return args;
  return { ...others, prompt: toSchemaPrompt(args.prompt, schema) };
}

function takesSchema(record: BackendRecord, schema: string): boolean {
  const traits = record.options?.schema;
  if (traits === undefined) return false;
  return traits.strictOnly !== true || isStrictSchema(parseOrNull(schema));
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toSchemaPrompt(prompt: string, schema: string): string {
  return `${prompt}

Give your final answer as one JSON value and nothing else: no text before or after it, no code fence.
The value must be valid against this JSON Schema:
${schema}`;
}

export interface SchemaFile {
  readonly path: string;
  remove(): void;
}

/** A private file with the schema, for a backend that reads it from one. @throws JlgcliError `CANNOT_CREATE` */
export function createSchemaFile(record: BackendRecord, schema: string | undefined): SchemaFile | null {
  const needsFile = record.options?.schema?.args.some((arg) => arg.includes("{file}")) === true;
  if (schema === undefined || !needsFile) return null;
  try {
    const folder = mkdtempSync(join(tmpdir(), "jlgcli-"));
    const path = join(folder, "schema.json");
    writeFileSync(path, schema, { mode: 0o600 });
    return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (error) {
    throw new JlgcliError("CANNOT_CREATE", `the file with the schema cannot be created: ${describeError(error)}`, { cause: error });
  }
}
