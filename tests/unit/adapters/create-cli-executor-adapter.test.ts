import { describe, expect, it } from "vitest";
import { createCliExecutorAdapter } from "../../../src/adapters/create-cli-executor-adapter.js";
import { refuseArgumentPrompt } from "../../../src/adapters/prompt-delivery.js";
import { ENVELOPE_ERROR_CODES as CODES, type AdapterTiming, type ExecutorTraits, type RunRequest } from "../../../src/adapters/traits.js";
import { JlgcliError } from "../../../src/errors.js";
import { createFakeSpawner } from "./fake-spawner.js";
import {
  SAMPLES, claudeCode, claudeHookError, claudeInit, claudeJson, claudeQuota, claudeResult, codex, codexAnswer, codexError, codexUsage,
  opencode, opencodeError, opencodeStep, opencodeText, stub, toLines,
} from "./foreign-records.js";
import { WORKSPACE, anyText, containing, errorOf, matching, runFake } from "./run-fake.js";

describe.each(SAMPLES)("a record that knows only the published types: $traits.executorId", ({ traits, good, data, summary, blank, failed, reason }) => {
  it("spawns the command once, with its arguments, in the workspace, and closes stdin", async () => {
    const { spawner } = await runFake(traits, { outcome: { stdout: good } }, { prompt: "do it\n" });
    expect(spawner.calls).toHaveLength(1);
    const [call] = spawner.calls;
    const separator = traits.executorId === "opencode" ? ["--"] : [];
    expect(call?.command).toBe(traits.command);
    expect(call?.args).toEqual(traits.promptDelivery === "stdin" ? traits.args : [...traits.args, ...separator, "do it\n"]);
    expect(call?.options.cwd).toBe(WORKSPACE.rootPath);
    expect(call?.child.stdinEnded).toBe(true);
    expect(call?.child.written).toEqual(traits.promptDelivery === "stdin" ? ["do it\n"] : []);
  });

  it("gives the answer, the metadata and the usage", async () => {
    const { envelope, run } = await runFake(traits, { outcome: { stdout: good } });
    expect(envelope).toMatchObject({ status: "ok", data, summary, errors: [] });
    expect(envelope.data).toEqual(data);
    expect(run).toMatchObject({ status: "success", exitCode: 0, text: data.result, partialText: null, reason: null });
  });

  it("reads output that begins with a byte order mark", async () => {
    const { envelope } = await runFake(traits, { outcome: { stdout: `\uFEFF${good}` } });
    expect(envelope.data).toEqual(data);
  });

  it("keeps its id under another command", async () => {
    const spawner = createFakeSpawner({ outcome: { stdout: good } });
    const adapter = createCliExecutorAdapter(traits, { spawner, command: "/opt/other" });
    expect(adapter.executorId).toBe(traits.executorId);
    expect((await adapter.run({ prompt: "x", workspace: WORKSPACE })).status).toBe("ok");
    expect(spawner.calls[0]?.command).toBe("/opt/other");
  });

  it("fails with the vendor's own reason although the exit code is 0", async () => {
    const { envelope, run } = await runFake(traits, { outcome: { stdout: failed } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).code).toBe(CODES.executorRunFailed);
    expect(errorOf(envelope).message).toContain(reason);
    expect(envelope.summary.trim()).not.toBe("");
    expect(run.exitCode).not.toBe(0);
  });

  it("fails on a non-zero exit code and keeps the data of the answer", async () => {
    const { envelope, run } = await runFake(traits, { outcome: { stdout: good, exitCode: 1, stderr: "some noise" } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).code).toBe(CODES.executorRunFailed);
    expect(envelope.data).toEqual(data);
    expect(run).toMatchObject({ status: "error", exitCode: 1, backendExitCode: 1, partialText: data.result });
  });

  it("fails when output was cut before it came here", async () => {
    const { envelope, data: got } = await runFake(traits, { outcome: { stdout: good, stdoutTruncated: true } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).message).toContain("incomplete");
    expect(got).toMatchObject({ stdoutTruncated: true, stderrTruncated: false });
    expect(got).not.toHaveProperty("usage");
  });

  it.each([["garbage", "garbage\nmore garbage"], ["JSON without an answer", '{"hello":"world"}\n'], ["a blank answer", blank], ["nothing", ""]])(
    "fails on %s and names the command",
    async (_name, stdout) => {
      const { envelope, run } = await runFake(traits, { outcome: { stdout } });
      expect(envelope.status).toBe("failed");
      expect(errorOf(envelope)).toMatchObject({ code: CODES.executorRunFailed, message: containing(traits.command) });
      expect(run).toMatchObject({ status: "error", exitCode: 1 });
    },
  );

  it("says that a missing program is not available", async () => {
    const spawnErrorMessage = `spawn ${traits.command} ENOENT`;
    const { envelope, run } = await runFake(traits, { outcome: { exitCode: null, spawnErrorMessage } });
    expect(envelope).toMatchObject({ status: "failed", data: null });
    expect(errorOf(envelope)).toMatchObject({ code: CODES.executorUnavailable, message: containing(spawnErrorMessage) });
    expect(run).toMatchObject({ status: "backend-missing", exitCode: 2 });
  });

  it("ends the child and says so when the caller changes its mind", async () => {
    const cancel = new AbortController();
    const running = runFake(traits, { script: () => cancel.abort() }, { signal: cancel.signal });
    const { envelope, run, spawner } = await running;
    expect(envelope.status).toBe("cancelled");
    expect(errorOf(envelope).code).toBe(CODES.executorCancelled);
    expect(envelope.data).toBeNull();
    expect(spawner.calls[0]?.child.kills).toBe(1);
    expect(run).toMatchObject({ status: "interrupted", exitCode: 130 });
  });

  it("is cancelled by an abort in the same tick as its call", async () => {
    const cancel = new AbortController();
    const running = runFake(traits, { script: () => undefined }, { signal: cancel.signal });
    cancel.abort();
    expect((await running).envelope.status).toBe("cancelled");
  });

  it("gives the real end when the abort comes after the child's", async () => {
    const cancel = new AbortController();
    const { envelope, spawner } = await runFake(
      traits,
      { onEnd: (child) => child.settle({ stdout: good }), script: () => cancel.abort() },
      { signal: cancel.signal },
    );
    expect(envelope.data).toEqual(data);
    expect(spawner.calls[0]?.child.kills).toBe(0);
  });

  it("ends a child whose stdin is broken, without waiting for it", async () => {
    const { envelope, run, spawner } = await runFake(traits, {
      onEnd: () => {
        throw new Error("write EPIPE");
      },
      onKill: () => undefined,
    });
    expect(envelope).toMatchObject({ status: "failed", data: null });
    expect(errorOf(envelope)).toMatchObject({ code: CODES.executorRunFailed, message: matching(/pipe.*EPIPE/i) });
    expect(errorOf(envelope).message).not.toContain("signal");
    expect(run.exitCode).toBe(1);
    expect(spawner.calls[0]?.child.kills).toBe(1);
  });
});

