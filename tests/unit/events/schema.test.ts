import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import { SCHEMA_VERSION, TOOL_KINDS, TOOL_STATUSES, WARNING_CODES, type RunEvent } from "../../../src/events/schema.js";
import { createOutputReader } from "../../../src/parse/output-reader.js";
import { listRecordings } from "../adapters/recordings.js";

/** The contract of the events once more, as those see it who read the stream: no field more, none less. */
const count = z.number().nonnegative().nullable();
const content = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });
const eventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("agent_message_chunk"), content, messageId: z.string().nullable() }),
  z.strictObject({ type: z.literal("agent_thought_chunk"), content, messageId: z.string().nullable() }),
  z.strictObject({ type: z.literal("tool_call"), toolCallId: z.string().min(1), title: z.string().min(1), kind: z.enum(TOOL_KINDS), status: z.enum(TOOL_STATUSES), rawInput: z.unknown() }),
  z.strictObject({
    type: z.literal("tool_call_update"),
    toolCallId: z.string().min(1),
    status: z.enum(TOOL_STATUSES),
    content: z.array(z.strictObject({ type: z.literal("content"), content: z.strictObject({ type: z.literal("text"), text: z.string() }) })),
    rawOutput: z.unknown(),
  }),
  z.strictObject({ type: z.literal("plan"), entries: z.array(z.strictObject({ content: z.string(), priority: z.enum(["high", "medium", "low"]), status: z.enum(["pending", "in_progress", "completed"]) })) }),
  z.strictObject({
    type: z.literal("usage_update"),
    usage: z.strictObject({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count, totalTokens: count }),
    cost: z.strictObject({ amount: z.number().nonnegative(), currency: z.string().length(3) }).nullable(),
    context: z.strictObject({ usedTokens: z.number().nonnegative(), sizeTokens: z.number().positive() }).nullable(),
  }),
  z.strictObject({ type: z.literal("warning"), code: z.enum(WARNING_CODES), message: z.string().min(1) }),
]);

const RECORDINGS = BUILT_IN_RECORDS.flatMap(({ id, traits }) => listRecordings(id).map((recording) => ({ ...recording, name: `${id}/${recording.name}`, output: traits.output })));

function readEvents({ output, stdout }: (typeof RECORDINGS)[number]): readonly RunEvent[] {
  const reader = createOutputReader(output);
  return [...reader.push(stdout), ...reader.end()];
}

describe("the events of recorded runs", () => {
  it.each(RECORDINGS)("have the shape of the contract, and survive JSON: $name", (recording) => {
    for (const event of readEvents(recording)) {
      expect(eventSchema.safeParse(event).error?.issues).toBeUndefined();
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
    }
  });

  it.each(RECORDINGS)("end no tool that did not begin: $name", (recording) => {
    const begun = new Set<string>();
    for (const event of readEvents(recording)) {
      if (event.type === "tool_call") begun.add(event.toolCallId);
      if (event.type === "tool_call_update") expect(begun).toContain(event.toolCallId);
    }
  });

  it("are of every kind that these backends were seen to print", () => {
    const seen = new Set(RECORDINGS.flatMap(readEvents).map(({ type }) => type));
    expect([...seen].sort()).toEqual(expect.arrayContaining(["agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "warning"]));
  });

  it("have a version", () => {
    expect(SCHEMA_VERSION).toBe(1);
  });
});
