/**
 * True for a JSON Schema that services take in their strict mode: the root is an object, every object names its
 * properties, requires each of them and allows no other, and nothing is said by combination.
 * (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)
 */
export function isStrictSchema(schema: unknown): boolean {
  return isNode(schema) && schema["type"] === "object" && isStrictNode(schema);
}

type SchemaNode = Readonly<Record<string, unknown>>;

/** What strict mode refuses. */
const REFUSED_KEYWORDS = ["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "unevaluatedProperties", "prefixItems", "contains"];

/** Where schemas stand in a schema: by name, or in a list. */
const MAPS = ["properties", "$defs", "definitions"];

function isStrictNode(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (REFUSED_KEYWORDS.some((keyword) => Object.hasOwn(node, keyword))) return false;
  if (isObjectSchema(node) && !isClosed(node)) return false;
  return listParts(node).every(isStrictNode);
}

function listParts(node: SchemaNode): readonly unknown[] {
  const named = MAPS.flatMap((keyword) => (isNode(node[keyword]) ? Object.values(node[keyword]) : []));
  const listed: readonly unknown[] = Array.isArray(node["anyOf"]) ? node["anyOf"] : [];
  return [...named, ...listed, ...(node["items"] === undefined ? [] : [node["items"]])];
}

function isObjectSchema(node: SchemaNode): boolean {
  const { type } = node;
  return type === "object" || (Array.isArray(type) && type.includes("object")) || node["properties"] !== undefined;
}

function isClosed(node: SchemaNode): boolean {
  const names = isNode(node["properties"]) ? Object.keys(node["properties"]) : [];
  const required: readonly unknown[] = Array.isArray(node["required"]) ? node["required"] : [];
  return node["additionalProperties"] === false && names.every((name) => required.includes(name));
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
