import { describe, expect, it } from "vitest";
import type { ExecutorTraits, RunRequest, SpawnOutcome } from "../../../src/adapters/traits.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { EMPTY_USAGE } from "../../../src/parse/usage-meter.js";
import { createFakeSpawner, createStreamingSpawner, type FakeBehaviour } from "./fake-spawner.js";
import { claudeQuota, claudeCode, toLines } from "./foreign-records.js";
import { containing, errorOf, runFake } from "./run-fake.js";

/** A record that uses what jlgcli adds: it says by itself when it is done. */
const talker: ExecutorTraits = {
  executorId: "talker",
  command: "talker",
  args: [],
  promptDelivery: "stdin",
  exitGraceMs: 80,
  output: {
    payload: "jsonl",
    resultPath: ["text"],
    resultWhen: { path: ["type"], equals: "say" },
    statusPath: ["type"],
    errorStatusPrefix: "error",
    errorMessagePath: ["message"],
    terminal: { success: { path: ["type"], equals: "done" }, failure: { path: ["type"], equals: "dead" } },
    sessionIdPath: ["session"],
    modelPaths: [["model", "name"]],
    usageWhen: { path: ["type"], equals: "bill" },
    usagePaths: [["in"], ["out"]],
    usageParts: { inputTokens: ["in"], outputTokens: ["out"], reasoningTokens: ["thought"] },
    deniedTools: [{ when: { path: ["type"], equals: "denied" }, each: ["tools"], name: ["name"], toolCallId: ["id"], reason: ["why"] }],
    hopelessRetry: { when: { path: ["code"], oneOf: [401, 403] }, afterCount: 2 },
    failureReasons: [{ reason: "unauthenticated", when: { path: ["code"], equals: 401 } }],
    events: [
      { emit: "agent_message_chunk", when: { path: ["type"], equals: "delta" }, fields: { text: ["text"] } },
      { emit: "warning", when: { path: ["code"], exists: true }, fields: { message: ["message"], code: { constant: "retry" } } },
    ],
  },
};
const withOutput = (output: Partial<ExecutorTraits["output"]>, more: Partial<ExecutorTraits> = {}): ExecutorTraits => ({
  ...talker,
  ...more,
  output: { ...talker.output, ...output },
});

const SAY = { type: "say", text: "the answer" };
const DONE = { type: "done" };
const delta = (text: string) => ({ type: "delta", text });
const retry = (code: number) => ({ type: "error", code, message: `again, ${code}` });

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const texts = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === "agent_message_chunk" ? [event.content.text] : []));

async function timed<T>(running: Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }> {
  const from = performance.now();
  const value = await running;
  return { value, tookMs: performance.now() - from };
}

/** A callback as a caller may write it who forgets that nobody waits for its promise. */
const asVoid = (callback: () => unknown): (() => void) => callback;

/** A child that prints at once and then goes on and on. */
const linger = (stdout: string, more: FakeBehaviour = {}): FakeBehaviour => ({
  ...more,
  script: async (_child, options) => options.onStdout?.(Buffer.from(stdout)),
});