describe("how a child's end decides", () => {
  it("tells a non-zero exit code with what stderr says", async () => {
    const { envelope, run } = await runFake(codex, { outcome: { exitCode: 3, stderr: "  config is broken \n" } });
    expect(errorOf(envelope)).toMatchObject({ code: CODES.executorRunFailed, message: containing("config is broken") });
    expect(envelope.summary).toContain("config is broken");
    expect(run).toMatchObject({ exitCode: 1, backendExitCode: 3 });
  });

  it("tells the bare exit code where stderr is silent", async () => {
    expect(errorOf((await runFake(codex, { outcome: { exitCode: 3 } })).envelope).message).toContain("code 3");
  });

  it("tells an external signal", async () => {
    const { envelope, run } = await runFake(codex, { outcome: { exitCode: null, signal: "SIGTERM", stdout: toLines(codexAnswer, codexUsage) } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).message).toMatch(/external signal.*SIGTERM/);
    expect(run).toMatchObject({ exitCode: 1, backendExitCode: null, backendSignal: "SIGTERM" });
    expect(envelope.data).toMatchObject({ result: "codex says hi", usage: 28512 });
  });

  it("tells a broken pipe beside the exit code", async () => {
    const { envelope } = await runFake(codex, { outcome: { exitCode: 1, streamErrorMessage: "write EPIPE" } });
    expect(errorOf(envelope)).toMatchObject({ code: CODES.executorRunFailed, message: containing("EPIPE") });
  });

  it("lets no broken pipe outrank a whole answer", async () => {
    const { envelope } = await runFake(codex, { outcome: { streamErrorMessage: "write EPIPE", stdout: toLines(codexAnswer, codexUsage) } });
    expect(envelope).toMatchObject({ status: "ok", data: { result: "codex says hi", usage: 28512 } });
  });

  it("lets no broken pipe outrank a failure that the backend tells", async () => {
    const { envelope } = await runFake(codex, { outcome: { exitCode: 1, streamErrorMessage: "write EPIPE", stdout: toLines(codexError) } });
    expect(errorOf(envelope).message).toContain("You've hit your usage limit.");
  });

  it("tells a broken pipe where there is no other reason", async () => {
    const { envelope, run } = await runFake(codex, { outcome: { streamErrorMessage: "write EPIPE" } });
    expect(errorOf(envelope).message).toContain("EPIPE");
    expect(run.exitCode).toBe(1);
  });

  it("is unavailable, not rejected, when the spawner throws", async () => {
    const spawner = {
      spawn() {
        throw Object.assign(new Error("spawn EINVAL"), { code: "EINVAL" });
      },
    };
    const envelope = await createCliExecutorAdapter(codex, { spawner }).run({ prompt: "x", workspace: WORKSPACE });
    expect(envelope).toMatchObject({ status: "failed", data: null, run: { status: "error", exitCode: 1 } });
    expect(errorOf(envelope).code).toBe(CODES.executorUnavailable);
  });

  it("knows a missing program from a thrown error's code", async () => {
    const spawner = {
      spawn() {
        throw Object.assign(new Error("no such program"), { code: "ENOENT" });
      },
    };
    const { run } = await createCliExecutorAdapter(codex, { spawner }).run({ prompt: "x", workspace: WORKSPACE });
    expect(run).toMatchObject({ status: "backend-missing", exitCode: 2 });
  });

  it.each([["EACCES", "error", 1], ["E2BIG", "invalid-data", 65], ["ENOENT", "backend-missing", 2]] as const)(
    "maps a spawn that failed with %s to %s",
    async (spawnErrorCode, status, exitCode) => {
      const { run } = await runFake(codex, { outcome: { exitCode: null, spawnErrorMessage: "it did not start", spawnErrorCode } });
      expect(run).toMatchObject({ status, exitCode });
    },
  );

  it("survives a foreign child whose promise rejects", async () => {
    const spawner = createFakeSpawner();
    const broken = { spawn: (...args: Parameters<typeof spawner.spawn>) => Object.assign(spawner.spawn(...args), { done: Promise.reject(new Error("lost it")) }) };
    const envelope = await createCliExecutorAdapter(codex, { spawner: broken }).run({ prompt: "x", workspace: WORKSPACE });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).message).toContain("lost it");
  });
});

