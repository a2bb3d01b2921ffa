import { describe, expect, it } from "vitest";
import { toTurnEnd } from "../../../src/acp/to-turn-end.js";
import type { RunResult } from "../../../src/events/schema.js";
import { EXIT_TABLE, type RunStatus } from "../../../src/exit-codes.js";
import { toResult } from "./fake-host.js";

const failed = (status: RunStatus, fields: Partial<RunResult> = {}): RunResult => toResult({ status, exitCode: EXIT_TABLE[status].code, text: "it failed", ...fields });

describe("toTurnEnd", () => {
  it.each<[string, RunResult, boolean, string]>([
    ["a success", toResult(), false, "end_turn"],
    ["a success that was there before the cancelling", toResult(), true, "end_turn"],
    ["a run that was ended by the cancelling", failed("interrupted"), true, "cancelled"],
    ["a run that failed while it was being ended", failed("error"), true, "cancelled"],
    ["a run that was ended with the program", failed("interrupted"), false, "cancelled"],
    ["a conversation that no longer fits", failed("error", { reason: "context-too-long" }), false, "max_tokens"],
  ])("answers %s with a reason to stop", (_title, result, cancelled, stopReason) => {
    expect(toTurnEnd(result, cancelled)).toMatchObject({ type: "answer", response: { stopReason, _meta: { jlgcli: { status: result.status } } } });
  });

  it.each<[RunStatus, number]>([
    ["backend-unauthenticated", -32000],
    ["backend-missing", -32603],
    ["error", -32603],
    ["rate-limited", -32603],
    ["unavailable", -32603],
    ["timeout", -32603],
    ["config", -32603],
    ["internal", -32603],
    ["backend-unsupported", -32602],
    ["invalid-data", -32602],
  ])("answers %s with the error %d", (status, code) => {
    const end = toTurnEnd(failed(status, { details: "sign in with: fake login", reason: "other" }), false);
    if (end.type !== "error") throw new Error("no error");
    expect(end.error.code).toBe(code);
    expect(end.error.message).toBe("it failed (sign in with: fake login)");
    expect(end.error.data).toEqual({ status, exitCode: EXIT_TABLE[status].code, reason: "other", details: "sign in with: fake login", backend: "fake", runId: "run-1" });
  });

  it("says of an error without details only what happened", () => {
    const end = toTurnEnd(failed("error"), false);
    expect(end.type === "error" && end.error.message).toBe("it failed");
  });

  it("leaves what is not known unknown", () => {
    expect(toTurnEnd(toResult(), false)).toMatchObject({ response: { _meta: { jlgcli: { usage: null, cost: null, model: null } } } });
  });
});
