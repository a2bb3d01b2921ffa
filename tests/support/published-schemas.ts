import { Ajv, type ValidateFunction } from "ajv";
import { toJsonSchemas } from "../../src/json-schemas.js";
import type { SchemaName } from "../../src/schema-names.js";

const validators = new Map<SchemaName, ValidateFunction>();

/**
 * Throws where a value is not what `jlgcli schema NAME` says, or has a field that it does not tell of: to a reader a
 * field more is allowed, to us it is one that we have forgotten to document.
 */
export function assertPublished(name: SchemaName, value: unknown): void {
  const validate = validators.get(name) ?? compile(name);
  if (validate(value)) return;
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  throw new Error(`not what 'jlgcli schema ${name}' says: ${problems.join("; ")}\n${JSON.stringify(value)}`);
}

function compile(name: SchemaName): ValidateFunction {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(Object(closeObjects(toJsonSchemas()[name])));
  validators.set(name, validate);
  return validate;
}

function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  return "type" in schema && "properties" in schema && schema.type === "object" ? { additionalProperties: false, ...closed } : closed;
}

/** Checks what `jlgcli run` or `jlgcli loop` printed, where its arguments ask for JSON. */
export function assertPublishedOutput(argv: readonly string[], stdout: string): void {
  // What stands after `--` is the prompt.
  const args = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const name = (args[0] === "run" || args[0] === "loop") && !args.includes("--dry-run") ? findFormat(args) : null;
  if (name === null) return;
  for (const line of stdout.split("\n").filter((text) => text !== "")) {
    const value: unknown = JSON.parse(line);
    // A mistake on the command line ends before there are events: then the result stands alone.
    const isEvent = typeof value === "object" && value !== null && "type" in value;
    assertPublished(name === "events" && isEvent ? "events" : "result", value);
  }
}

function findFormat(args: readonly string[]): SchemaName | null {
  if (args.includes("--json")) return "result";
  const format = args[args.indexOf("--output") + 1];
  return format === "json" ? "result" : format === "stream-json" ? "events" : null;
}