describe("what is read from the output", () => {
  it("gives the whole answer as data and its first line as the summary", async () => {
    const { data, envelope } = await runFake(claudeCode, { outcome: { stdout: toLines(claudeInit, claudeResult) } });
    expect(data["result"]).toBe("\n  First line  \nsecond line\n");
    expect(envelope.summary).toBe("First line");
  });

  it("cuts a long summary by code points, never the message", async () => {
    const long = "😀".repeat(300);
    const good = await runFake(codex, { outcome: { stdout: toLines({ ...codexAnswer, item: { type: "agent_message", text: long } }) } });
    expect(good.envelope.summary).toBe(`${"😀".repeat(200)}…`);
    const bad = await runFake(codex, { outcome: { stdout: toLines({ type: "error", message: long }) } });
    expect([...bad.envelope.summary]).toHaveLength(201);
    expect(errorOf(bad.envelope).message).toContain(long);
  });

  it.each([
    ["is_error is true", { is_error: true }],
    ["the subtype begins with error", { subtype: "error_max_turns" }],
  ])("fails a run at exit code 0 when %s", async (_name, change) => {
    const { envelope, data } = await runFake(claudeCode, { outcome: { stdout: toLines(claudeInit, { ...claudeResult, ...change }) } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).code).toBe(CODES.executorRunFailed);
    expect(data).toMatchObject({ session_id: "s-1", subtype: "subtype" in change ? change.subtype : "success" });
  });

  it("takes only the boolean true for an error flag", async () => {
    const { envelope } = await runFake(claudeCode, { outcome: { stdout: toLines({ ...claudeResult, is_error: "true" }) } });
    expect(envelope.status).toBe("ok");
  });

  it("lets no other event's status fail the run", async () => {
    const { envelope } = await runFake(claudeCode, { outcome: { stdout: toLines(claudeHookError, claudeResult) } });
    expect(envelope.status).toBe("ok");
  });

  it("tells that stderr was cut, and does not fail for it", async () => {
    const { envelope, data } = await runFake(claudeCode, { outcome: { stdout: toLines(claudeResult), stderr: "warn", stderrTruncated: true } });
    expect(envelope.status).toBe("ok");
    expect(data).toMatchObject({ stdoutTruncated: false, stderrTruncated: true });
  });

  it("counts noise around the records", async () => {
    const { envelope, data } = await runFake(codex, { outcome: { stdout: `${toLines(codexAnswer, codexUsage)}\n   \nbye now\n[]\n"x"\n7\nnull\n` } });
    expect(envelope.status).toBe("ok");
    expect(data).toEqual({ result: "codex says hi", usage: 28512, malformedStreamLines: 1 });
  });

  it("counts broken lines before the answer, and gives no bill that may lack a term", async () => {
    const { envelope, data } = await runFake(codex, { outcome: { stdout: `{"type":\n{broken\n${toLines(codexAnswer, codexUsage)}` } });
    expect(envelope).toMatchObject({ status: "ok", errors: [] });
    expect(data).toEqual({ result: "codex says hi", malformedStreamLines: 2 });
  });

  it("fails a run whose declared failure is followed by a good answer", async () => {
    const { envelope, data } = await runFake(codex, { outcome: { stdout: toLines(codexError, codexAnswer) } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).message).toContain("You've hit your usage limit.");
    expect(data["result"]).toBe("codex says hi");
  });

  it("keeps the answer that came before a failure", async () => {
    const { data, run } = await runFake(opencode, { outcome: { stdout: toLines(opencodeText, opencodeError) } });
    expect(data).toMatchObject({ result: "opencode says hi", sessionID: "ses_1" });
    expect(run.exitCode).toBe(1);
  });

  it("takes the last answer that is not blank", async () => {
    const part = (text: unknown) => ({ type: "text", sessionID: "s", part: { type: "text", text } });
    const { data } = await runFake(opencode, { outcome: { stdout: toLines(part("one"), part("two"), part("  "), part(5)) } });
    expect(data["result"]).toBe("two");
  });

  it.each([["constructor", "name"], ["toString", "length"], ["__proto__", "constructor"]])("finds nothing at %s.%s, which only the prototype has", async (...resultPath) => {
    const traits: ExecutorTraits = { ...stub, output: { payload: "jsonl", resultPath } };
    expect((await runFake(traits, { outcome: { stdout: "{}\n" } })).envelope.status).toBe("failed");
  });

  it("tells a stream without an answer from garbage", async () => {
    const noAnswer = await runFake(claudeCode, { outcome: { stdout: toLines(claudeInit, claudeQuota) } });
    expect(errorOf(noAnswer.envelope).message).toContain("without a usable 'result' result");
    const garbage = await runFake(claudeCode, { outcome: { stdout: "one\ntwo\n" } });
    expect(errorOf(garbage.envelope).message).not.toContain("without a usable");
    expect(garbage.data).toEqual({ malformedStreamLines: 2 });
    const object = await runFake(claudeJson, { outcome: { stdout: "Oops." } });
    expect(errorOf(object.envelope).message).toContain("unparseable output instead of JSON");
  });

  it("takes a detail that is an object as JSON", async () => {
    const { envelope } = await runFake(opencode, { outcome: { stdout: toLines(opencodeError) } });
    expect(errorOf(envelope).message).toContain('{"name":"APIError","data":{"message":"overheated"}}');
  });

  it("looks at stderr where a failure gives no detail", async () => {
    const stdout = toLines({ type: "result", subtype: "error_during_execution", is_error: true });
    const { envelope } = await runFake(claudeCode, { outcome: { stdout, stderr: "out of disk\n" } });
    expect(errorOf(envelope).message).toMatch(/error_during_execution.*out of disk/);
  });

  it("survives a detail that is nested too deeply to be written", async () => {
    const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
    const { envelope } = await runFake(opencode, { outcome: { stdout: `{"type":"error","error":${deep}}\n`, stderr: "too deep" } });
    expect(envelope.status).toBe("failed");
    expect(errorOf(envelope).message).toContain("too deep");
  });
});

