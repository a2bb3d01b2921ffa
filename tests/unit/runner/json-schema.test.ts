import { describe, expect, it } from "vitest";
import { isStrictSchema } from "../../../src/adapters/strict-schema.js";
import { compileSchema } from "../../../src/runner/json-schema.js";
import { parseJsonAnswer } from "../../../src/runner/json-answer.js";

const violationsOf = async (schema: unknown, value: unknown): Promise<readonly string[]> => (await compileSchema(JSON.stringify(schema)))(value);

describe("a schema", () => {
  it.each([
    [{ type: "string" }, "x", []],
    [{ type: "string" }, 1, ["the value must be string"]],
    [{ properties: { a: { type: "array", items: { type: "integer" } } } }, { a: [1, "b", 2.5] }, ["/a/1 must be integer", "/a/2 must be integer"]],
    [{ required: ["a", "b"] }, {}, ["the value must have required property 'a'", "the value must have required property 'b'"]],
    [{ enum: ["x", "y"] }, "z", ['the value must be equal to one of the allowed values (["x","y"])']],
    [{ properties: {}, additionalProperties: false }, { more: 1 }, ['the value must NOT have additional properties ("more")']],
    [true, { anything: 1 }, []],
    [false, 1, ["the value boolean schema is false"]],
    [{ type: "string", format: "date" }, "no date", []],
    [{ unknownKeyword: 1 }, 1, []],
    [{ $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["the value must NOT have more than 1 items"]],
    [{ $schema: "https://json-schema.org/draft/2019-09/schema", properties: { a: {} }, unevaluatedProperties: false }, { b: 1 }, ['the value must NOT have unevaluated properties ("b")']],
    [{ $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/definitions/a", definitions: { a: { type: "null" } } }, null, []],
  ])("%j says of %j: %j", async (schema, value, violations) => {
    expect(await violationsOf(schema, value)).toEqual(violations);
  });

  it.each([
    ["not json", "the schema is not JSON"],
    ["[]", "a JSON Schema is an object, or true or false"],
    ["1", "a JSON Schema is an object, or true or false"],
    ['{"type":"nonsense"}', "the schema cannot be used"],
    ['{"$ref":"https://example.com/x.json"}', "the schema cannot be used"],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}', "the schema cannot be used"],
  ])("%s is refused", async (text, message) => {
    await expect(compileSchema(text)).rejects.toMatchObject({ code: "USAGE_INVALID", message: expect.stringContaining(message) as unknown });
  });
});

describe("a schema in the strict mode of a service", () => {
  const strict = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
  it.each([
    [strict, true],
    [{ ...strict, properties: { a: strict } }, true],
    [{ ...strict, properties: { a: { type: "array", items: strict } } }, true],
    [{ ...strict, properties: { a: { anyOf: [strict, { type: "null" }] } } }, true],
    [{ ...strict, properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: strict } }, true],
    [{ ...strict, required: [] }, false],
    [{ type: "object", properties: {}, required: [] }, false],
    [{ ...strict, properties: { a: { type: ["object", "null"] } } }, false],
    [{ ...strict, properties: { a: { type: "array", items: { type: "object" } } } }, false],
    [{ ...strict, $defs: { b: { properties: { c: {} } } } }, false],
    [{ ...strict, allOf: [strict] }, false],
    [{ type: "array", items: strict }, false],
    [{ anyOf: [strict] }, false],
    [true, false],
    [null, false],
  ])("%j: %s", (schema, isStrict) => {
    expect(isStrictSchema(schema)).toBe(isStrict);
  });
});

describe("the JSON of an answer", () => {
  it.each([
    [' {"a":1}\n', '{"a":1}', { a: 1 }],
    ["null", "null", null],
    ['"{not}"', '"{not}"', "{not}"],
    ["Sure:\n```json\n{\"a\": [1]}\n```\nThat is it.", '{"a": [1]}', { a: [1] }],
    ["```\n1\n```\n```json\n2\n```", "2", 2],
    ["~~~~\n{\"a\":\"```\"}\n~~~~", '{"a":"```"}', { a: "```" }],
    ["```json\r\n{\"a\":1}\r\n```", '{"a":1}', { a: 1 }],
  ])("%j is %s", (answer, text, value) => {
    expect(parseJsonAnswer(answer)).toEqual({ text, value });
  });

  it.each(["", "no JSON", '{"a":1} and more', "```json\n{broken\n```", "```json\n{}"])("is not in %j", (answer) => {
    expect(parseJsonAnswer(answer)).toBeNull();
  });
});
