import { describe, expect, it } from "vitest";
import { BUILT_IN_RECORDS } from "../../../src/adapters/records/index.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { assertPublished } from "../../support/published-schemas.js";
import { createFakeSpawner, createStreamingSpawner } from "./fake-spawner.js";
import { listRecordings, toShortDenied, toShortEvent, type Expected, type Recording } from "./recordings.js";
import { runFake } from "./run-fake.js";

/** What a run of the engine over the recorded bytes comes to, in the form of `expected.json`. */
async function replay(recording: Recording, spawner = createStreamingSpawner([recording.stdout], outcomeOf(recording))) {
  const traits = findTraits(recording.backend);
  const events: RunEvent[] = [];
  const { run } = await runFake(traits, spawner, { resumed: recording.resumed, onEvent: (event) => void events.push(event) });
  const { status, exitCode, reason, text, sessionId, model, usage, cost, context, deniedTools } = run;
  return { status, exitCode, reason, text, sessionId, model, usage, cost, context, denied: toShortDenied(deniedTools), events: events.map(toShortEvent) };
}

async function expectAsRead(recording: Recording & { readonly expected: Expected }): Promise<void> {
  const { text: words, ...expected } = recording.expected;
  const { text, ...got } = await replay(recording);
  expect(got).toEqual(expected);
  if (expected.status === "success") expect(text).toBe(words);
  else expect(text).toContain(words ?? recording.backend);
}

function findTraits(backend: string) {
  const traits = BUILT_IN_RECORDS.find(({ id }) => id === backend)?.traits;
  if (traits === undefined) throw new Error(`no record for ${backend}`);
  return traits;
}

const outcomeOf = ({ exitCode, signal, stderr }: Recording) => ({ exitCode, signal, stderr, stdout: "" });

describe.each(BUILT_IN_RECORDS.map(({ id }) => id))("recorded runs of %s", (id) => {
  const recordings = listRecordings(id);
  const read = recordings.flatMap((recording) => (recording.expected === undefined ? [] : [{ ...recording, expected: recording.expected }]));

  it("are there, and have been read by hand", () => {
    expect(read.map(({ name }) => name)).not.toEqual([]);
  });

  it.each(read)("come to what they say: $name", expectAsRead);

  it.each(read)("come to the same when stdout comes in one piece with the end: $name", async (recording) => {
    const buffered = createFakeSpawner({ outcome: { ...outcomeOf(recording), stdout: recording.stdout.toString("utf8") } });
    expect(await replay(recording, buffered)).toEqual(await replay(recording));
  });

  it.each(recordings)("succeed only with an answer, and fail only with a sentence: $name", async (recording) => {
    const { status, exitCode, text } = await replay(recording);
    expect(exitCode === 0).toBe(status === "success");
    expect(text.trim()).not.toBe("");
    expect(exitCode).not.toBe(2);
  });

  it.each(recordings)("give only events that the published schema knows: $name", async (recording) => {
    const events: RunEvent[] = [];
    const traits = findTraits(recording.backend);
    await runFake(traits, createStreamingSpawner([recording.stdout], outcomeOf(recording)), { onEvent: (event) => void events.push(event) });
    for (const event of events) assertPublished("events", event);
  });
});