describe("usage", () => {
  it.each([
    ["claude, four disjoint parts", claudeCode, toLines(claudeResult), 59842],
    ["codex, without the parts that are parts of others", codex, toLines(codexAnswer, codexUsage), 28512],
    ["opencode, all three steps", opencode, toLines(opencodeText, opencodeStep(42770), opencodeStep(42875), opencodeStep(43025)), 128670],
  ])("adds up %s", async (_name, traits, stdout, usage) => {
    const { data } = await runFake(traits, { outcome: { stdout } });
    expect(data["usage"]).toBe(usage);
    for (const [key, value] of Object.entries(data)) if (key !== "usage") expect(value).toBeTypeOf("string");
  });

  it("is there on a failed run too, and absent where nothing was told", async () => {
    const failed = await runFake(codex, { outcome: { stdout: toLines(codexUsage, codexError) } });
    expect(failed.data["usage"]).toBe(28512);
    const untold = await runFake(codex, { outcome: { stdout: toLines(codexAnswer) } });
    expect(untold.data).not.toHaveProperty("usage");
    expect(untold.run.usage).toBeNull();
  });

  it.each([["missing", undefined], ["a string", "12"], ["negative", -1], ["null, as JSON writes NaN", null], ["an object", { n: 1 }]])(
    "is absent when a component is %s",
    async (_name, value) => {
      const usage = { ...claudeResult.usage, output_tokens: value };
      const { envelope, data } = await runFake(claudeCode, { outcome: { stdout: toLines({ ...claudeResult, usage }) } });
      expect(envelope.status).toBe("ok");
      expect(data).not.toHaveProperty("usage");
    },
  );

  it("counts no look-alike of another type, and is void when one step is unreadable", async () => {
    const lookalike = { type: "step_start", part: { tokens: { total: 5 } } };
    const counted = await runFake(opencode, { outcome: { stdout: toLines(opencodeText, lookalike, opencodeStep(7), opencodeStep(8)) } });
    expect(counted.data["usage"]).toBe(15);
    const unreadable = await runFake(opencode, { outcome: { stdout: toLines(opencodeText, opencodeStep(7), opencodeStep("8"), opencodeStep(9)) } });
    expect(unreadable.data).not.toHaveProperty("usage");
  });

  it("adds 0 as 0", async () => {
    const { data } = await runFake(opencode, { outcome: { stdout: toLines(opencodeText, opencodeStep(0)) } });
    expect(data["usage"]).toBe(0);
  });

  it.each([
    ["was cancelled", { exitCode: null }, true],
    ["exited with 1", { exitCode: 1 }, false],
    ["was ended by a signal", { exitCode: null, signal: "SIGKILL" }, false],
    ["lost its pipe", { exitCode: null, streamErrorMessage: "EPIPE" }, false],
  ])("is kept of a run that %s", async (_name, outcome, cancelled) => {
    const cancel = new AbortController();
    const stdout = toLines(codexUsage);
    const { data, envelope } = await runFake(
      codex,
      { script: (child) => (cancelled ? cancel.abort() : child.settle({ ...outcome, stdout })), onKill: (child) => child.settle({ ...outcome, stdout }) },
      { signal: cancel.signal },
    );
    expect(envelope.status).toBe(cancelled ? "cancelled" : "failed");
    expect(data).toEqual({ usage: 28512 });
  });
});

