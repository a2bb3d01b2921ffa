import type { ErrorObject, ValidateFunction } from "ajv";
import { JlgcliError, describeError } from "../errors.js";

/** Tells what is wrong with a value; nothing is an empty list. */
export type SchemaCheck = (value: unknown) => readonly string[];

/**
 * Makes a check of a JSON Schema, draft-07 or, where `$schema` says so, 2019-09 or 2020-12. `format` is not checked, and
 * nothing is fetched: a `$ref` leads within the schema.
 * @throws JlgcliError `USAGE_INVALID` for a text that is no schema.
 */
export async function compileSchema(text: string): Promise<SchemaCheck> {
  const schema = parseSchema(text);
  const validate = await compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(describeViolation));
}

type Schema = Readonly<Record<string, unknown>> | boolean;

function parseSchema(text: string): Schema {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw refuse(`the schema is not JSON: ${describeError(error)}`, error);
  }
  if (typeof schema === "boolean" || isRecord(schema)) return schema;
  throw refuse("a JSON Schema is an object, or true or false");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function compile(schema: Schema): Promise<ValidateFunction> {
  try {
    const ajv = await loadAjv(schema);
    return ajv.compile(schema);
  } catch (error) {
    throw refuse(`the schema cannot be used: ${describeError(error)}`, error);
  }
}

const OPTIONS = { allErrors: true, strict: false, validateFormats: false, logger: false } as const;

/** The drafts differ in what their keywords mean. */
async function loadAjv(schema: Schema) {
  const draft = isRecord(schema) && typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (draft.includes("2020-12")) {
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    return new Ajv2020(OPTIONS);
  }
  if (draft.includes("2019-09")) {
    const { Ajv2019 } = await import("ajv/dist/2019.js");
    return new Ajv2019(OPTIONS);
  }
  const { Ajv } = await import("ajv");
  return new Ajv(OPTIONS);
}

/** `/items/0/name must be string` */
function describeViolation({ instancePath, message, params, keyword }: ErrorObject): string {
  const named: unknown = NAMING_PARAMS[keyword] === undefined ? undefined : params[NAMING_PARAMS[keyword]];
  const note = named === undefined ? "" : ` (${JSON.stringify(named)})`;
  return `${instancePath === "" ? "the value" : instancePath} ${message ?? keyword}${note}`;
}

/** Where a violation's message does not say what it is about. */
const NAMING_PARAMS: Readonly<Record<string, string>> = { additionalProperties: "additionalProperty", unevaluatedProperties: "unevaluatedProperty", enum: "allowedValues", const: "allowedValue" };

function refuse(message: string, cause?: unknown): JlgcliError {
  return new JlgcliError("USAGE_INVALID", message, { hint: "a JSON Schema of draft-07, 2019-09 or 2020-12, as JSON or as a file: https://json-schema.org", cause });
}