describe("a record that names its terminal records", () => {
  it.each<readonly [string, Partial<SpawnOutcome>]>([
    ["exits with another code", { exitCode: 3 }],
    ["is ended by a signal", { exitCode: null, signal: "SIGTERM" }],
    ["loses a pipe", { exitCode: 1, streamErrorMessage: "EPIPE" }],
    ["prints noise on stderr", { exitCode: 1, stderr: "rate limit? 401 unauthorized" }],
  ])("takes a terminal success although the child then %s", async (_name, outcome) => {
    const { envelope, run } = await runFake(talker, { outcome: { ...outcome, stdout: toLines(SAY, DONE) } });
    expect(envelope).toMatchObject({ status: "ok", data: { result: "the answer" } });
    expect(run).toMatchObject({ status: "success", exitCode: 0, text: "the answer" });
    expect(run).toMatchObject({ backendExitCode: outcome.exitCode, backendSignal: outcome.signal ?? null });
    if (typeof outcome.exitCode === "number") expect(run.warnings.join()).toContain(`code ${outcome.exitCode}`);
  });

  it("takes no exit code 0 for a success without one", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines(SAY) } });
    expect(run).toMatchObject({ status: "error", exitCode: 1, partialText: "the answer" });
    expect(run.text).toContain("before it said that it had finished");
  });

  it("fails a terminal success without an answer, whatever stderr says", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines({ ...SAY, text: "  " }, DONE), stderr: "rate limit; not logged in" } });
    expect(run).toMatchObject({ status: "error", exitCode: 1 });
    expect(run.text).toContain("ended without an answer");
  });

  it("lets a terminal failure outrank a terminal success, and keeps the answer in the data", async () => {
    const { run, data, envelope } = await runFake(talker, { outcome: { stdout: toLines(SAY, DONE, { type: "dead", message: "no more" }) } });
    expect(run).toMatchObject({ status: "error", exitCode: 1 });
    expect(errorOf(envelope).message).toContain("no more");
    expect(data["result"]).toBe("the answer");
  });

  it("does not fail for failures that are not terminal", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines(retry(500), { type: "error_recovered" }, SAY, DONE) } });
    expect(run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("tells the last notice where only the exit code decides", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines(retry(500)), exitCode: 1, stderr: "noise" } });
    expect(run.exitCode).toBe(1);
    expect(run.text).toContain("again, 500");
  });
});

describe("when a run is over", () => {
  it("waits only a short grace for a child that has finished and does not exit", async () => {
    const { value, tookMs } = await timed(runFake(talker, linger(toLines(SAY, DONE))));
    expect(value.run).toMatchObject({ status: "success", exitCode: 0 });
    expect(value.spawner.calls[0]?.child.kills).toBe(1);
    expect(tookMs).toBeGreaterThan(70);
    expect(tookMs).toBeLessThan(3000);
  });

  it("is over in bounded time when the child cannot be killed", async () => {
    const { value, tookMs } = await timed(runFake(talker, linger(toLines(SAY, DONE), { onKill: () => undefined })));
    expect(value.run).toMatchObject({ status: "success", exitCode: 0, backendExitCode: null });
    expect(value.run.warnings.join()).toContain("could not be ended");
    expect(tookMs).toBeLessThan(10_000);
  });

  it("is over in bounded time when a cancelled child cannot be killed", async () => {
    const cancel = new AbortController();
    const { value, tookMs } = await timed(runFake(talker, { script: () => cancel.abort("SIGTERM"), onKill: () => undefined }, { signal: cancel.signal }));
    expect(value.run).toMatchObject({ status: "interrupted", exitCode: 143 });
    expect(tookMs).toBeLessThan(10_000);
  });

  it("asks a spawner that can for the end of the whole tree, also after a good end", async () => {
    let ended = 0;
    const endTree = async () => {
      ended += 1;
      return 2;
    };
    const { run } = await runFake(talker, { outcome: { stdout: toLines(SAY, DONE) }, endTree });
    expect(ended).toBe(1);
    expect(run.exitCode).toBe(0);
    expect(run.warnings).toEqual(["2 process(es) of talker could not be ended"]);
  });

  it("survives an end of the tree that fails", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines(SAY, DONE) }, endTree: () => Promise.reject(new Error("no permission")) });
    expect(run).toMatchObject({ status: "success", warnings: [containing("could not be ended")] });
  });

  it("does not let a deadline count that passes while the tree is being ended", async () => {
    const { run } = await runFake(
      talker,
      { outcome: { exitCode: 4, stderr: "wrong flag" }, endTree: () => sleep(120).then(() => 0) },
      { deadlines: { totalMs: 60, idleMs: 60, firstByteMs: 60 } },
    );
    expect(run).toMatchObject({ status: "error", exitCode: 1, backendExitCode: 4 });
  });

  it("does not let an abort count that comes while the tree is being ended", async () => {
    const cancel = new AbortController();
    const endTree = async () => {
      cancel.abort();
      return 0;
    };
    const { run } = await runFake(talker, { outcome: { exitCode: 4 }, endTree }, { signal: cancel.signal });
    expect(run).toMatchObject({ status: "error", exitCode: 1 });
  });

  it("does not let an abort count that comes after the terminal record", async () => {
    const cancel = new AbortController();
    const { run } = await runFake(talker, linger(toLines(SAY, DONE)), { signal: cancel.signal, onAnswer: () => cancel.abort() });
    expect(run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("keeps to the abort although the child then says that it has finished", async () => {
    const cancel = new AbortController();
    const answers: string[] = [];
    const { run } = await runFake(
      talker,
      { script: () => cancel.abort(), onKill: (child) => child.settle({ stdout: toLines(SAY, DONE) }) },
      { signal: cancel.signal, onAnswer: (text) => void answers.push(text) },
    );
    expect(run).toMatchObject({ status: "interrupted", exitCode: 130, partialText: "the answer" });
    expect(answers).toEqual([]);
  });

  it("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    const counts = { added: 0, removed: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => ((counts.added += 1), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => ((counts.removed += 1), remove(...args));
    await runFake(talker, { outcome: { stdout: toLines(SAY, DONE) } }, { signal });
    expect(counts.added).toBeGreaterThan(0);
    expect(counts.removed).toBe(counts.added);
  });
});

