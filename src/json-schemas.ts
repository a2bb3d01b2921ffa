import * as z from "zod";
import { backendRecordSchema } from "./adapters/record-schema.js";
import { buildConfigSchema } from "./config/check.js";
import { CONFIG_KEYS, isConfigKey } from "./config/schema.js";
import * as configZod from "./config/zod.js";
import { runEventSchema, runResultSchema } from "./events/zod-schema.js";
import type { SchemaName } from "./schema-names.js";

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schemas (draft-07, which editors know) of everything that has a published form. Events and results may have
 * more fields than a schema says: a later version adds some. The configuration and a backend record may not.
 */
export function toJsonSchemas(): Readonly<Record<SchemaName, JsonSchema>> {
  return {
    events: toJsonSchema(runEventSchema, "jlgcli event"),
    result: toJsonSchema(runResultSchema, "jlgcli result"),
    config: toConfigJsonSchema(),
    backend: toJsonSchema(backendRecordSchema, "jlgcli backend record"),
  };
}

function toJsonSchema(schema: z.core.$ZodType, title: string): JsonSchema {
  // As input, so that an object stays open where its schema does not close it.
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  return { $schema, title, ...rest };
}

function toConfigJsonSchema(): JsonSchema {
  const { properties, ...schema } = toJsonSchema(buildConfigSchema(configZod), "jlgcli configuration");
  const keys = Object.entries(properties ?? {}).map(([name, value]: [string, unknown]) => [name, describeKey(name, value)]);
  return { ...schema, properties: { $schema: { type: "string", description: "For editors only." }, ...Object.fromEntries(keys) } };
}

function describeKey(name: string, schema: unknown): unknown {
  if (!isConfigKey(name) || typeof schema !== "object") return schema;
  const { describe, kind, default: standard } = CONFIG_KEYS[name];
  return { ...schema, description: `${describe} Takes ${kind.expected}.`, ...(standard === undefined ? {} : { default: standard }) };
}
