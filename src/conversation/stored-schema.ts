import { isAbsolute } from "node:path";
import * as z from "zod";
import { ACCESS_LEVELS, TOOL_KINDS, TOOL_STATUSES } from "../events/schema.js";
import { cost, usage } from "../events/zod-schema.js";
import { RUN_STATUSES } from "../exit-codes.js";
import type { StoredTurn } from "./types.js";

/** The first line of a kept conversation. */
export const storedHeader = z.object({ v: z.literal(1), type: z.literal("conversation"), id: z.string(), cwd: z.string().refine(isAbsolute), title: z.string() });

/** Each further line. */
export const storedTurn: z.ZodType<StoredTurn> = z.object({
  prompt: z.string(),
  asked: z.string().exactOptional(),
  answer: z.string(),
  status: z.enum(RUN_STATUSES),
  problem: z.string().nullable(),
  tools: z.array(z.object({ toolCallId: z.string(), title: z.string(), kind: z.enum(TOOL_KINDS), status: z.enum(TOOL_STATUSES) })),
  settings: z.object({ backend: z.string(), model: z.string().nullable(), access: z.enum(ACCESS_LEVELS).nullable() }),
  sessionId: z.string().nullable(),
  usage: usage.nullable(),
  cost: cost.nullable(),
  startedAt: z.string(),
  durationMs: z.number(),
});
