import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { JlgcliError, describeError } from "../errors.js";
import type { PromptRunOptions } from "../runner/types.js";
import type { CommandIo } from "../command-io.js";

/** The flags for what an answer must be, and for what is done to get one. */
export interface AnswerFlags {
  readonly schema?: string;
  readonly schemaRepairs?: string;
  readonly retries?: string;
  readonly fallbackAfterTools?: boolean;
  readonly attach?: readonly string[];
}

const MOST_RETRIES = 100;

/** @throws JlgcliError `USAGE_INVALID`, `INPUT_NOT_FOUND` */
export async function toAnswerOptions(flags: AnswerFlags, io: CommandIo): Promise<Partial<PromptRunOptions>> {
  const { schema, schemaRepairs, retries, fallbackAfterTools, attach } = flags;
  if (schema === undefined && schemaRepairs !== undefined) throw new JlgcliError("USAGE_INVALID", "--schema-repairs needs --schema");
  return {
    ...(schema === undefined ? {} : { schema: await loadSchema(schema, io) }),
    ...(schemaRepairs === undefined ? {} : { schemaRepairs: parseCount("--schema-repairs", schemaRepairs) }),
    ...(retries === undefined ? {} : { retries: parseCount("--retries", retries) }),
    ...(fallbackAfterTools === undefined ? {} : { fallbackAfterTools }),
    ...(attach === undefined ? {} : { attachments: attach.map((file) => resolve(io.cwd, file)) }),
  };
}

/** JSON, or the file that holds it. */
async function loadSchema(schema: string, io: CommandIo): Promise<string> {
  if (/^\s*(\{|true\s*$|false\s*$)/.test(schema)) return schema;
  try {
    return (await readFile(resolve(io.cwd, schema), "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new JlgcliError("INPUT_NOT_FOUND", `the schema file ${schema} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

function parseCount(flag: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= MOST_RETRIES) return count;
  throw new JlgcliError("USAGE_INVALID", `${flag}: expected a whole number from 0 to ${MOST_RETRIES}, got ${JSON.stringify(text)}`);
}