describe("deadlines", () => {
  it.each([
    ["total", { totalMs: 80 }, "did not finish"],
    ["idle", { idleMs: 80 }, "no sign of life"],
    ["first-byte", { firstByteMs: 80 }, "printed nothing"],
  ])("end a silent child: %s", async (_name, deadlines, words) => {
    const { value, tookMs } = await timed(runFake(talker, { script: () => undefined }, { deadlines }));
    expect(value.run).toMatchObject({ status: "timeout", exitCode: 75, reason: null });
    expect(value.run.text).toContain(words);
    expect(value.envelope.status).toBe("failed");
    expect(value.spawner.calls[0]?.child.kills).toBe(1);
    expect(tookMs).toBeGreaterThan(70);
    expect(tookMs).toBeLessThan(5000);
  });

  it("of idleness are put off by every byte, also on stderr; of the first byte only by stdout", async () => {
    const busy: FakeBehaviour = {
      script: async (child, options) => {
        for (let at = 0; at < 6; at += 1) {
          options.onStderr?.(Buffer.from("."));
          await sleep(40);
        }
        child.settle({ stdout: toLines(SAY, DONE) });
      },
    };
    expect((await runFake(talker, busy, { deadlines: { idleMs: 150 } })).run.status).toBe("success");
    expect((await runFake(talker, busy, { deadlines: { firstByteMs: 150 } })).run.status).toBe("timeout");
  });

  it("are off at 0, and one that is longer than a timer can be does not fire at once", async () => {
    const slow: FakeBehaviour = { script: (child) => setTimeout(() => child.settle({ stdout: toLines(SAY, DONE) }), 60) };
    for (const ms of [0, -5, Number.NaN, 2 ** 31, 1e15]) {
      const deadlines = { totalMs: ms, idleMs: ms, firstByteMs: ms };
      expect((await runFake(talker, slow, { deadlines })).run.status).toBe("success");
    }
  });

  it("do not count after the terminal record", async () => {
    const { run } = await runFake(talker, linger(toLines(SAY, DONE)), { deadlines: { totalMs: 40, idleMs: 40 } });
    expect(run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("do not count a caller who takes long for its events as the backend's idleness", async () => {
    const { run } = await runFake(talker, createStreamingSpawner([toLines(delta("a")), toLines(SAY, DONE)]), {
      deadlines: { idleMs: 60 },
      onEvent: () => sleep(250),
    });
    expect(run.status).toBe("success");
  });

  it("end a run whose caller never comes back from an event", async () => {
    const { value, tookMs } = await timed(
      runFake(talker, linger(toLines(delta("a"))), { deadlines: { totalMs: 60 }, onEvent: () => new Promise<void>(() => undefined) }),
    );
    expect(value.run.status).toBe("timeout");
    expect(tookMs).toBeLessThan(10_000);
  });

  it("keep what was streamed, and tell the end of stderr", async () => {
    const { run } = await runFake(
      talker,
      linger(toLines(delta("half an "), delta("answer")), { onKill: (child) => child.settle({ exitCode: null, stdout: "", stderr: "warming up\nwaiting for network\n" }) }),
      { deadlines: { totalMs: 60 } },
    );
    expect(run).toMatchObject({ status: "timeout", partialText: "half an answer" });
    expect(run.text).toContain("waiting for network");
  });
});

describe("hopeless retries", () => {
  it("end a run that will never be let in", async () => {
    const { value, tookMs } = await timed(runFake(talker, linger(toLines(retry(401), retry(401)))));
    expect(value.run).toMatchObject({ status: "backend-unauthenticated", exitCode: 6, reason: "unauthenticated" });
    expect(value.run.text).toContain("again, 401");
    expect(value.spawner.calls[0]?.child.kills).toBe(1);
    expect(tookMs).toBeLessThan(3000);
  });

  it("do not end it after the first, nor for failures that may heal", async () => {
    const healed = { script: async (child: Parameters<NonNullable<FakeBehaviour["script"]>>[0], options: Parameters<NonNullable<FakeBehaviour["script"]>>[1]) => {
      for (const record of [retry(500), retry(401), retry(500), retry(500)]) await options.onStdout?.(Buffer.from(toLines(record)));
      await sleep(50);
      child.settle({ stdout: toLines(SAY, DONE) });
    } };
    const { run } = await runFake(talker, healed);
    expect(run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("do not count where the run has ended well all the same", async () => {
    const { run } = await runFake(talker, { outcome: { stdout: toLines(retry(401), retry(401), SAY, DONE) } });
    expect(run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("are not outweighed by the success that a backend claims when it is ended for them", async () => {
    for (const last of [[DONE], [SAY, DONE]]) {
      const answers: string[] = [];
      const { run } = await runFake(talker, linger(toLines(retry(401), retry(401)), { onKill: (child) => child.settle({ exitCode: 0, stdout: toLines(...last) }) }), {
        onAnswer: (text) => void answers.push(text),
      });
      expect(run).toMatchObject({ status: "backend-unauthenticated", exitCode: 6 });
      expect(answers).toEqual([]);
    }
  });

  it("are counted anew after an answer of the model", async () => {
    const healed = { script: async (child: Parameters<NonNullable<FakeBehaviour["script"]>>[0], options: Parameters<NonNullable<FakeBehaviour["script"]>>[1]) => {
      for (const record of [retry(401), delta("so far"), retry(401)]) await options.onStdout?.(Buffer.from(toLines(record)));
      await sleep(50);
      child.settle({ stdout: toLines(SAY, DONE) });
    } };
    expect((await runFake(talker, healed)).run).toMatchObject({ status: "success", exitCode: 0 });
  });

  it("say how the retries failed, not what the ended child says about our signal", async () => {
    const { run } = await runFake(
      talker,
      linger(toLines(retry(401), retry(403)), { onKill: (child) => child.settle({ exitCode: 130, stdout: toLines({ type: "dead", message: "interrupted by user" }) }) }),
    );
    expect(run.text).toContain("again, 403");
    expect(run.exitCode).not.toBe(130);
  });
});

describe("events for the caller", () => {
  it("come in order, each waited for, before the run is over", async () => {
    const seen: string[] = [];
    const onEvent = async (event: RunEvent) => {
      await sleep(event.type === "agent_message_chunk" && event.content.text === "a" ? 30 : 0);
      seen.push(...texts([event]));
    };
    const chunks = [toLines(delta("a"), delta("b")), toLines(delta("c")), toLines(SAY, DONE)];
    await runFake(talker, createStreamingSpawner(chunks), { onEvent });
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("come in order and all before the end when the spawner waits for nothing", async () => {
    const seen: string[] = [];
    const careless = createFakeSpawner({
      script: (child, options) => {
        for (const text of ["a", "b", "c"]) void options.onStdout?.(Buffer.from(toLines(delta(text))));
        child.settle({ stdout: toLines(delta("d"), SAY, DONE) });
      },
    });
    const onEvent = async (event: RunEvent) => {
      const [text = ""] = texts([event]);
      await sleep(text === "a" ? 30 : 5);
      seen.push(text);
    };
    const { run } = await runFake(talker, careless, { onEvent });
    expect(seen).toEqual(["a", "b", "c", "d"]);
    expect(run.status).toBe("success");
  });

  it("hold the reader back", async () => {
    const order: string[] = [];
    const spawner = createFakeSpawner({
      script: async (child, options) => {
        for (const text of ["a", "b"]) {
          await options.onStdout?.(Buffer.from(toLines(delta(text))));
          order.push(`read ${text}`);
        }
        child.settle({ stdout: toLines(SAY, DONE) });
      },
    });
    await runFake(talker, spawner, { onEvent: (event) => sleep(10).then(() => void order.push(`took ${texts([event]).join()}`)) });
    expect(order).toEqual(["took a", "read a", "took b", "read b"]);
  });

  it("do not come after the end, although the child still prints", async () => {
    const seen: RunEvent[] = [];
    let printMore = async (): Promise<void> => undefined;
    const spawner = createFakeSpawner({
      script: (_child, options) => {
        printMore = async () => options.onStdout?.(Buffer.from(toLines(delta("too late"))));
        return options.onStdout?.(Buffer.from(toLines(SAY, DONE)));
      },
      onKill: () => undefined,
    });
    await runFake(talker, spawner, { onEvent: (event) => void seen.push(event) });
    const before = seen.length;
    await printMore();
    expect(seen).toHaveLength(before);
  });

  it.each([
    ["throws", () => { throw new Error("caller's bug"); }],
    ["rejects", () => Promise.reject(new Error("caller's bug"))],
  ])("change nothing when a callback %s", async (_name, callback) => {
    const request: Partial<RunRequest> = { onEvent: callback, onAnswer: callback };
    const { envelope, run } = await runFake(talker, createStreamingSpawner([toLines(delta("a"), delta("b"), SAY, DONE)]), request, { onTiming: asVoid(callback) });
    expect(envelope.status).toBe("ok");
    expect(run.text).toBe("the answer");
    expect(run.warnings).toEqual([containing("caller's bug")]);
  });

  it("change nothing when the quota callback throws", async () => {
    const { envelope } = await runFake(claudeCode, { outcome: { stdout: toLines(claudeQuota, { type: "result", result: "ok" }) } }, {}, {
      onUsageObservation: () => {
        throw new Error("caller's bug");
      },
    });
    expect(envelope.status).toBe("ok");
  });
});

describe("the answer, as soon as it is there", () => {
  const answersOf = async (behaviour: Parameters<typeof runFake>[1], traits = talker) => {
    const answers: { readonly text: string; readonly atMs: number }[] = [];
    const from = performance.now();
    const { run } = await runFake(traits, behaviour, { onAnswer: (text) => void answers.push({ text, atMs: performance.now() - from }) });
    return { answers, run, tookMs: performance.now() - from };
  };

  it("is given once, when the terminal record is read, before the child is gone", async () => {
    const { answers, tookMs } = await answersOf(linger(toLines(SAY, DONE, DONE)), withOutput({}, { exitGraceMs: 400 }));
    expect(answers.map(({ text }) => text)).toEqual(["the answer"]);
    expect(tookMs - (answers[0]?.atMs ?? tookMs)).toBeGreaterThan(200);
  });

  it("is given once when output comes in pieces and in one buffered piece", async () => {
    const pieces = [...toLines(SAY, DONE, DONE)];
    expect((await answersOf(createStreamingSpawner(pieces))).answers).toHaveLength(1);
    expect((await answersOf({ outcome: { stdout: pieces.join("") } })).answers).toHaveLength(1);
  });

  it.each([
    ["a terminal failure", toLines(SAY, { type: "dead", message: "no" })],
    ["no terminal record", toLines(SAY)],
    ["a blank answer", toLines({ ...SAY, text: " " }, DONE)],
  ])("is not given for %s", async (_name, stdout) => {
    const { answers, run } = await answersOf(createStreamingSpawner([stdout]));
    expect(answers).toEqual([]);
    expect(run.exitCode).toBe(1);
  });
});

describe("what a record may add", () => {
  it("joins all parts of an answer, blank ones too", async () => {
    const stdout = toLines(...["Hello,", " ", "\n\n", "world"].map((text) => ({ ...SAY, text })), { ...SAY, text: "" }, DONE);
    const { run, data } = await runFake(withOutput({ resultParts: {} }), { outcome: { stdout } });
    expect(run.text).toBe("Hello, \n\nworld");
    expect(data["result"]).toBe("Hello, \n\nworld");
  });

  it("joins the parts of the last message alone, which a blank one of another does not hide", async () => {
    const part = (id: string, text: string) => ({ type: "say", id, text });
    const stdout = toLines(part("m1", "draft"), part("m2", "final"), part("m2", "ly"), part("m3", "  "), DONE);
    const { run } = await runFake(withOutput({ resultParts: { by: ["id"], separator: "-" } }), { outcome: { stdout } });
    expect(run.text).toBe("final-ly");
  });

  it("finds ids and names in whatever record they stand", async () => {
    const stdout = toLines({ type: "hello", session: "s-1" }, { model: { name: "m-1" } }, SAY, { session: "s-2" }, { session: "" }, DONE);
    const { run } = await runFake(talker, { outcome: { stdout } });
    expect(run).toMatchObject({ sessionId: "s-2", model: "m-1" });
  });

  it("walks arrays", async () => {
    const walker = withOutput({ resultPath: ["content", "*", "text"], resultWhen: { path: ["content", "*", "kind"], equals: "text" } });
    const record = { content: [{ kind: "image" }, { kind: "text", text: "one " }, { kind: "text", text: "two" }] };
    const { run } = await runFake(walker, { outcome: { stdout: toLines({ content: [{ kind: "image", text: "no" }] }, record, DONE) } });
    expect(run.text).toBe("one two");
  });

  it("gives the parts of the usage beside the one number, null where untold", async () => {
    const { run, data } = await runFake(talker, { outcome: { stdout: toLines({ type: "bill", in: 5, out: 7 }, { type: "bill", in: 1, out: 2 }, SAY, DONE) } });
    expect(data["usage"]).toBe(15);
    expect(run.usage).toEqual({ inputTokens: 6, outputTokens: 9, cacheReadTokens: null, cacheWriteTokens: null, reasoningTokens: null, totalTokens: 15 });
  });

  it("gives no figure of a resumed run where the vendor's grows, neither at the end nor on the way", async () => {
    const growing = withOutput({ usageGrowsOverSession: true });
    const stdout = toLines({ type: "bill", in: 5, out: 7 }, SAY, DONE);
    const events: RunEvent[] = [];
    const resumed = await runFake(growing, { outcome: { stdout } }, { resumed: true, onEvent: (event) => void events.push(event) });
    expect(resumed.run.usage).toBeNull();
    expect(resumed.data).not.toHaveProperty("usage");
    expect(events.filter((event) => event.type === "usage_update")).toEqual([]);
    expect((await runFake(growing, { outcome: { stdout } })).run.usage?.totalTokens).toBe(12);
  });

  it("tells how full the context is, in a resumed run whose other figures are hidden too", async () => {
    const when = { path: ["type"], equals: "bill" };
    const telling = withOutput({ usageGrowsOverSession: true, contextWindow: { usedWhen: when, usedPaths: [["held"]], sizeWhen: when, sizePath: ["fits"] } });
    const events: RunEvent[] = [];
    const stdout = toLines({ type: "bill", in: 5, out: 7, held: 0, fits: 100 }, SAY, DONE);
    const { run } = await runFake(telling, { outcome: { stdout } }, { resumed: true, onEvent: (event) => void events.push(event) });
    const context = { usedTokens: 0, sizeTokens: 100 };
    expect(run).toMatchObject({ usage: null, context });
    expect(events).toContainEqual({ type: "usage_update", usage: EMPTY_USAGE, cost: run.cost, context });
    expect((await runFake(telling, { outcome: { stdout: toLines({ type: "bill", in: 5, out: 7 }, SAY, DONE) } })).run).toMatchObject({ usage: { totalTokens: 12 }, context: null });
  });

  it("lists refused tools: empty where there were none, null where the record cannot tell", async () => {
    const denied = { type: "denied", tools: [{ name: "Bash", id: "t1", why: "no" }, { name: "Edit" }] };
    const { run } = await runFake(talker, { outcome: { stdout: toLines(denied, SAY, DONE) } });
    expect(run.deniedTools).toEqual([{ name: "Bash", toolCallId: "t1", reason: "no" }, { name: "Edit", toolCallId: null, reason: null }]);
    expect((await runFake(talker, { outcome: { stdout: toLines(SAY, DONE) } })).run.deniedTools).toEqual([]);
    const { args, command, promptDelivery, output: { payload, resultPath, terminal } } = talker;
    const untold = { executorId: "untold", args, command, promptDelivery, output: { payload, resultPath, terminal: terminal ?? {} } };
    expect((await runFake(untold, { outcome: { stdout: toLines(SAY, DONE) } })).run.deniedTools).toBeNull();
  });

  it("never reads a reason from the transcript", async () => {
    const trap = { ...SAY, text: "I read: HTTP 401 Unauthorized, rate limit exceeded, please run /login" };
    const { run } = await runFake(talker, { outcome: { stdout: toLines(delta(trap.text), trap), exitCode: 1 } });
    expect(run).toMatchObject({ status: "error", exitCode: 1, reason: "other" });
  });

  it("asks the failure's own words before stderr", async () => {
    const stdout = toLines({ type: "dead", message: "HTTP 429 Too Many Requests" });
    const { run } = await runFake(talker, { outcome: { stdout, exitCode: 1, stderr: "warning: not logged in to the update server" } });
    expect(run).toMatchObject({ status: "rate-limited", exitCode: 69 });
  });

  it("reads plain text as the answer, without a byte order mark, whatever the chunks", async () => {
    const prose = withOutput({ payload: "text", terminal: {} });
    const bytes = Buffer.from("\uFEFFGrüße, 世界\n");
    const events: RunEvent[] = [];
    const spawner = createStreamingSpawner([...bytes].map((byte) => Uint8Array.of(byte)));
    const { run } = await runFake(prose, spawner, { onEvent: (event) => void events.push(event) });
    expect(run).toMatchObject({ status: "success", text: "Grüße, 世界\n" });
    expect(texts(events).join("")).toBe("Grüße, 世界\n");
    expect((await runFake(prose, { outcome: { stdout: " \n" } })).run).toMatchObject({ status: "error", exitCode: 1 });
  });
});
