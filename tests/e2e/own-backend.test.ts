import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { backendRecordSchema } from "../../src/adapters/record-schema.js";
import { type Place, createPlace, runCli, runForResult } from "./support/cli.js";

/** The example and the table of docs/backends.md, so that they stay true. */
const SECTION = readFileSync(join(import.meta.dirname, "../../docs/backends.md"), "utf8").split("## A backend of your own")[1] ?? "";

const codeOf = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(SECTION)?.[1] ?? "";

describe("the documented backend of your own", () => {
  let place: Place;
  const recordFile = (): string => join(place.home, ".jlgcli", "backends", "mine.json");

  beforeEach(() => {
    place = createPlace();
    place.install("my-agent.mjs", codeOf("js"));
    place.install("my-agent", '#!/bin/sh\nexec node "$0.mjs" "$@"\n');
    mkdirSync(join(place.home, ".jlgcli", "backends"), { recursive: true });
    writeFileSync(recordFile(), codeOf("json"));
  });
  afterEach(() => place.cleanUp());

  it("passes its check", async () => {
    expect(await runCli(place, ["backends", "check", recordFile()])).toMatchObject({ exitCode: 0 });
  });

  it("answers, streams, and tells its model and tokens", async () => {
    const { result, exitCode } = await runForResult(place, ["--backend", "mine", "--model", "small", "--env", "MY_AGENT_KEY=k", "hello"]);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ backend: "mine", text: "You said: hello", model: "small", usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 } });
    const streamed = await runCli(place, ["run", "--backend", "mine", "--output", "stream-json", "--env", "MY_AGENT_KEY=k", "hello"]);
    expect(streamed.stdout.match(/"type":"agent_message_chunk"/g)).toHaveLength(2);
  });

  it("is not signed in without its key, and cannot honour a level that it does not name", async () => {
    expect((await runForResult(place, ["--backend", "mine", "hello"])).result).toMatchObject({
      exitCode: 6,
      text: "my-agent failed: no key: set MY_AGENT_KEY",
      details: "sign in with: export MY_AGENT_KEY=…",
    });
    expect((await runForResult(place, ["--backend", "mine", "--access", "workspace-write", "hello"])).result).toMatchObject({ exitCode: 64 });
  });

  it("is described with every field that a record may have", () => {
    const fields = new Set([...JSON.stringify(z.toJSONSchema(backendRecordSchema)).matchAll(/"properties":\{|"([A-Za-z-]+)":\{/g)].flatMap(([, name]) => name ?? []));
    const known = [...fields].filter((name) => !SCHEMA_WORDS.has(name));
    expect(known.length).toBeGreaterThan(60);
    expect(known.filter((name) => !new RegExp(`[\`"{ .]${name}[\`",: }]`).test(SECTION))).toEqual([]);
  });
});

/** Words of JSON Schema itself. */
const SCHEMA_WORDS = new Set(["properties", "additionalProperties", "items", "propertyNames", "schema", "$defs", "not"]);
