import { expect } from "vitest";
import { createCliExecutorAdapter } from "../../../src/adapters/create-cli-executor-adapter.js";
import type { CliExecutorAdapterOptions, EnvelopeRun, ExecutorTraits, ResultEnvelope, RunRequest } from "../../../src/adapters/traits.js";
import { createFakeSpawner, type FakeBehaviour, type FakeSpawner } from "./fake-spawner.js";

export const WORKSPACE = { id: "w", rootPath: "/tmp", capabilities: ["read", "write"] } as const;

export interface FakeRun {
  readonly envelope: ResultEnvelope;
  readonly run: EnvelopeRun;
  readonly data: Readonly<Record<string, unknown>>;
  readonly spawner: FakeSpawner;
}

/** Runs a record over a fake child. */
export async function runFake(
  traits: ExecutorTraits,
  behaviour: FakeBehaviour | FakeSpawner,
  request: Partial<RunRequest> = {},
  options: CliExecutorAdapterOptions = {},
): Promise<FakeRun> {
  const spawner = "spawn" in behaviour ? behaviour : createFakeSpawner(behaviour);
  const adapter = createCliExecutorAdapter(traits, { spawner, ...options });
  const envelope = await adapter.run({ prompt: "hello", workspace: WORKSPACE, ...request });
  if (envelope.run === undefined) throw new Error("the envelope says nothing of its run");
  return { envelope, run: envelope.run, data: toObject(envelope.data), spawner };
}

/** The one error of a bad envelope. */
export function errorOf(envelope: ResultEnvelope): { readonly message: string; readonly code: string } {
  const [error, ...more] = envelope.errors ?? [];
  if (error?.code === undefined || more.length > 0) throw new Error(`expected one error with a code, got ${JSON.stringify(envelope.errors)}`);
  return { message: error.message, code: error.code };
}

function toObject(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null ? { ...data } : {};
}

/** Matchers without the type `any` of vitest's own. */
export const containing = (text: string): unknown => expect.stringContaining(text);
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const anyText = (): unknown => expect.any(String);