describe("quota windows", () => {
  const observe = async (traits: ExecutorTraits, stdout: string, extra: object = {}) => {
    const reports: unknown[] = [];
    const run = await runFake(traits, { outcome: { stdout, ...extra } }, {}, { onUsageObservation: (report) => reports.push(report) });
    return { reports, ...run };
  };

  it("passes the vendor's values on as they are", async () => {
    const before = new Date().toISOString();
    const { reports } = await observe(claudeCode, toLines(claudeInit, claudeQuota, claudeResult));
    const after = new Date().toISOString();
    expect(reports).toEqual([
      {
        kind: "observed",
        executorId: "claude-code",
        observedAt: anyText(),
        windows: [
          { name: "five_hour", utilization: 0.13, resetsAt: 1788491400 },
          { name: "seven_day", utilization: 0.4, resetsAt: 1788999000 },
        ],
      },
    ]);
    const [report] = reports;
    const at = report !== null && typeof report === "object" && "observedAt" in report ? String(report.observedAt) : "";
    expect(at >= before && at <= after).toBe(true);
  });

  it("reports an absence, once, with the path and no zero", async () => {
    const { reports } = await observe(claudeCode, toLines(claudeInit, claudeResult));
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ kind: "absent", executorId: "claude-code", reason: matching(/NOT_REPORTED$/), detail: containing("rate_limit_info.unifiedWindows") });
    expect(JSON.stringify(reports)).not.toMatch(/\b0\b/);
  });

  it("takes the last reading that has a readable window, and skips windows of an unknown shape", async () => {
    const quota = (unifiedWindows: unknown) => ({ type: "rate_limit_event", rate_limit_info: { unifiedWindows } });
    const { reports } = await observe(
      claudeCode,
      toLines(claudeQuota, quota({ a: { utilization: 1, resetsAt: 2 }, b: { utilization: "1", resetsAt: 2 }, c: null }), quota({ d: 4 }), quota([]), claudeResult),
    );
    expect(reports).toMatchObject([{ kind: "observed", windows: [{ name: "a", utilization: 1, resetsAt: 2 }] }]);
  });

  it("is observed also when a broken line stands between it and the answer", async () => {
    const { reports, envelope, data } = await observe(claudeCode, `${toLines(claudeQuota)}{"half":\n${toLines(claudeResult)}`);
    expect(envelope.status).toBe("ok");
    expect(data["malformedStreamLines"]).toBe(1);
    expect(reports).toMatchObject([{ kind: "observed" }]);
  });

  it("is reported for a cancelled run too", async () => {
    const reports: unknown[] = [];
    const cancel = new AbortController();
    await runFake(
      claudeCode,
      { script: () => cancel.abort(), onKill: (child) => child.settle({ exitCode: null, stdout: toLines(claudeQuota) }) },
      { signal: cancel.signal },
      { onUsageObservation: (report) => reports.push(report) },
    );
    expect(reports).toMatchObject([{ kind: "observed" }]);
  });

  it.each([["codex", codex, toLines(claudeQuota, codexAnswer)], ["opencode", opencode, toLines(claudeQuota, opencodeText)]])(
    "is never reported for %s, whose record names no place for it",
    async (_name, traits, stdout) => {
      expect((await observe(traits, stdout)).reports).toEqual([]);
    },
  );

  it("is not reported after a spawn that never happened", async () => {
    expect((await observe(claudeCode, "", { exitCode: null, spawnErrorMessage: "spawn claude ENOENT" })).reports).toEqual([]);
    const reports: unknown[] = [];
    const options = { onUsageObservation: (report: unknown) => reports.push(report) };
    const cancelled = AbortSignal.abort();
    await runFake(claudeCode, {}, { signal: cancelled }, options);
    const spawner = {
      spawn() {
        throw new Error("EINVAL");
      },
    };
    await createCliExecutorAdapter(claudeCode, { spawner, ...options }).run({ prompt: "x", workspace: WORKSPACE });
    expect(reports).toEqual([]);
  });
});

