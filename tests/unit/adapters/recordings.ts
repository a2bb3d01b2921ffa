import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { DeniedTool, RunEvent } from "../../../src/events/schema.js";

/** `tests/fixtures/output/<backend>/<case>/`: what a real backend printed. */
const ROOT = join(import.meta.dirname, "../../fixtures/output");

const metaSchema = z.object({
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  /** True where an earlier session was continued. */
  resumed: z.boolean().default(false),
  stderr: z.string().default(""),
});

const expectedSchema = z.strictObject({
  status: z.string(),
  exitCode: z.number(),
  reason: z.string().nullable(),
  /** The answer; for a bad end, words that the sentence must hold. Null where the backend said nothing. */
  text: z.string().nullable(),
  sessionId: z.string().nullable(),
  model: z.string().nullable(),
  usage: z
    .strictObject({
      inputTokens: z.number().nullable(),
      outputTokens: z.number().nullable(),
      cacheReadTokens: z.number().nullable(),
      cacheWriteTokens: z.number().nullable(),
      reasoningTokens: z.number().nullable(),
      totalTokens: z.number().nullable(),
    })
    .nullable(),
  cost: z.strictObject({ amount: z.number(), currency: z.string() }).nullable(),
  /** Left out where the backend does not tell. */
  context: z.strictObject({ usedTokens: z.number(), sizeTokens: z.number() }).nullable().default(null),
  denied: z.array(z.string()).nullable(),
  events: z.array(z.string()),
});

export type Expected = z.infer<typeof expectedSchema>;

export interface Recording {
  readonly backend: string;
  readonly name: string;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly resumed: boolean;
  /** What it comes to, read by hand; undefined for a recording that nobody has read yet. */
  readonly expected: Expected | undefined;
}

/** Every recording of a backend. */
export function listRecordings(backend: string): readonly Recording[] {
  const folder = join(ROOT, backend);
  const names = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return names.filter((entry) => entry.isDirectory()).map(({ name }) => loadRecording(backend, name));
}

function loadRecording(backend: string, name: string): Recording {
  const folder = join(ROOT, backend, name);
  const meta = metaSchema.parse(loadJson(join(folder, "meta.json")));
  const stderrFile = join(folder, "stderr.txt");
  const expectedFile = join(folder, "expected.json");
  return {
    ...meta,
    backend,
    name,
    stdout: readFileSync(join(folder, "stdout.jsonl")),
    stderr: existsSync(stderrFile) ? readFileSync(stderrFile, "utf8") : meta.stderr,
    expected: existsSync(expectedFile) ? expectedSchema.parse(loadJson(expectedFile)) : undefined,
  };
}

function loadJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** An event in the short form of `expected.json`. */
export function toShortEvent(event: RunEvent): string {
  const describe: { readonly [T in RunEvent["type"]]: (event: Extract<RunEvent, { type: T }>) => string } = {
    start: () => "start",
    result: ({ status }) => `result ${status}`,
    agent_message_chunk: ({ content }) => `text ${content.text}`,
    agent_thought_chunk: ({ content }) => `thought ${content.text}`,
    tool_call: ({ toolCallId, title, kind, status }) => `tool_call ${toolCallId} ${title} ${kind} ${status}`,
    tool_call_update: ({ toolCallId, status }) => `tool_call_update ${toolCallId} ${status}`,
    plan: ({ entries }) => `plan ${entries.length}`,
    usage_update: ({ usage, context }) => `usage ${usage.totalTokens}${context === null ? "" : ` context ${context.usedTokens}/${context.sizeTokens}`}`,
    warning: ({ code }) => `warning ${code}`,
  };
  const describeThis = describe[event.type] as (event: RunEvent) => string;
  return describeThis(event);
}

export function toShortDenied(tools: readonly DeniedTool[] | null): readonly string[] | null {
  return tools === null ? null : tools.map(({ name, toolCallId }) => `${name} ${toolCallId}`);
}
