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