describe("before the spawn", () => {
  const badRequests: readonly (readonly [string, unknown])[] = [
    ["no object", null],
    ["a blank prompt", { prompt: " \n", workspace: WORKSPACE }],
    ["a prompt that is no string", { prompt: 5, workspace: WORKSPACE }],
    ["no workspace", { prompt: "x" }],
    ["a blank workspace path", { prompt: "x", workspace: { ...WORKSPACE, rootPath: "" } }],
    ["a blank workspace id", { prompt: "x", workspace: { ...WORKSPACE, id: " " } }],
    ["no capabilities", { prompt: "x", workspace: { ...WORKSPACE, capabilities: [] } }],
    ["an unknown capability", { prompt: "x", workspace: { ...WORKSPACE, capabilities: ["execute"] } }],
    ["a capability twice", { prompt: "x", workspace: { ...WORKSPACE, capabilities: ["read", "read"] } }],
    ["a signal that is none", { prompt: "x", workspace: WORKSPACE, signal: { aborted: false } }],
  ];

  it.each(badRequests)("rejects a request with %s and spawns nothing", async (_name, request) => {
    const spawner = createFakeSpawner();
    const timings: AdapterTiming[] = [];
    const adapter = createCliExecutorAdapter(codex, { spawner, onTiming: (timing) => timings.push(timing) });
    // A caller in JavaScript has no types.
    const untyped = (value: unknown) => adapter.run(value as RunRequest);
    const error: unknown = await untyped(request).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JlgcliError);
    expect(error).toMatchObject({ code: "RUN_REQUEST_INVALID" });
    expect(spawner.calls).toEqual([]);
    expect(timings).toEqual([]);
  });

  it("spawns nothing when the caller has already changed its mind", async () => {
    const { envelope, run, spawner } = await runFake(codex, {}, { signal: AbortSignal.abort("SIGTERM") });
    expect(envelope).toMatchObject({ status: "cancelled", data: null });
    expect(errorOf(envelope).code).toBe(CODES.executorCancelled);
    expect(run).toMatchObject({ status: "interrupted", exitCode: 143 });
    expect(spawner.calls).toEqual([]);
  });

  it("puts extra arguments before the separator and the prompt", async () => {
    const extra: Partial<RunRequest> = { prompt: "-x --help", extraArgs: ["--model", "m"] };
    const asArgument = await runFake(opencode, {}, extra);
    expect(asArgument.spawner.calls[0]?.args).toEqual(["run", "--format", "json", "--model", "m", "--", "-x --help"]);
    const overStdin = await runFake(codex, {}, extra);
    expect(overStdin.spawner.calls[0]?.args).toEqual(["exec", "--json", "--skip-git-repo-check", "--model", "m"]);
    expect(overStdin.spawner.calls[0]?.child.written).toEqual(["-x --help"]);
  });

  it("hands the environment on as it is", async () => {
    const { spawner } = await runFake(codex, {}, { env: { ONLY: "this" } });
    expect(spawner.calls[0]?.options.env).toEqual({ ONLY: "this" });
  });

  it.each([
    ["ASCII", "a".repeat(131_072)],
    ["three bytes for each character", "語".repeat(43_691)],
  ])("refuses a prompt that no argument can carry, measured in bytes: %s", async (_name, prompt) => {
    const { envelope, run, spawner } = await runFake(opencode, { outcome: { stdout: toLines(opencodeText) } }, { prompt });
    expect(envelope).toMatchObject({ status: "failed", data: null });
    expect(errorOf(envelope)).toMatchObject({ code: CODES.executorRunFailed, message: containing("argument limit") });
    expect(run).toMatchObject({ status: "invalid-data", exitCode: 65 });
    expect(spawner.calls).toEqual([]);
    expect((await runFake(codex, { outcome: { stdout: toLines(codexAnswer) } }, { prompt })).envelope.status).toBe("ok");
  });

  it("passes the longest prompt that an argument can carry", async () => {
    const { envelope } = await runFake(opencode, { outcome: { stdout: toLines(opencodeText) } }, { prompt: "a".repeat(131_071) });
    expect(envelope.status).toBe("ok");
  });

  it("refuses a NUL that no argument can carry, and passes it on stdin", async () => {
    const refused = await runFake(opencode, {}, { prompt: "a\0b" });
    expect(refused.run).toMatchObject({ status: "invalid-data", exitCode: 65 });
    expect(refused.spawner.calls).toEqual([]);
    const passed = await runFake(codex, { outcome: { stdout: toLines(codexAnswer) } }, { prompt: "a\0b" });
    expect(passed.spawner.calls[0]?.child.written).toEqual(["a\0b"]);
  });

  it.each(["agent.cmd", "C:\\bin\\AGENT.BAT"])("refuses on Windows to give a prompt to cmd.exe as an argument: %s", (command) => {
    const refused = refuseArgumentPrompt(opencode, command, "x", "win32");
    expect(refused?.errors?.[0]).toMatchObject({ code: CODES.executorUnavailable, message: containing("cmd.exe") });
    expect(refuseArgumentPrompt(codex, command, "x", "win32")).toBeUndefined();
    expect(refuseArgumentPrompt(opencode, command, "x", "linux")).toBeUndefined();
  });
});

describe("timing", () => {
  const timed = async (behaviour: Parameters<typeof runFake>[1], request: Partial<RunRequest> = {}, traits: ExecutorTraits = codex) => {
    const timings: AdapterTiming[] = [];
    await runFake(traits, behaviour, request, { onTiming: (timing) => timings.push(timing) });
    return timings;
  };

  it.each([
    ["a good run", timed({ outcome: { stdout: toLines(codexAnswer) } })],
    ["a failed run", timed({ outcome: { exitCode: 1 } })],
    ["a missing program", timed({ outcome: { exitCode: null, spawnErrorMessage: "ENOENT" } })],
    ["a cancelled run", timed({}, { signal: AbortSignal.abort() })],
    ["a refused prompt", timed({}, { prompt: "a".repeat(200_001) }, opencode)],
  ])("is told once for %s", async (_name, running) => {
    const timings = await running;
    expect(timings).toHaveLength(1);
    const [timing] = timings;
    expect(timing?.spawnSetupMs).toBeGreaterThanOrEqual(0);
    expect(timing?.runMs).toBeGreaterThanOrEqual(timing?.spawnSetupMs ?? 0);
  });
});
