import { describe, expect, it } from "vitest";
import { REASON_STATUSES, decideOutcome, type RunFacts } from "../../../src/adapters/outcome.js";
import { FAILURE_REASONS, type FailureReason } from "../../../src/events/schema.js";
import { EXIT_TABLE } from "../../../src/exit-codes.js";

const STOPS: readonly RunFacts["stopped"][] = [
  null,
  { kind: "interrupted", signal: null },
  { kind: "interrupted", signal: "SIGINT" },
  { kind: "interrupted", signal: "SIGTERM" },
  { kind: "timeout", deadline: "total", afterMs: 1 },
];
const SPAWN_FAILURES: readonly RunFacts["spawnFailure"][] = [null, { missing: true }, { missing: false }, { missing: false, tooLarge: true }];
const ENDS: readonly Pick<RunFacts, "exitCode" | "signal">[] = [
  { exitCode: 0, signal: null },
  { exitCode: 1, signal: null },
  { exitCode: 2, signal: null },
  { exitCode: null, signal: "SIGKILL" },
  { exitCode: null, signal: null },
];
const YES_NO = [true, false];
const REASONS: readonly (FailureReason | null)[] = [null, ...FAILURE_REASONS];

/** Every combination of the facts. */
function* listFacts(): Generator<RunFacts> {
  for (const stopped of STOPS)
    for (const spawnFailure of SPAWN_FAILURES)
      for (const failure of REASONS)
        for (const hintedReason of REASONS)
          for (const end of ENDS)
            for (let bits = 0; bits < 2 ** 5; bits += 1) {
              const bit = (at: number): boolean => YES_NO[(bits >> at) & 1] === true;
              yield {
                stopped, spawnFailure, failure, hintedReason, ...end,
                terminalSuccess: bit(0), namesTerminalSuccess: bit(1), hasAnswer: bit(2), truncated: bit(3), pipeBroke: bit(4),
              };
            }
}

interface Expected {
  readonly exitCode: number;
  readonly status: string;
}

/** The numbers of the contract, written down once more by hand. */
const CODES: Readonly<Record<string, number>> = {
  success: 0, error: 1, "backend-missing": 2, "backend-unauthenticated": 6, "invalid-data": 65, "no-input": 66, "rate-limited": 69, unavailable: 69, timeout: 75,
};
const of = (status: string): Expected => ({ status, exitCode: CODES[status] ?? -1 });
const STATUS_OF_REASON: Readonly<Record<FailureReason, string>> = {
  unauthenticated: "backend-unauthenticated",
  "rate-limited": "rate-limited",
  overloaded: "unavailable",
  network: "unavailable",
  "unknown-model": "error",
  "model-substituted": "error",
  "context-too-long": "error",
  "bad-request": "error",
  "permission-denied": "error",
  "session-not-found": "no-input",
  other: "error",
};

interface Rule {
  readonly says: string;
  readonly applies: (facts: RunFacts) => boolean;
  readonly gives: (facts: RunFacts) => Expected;
}

/** The order of precedence as the exit-code contract states it; the first rule that applies decides. */
const PRECEDENCE: readonly Rule[] = [
  {
    says: "our own signal came before the terminal record",
    applies: ({ stopped }) => stopped?.kind === "interrupted",
    gives: ({ stopped }) => ({ status: "interrupted", exitCode: stopped?.kind === "interrupted" && stopped.signal === "SIGTERM" ? 143 : 130 }),
  },
  { says: "our own deadline passed before the terminal record", applies: ({ stopped }) => stopped?.kind === "timeout", gives: () => of("timeout") },
  { says: "the program is not there", applies: ({ spawnFailure }) => spawnFailure?.missing === true, gives: () => of("backend-missing") },
  { says: "the arguments were too big to start it", applies: ({ spawnFailure }) => spawnFailure?.tooLarge === true, gives: () => of("invalid-data") },
  { says: "it did not start", applies: ({ spawnFailure }) => spawnFailure !== null, gives: () => of("error") },
  {
    says: "the backend said that it failed",
    applies: ({ failure }) => failure !== null,
    gives: ({ failure }) => of(STATUS_OF_REASON[failure ?? "other"]),
  },
  { says: "it said that it succeeded, and answered", applies: (facts) => facts.terminalSuccess && facts.hasAnswer, gives: () => of("success") },
  { says: "it said that it succeeded, without an answer", applies: (facts) => facts.terminalSuccess, gives: () => of("error") },
  {
    says: "nobody names a terminal record, and it answered, exited with 0, and nothing was cut",
    applies: (facts) => facts.exitCode === 0 && facts.hasAnswer && !facts.namesTerminalSuccess && !facts.truncated,
    gives: () => of("success"),
  },
  {
    says: "anything else is a failure, for the reason that stderr and notices hint at",
    applies: () => true,
    gives: ({ hintedReason }) => of(STATUS_OF_REASON[hintedReason ?? "other"]),
  },
];

function expectOutcome(facts: RunFacts): Expected {
  const rule = PRECEDENCE.find(({ applies }) => applies(facts));
  if (rule === undefined) throw new Error("the last rule always applies");
  return rule.gives(facts);
}

describe("how a run's end is decided", () => {
  it("follows the order of precedence for every combination of facts", () => {
    let count = 0;
    const wrong: unknown[] = [];
    for (const facts of listFacts()) {
      count += 1;
      const { status, exitCode } = decideOutcome(facts);
      const expected = expectOutcome(facts);
      if ((status !== expected.status || exitCode !== expected.exitCode) && wrong.length < 5) wrong.push({ facts, got: { status, exitCode }, expected });
    }
    expect(wrong).toEqual([]);
    expect(count).toBe(5 * 4 * 12 * 12 * 5 * 32);
  });

  it("gives 0 only for positive evidence, and 2 only for a missing program", () => {
    for (const facts of listFacts()) {
      const { exitCode, status, reason } = decideOutcome(facts);
      const evidence = facts.hasAnswer && facts.failure === null && (facts.terminalSuccess || facts.exitCode === 0);
      if (exitCode === 0 && !evidence) throw new Error(`0 without evidence: ${JSON.stringify(facts)}`);
      if (exitCode === 0 && reason !== null) throw new Error(`a success with a reason to fail: ${JSON.stringify(facts)}`);
      if ((exitCode === 2) !== (status === "backend-missing")) throw new Error(`2 as ${status}`);
      if (exitCode === 2 && facts.spawnFailure?.missing !== true) throw new Error(`2 although it started: ${JSON.stringify(facts)}`);
    }
  });

  it("never makes the child's own code or signal ours", () => {
    const base: RunFacts = {
      stopped: null, spawnFailure: null, failure: null, hintedReason: null, terminalSuccess: false, namesTerminalSuccess: false,
      hasAnswer: true, truncated: false, pipeBroke: false, exitCode: 0, signal: null,
    };
    for (const exitCode of [2, 6, 64, 75, 78, 130, 143, 255]) expect(decideOutcome({ ...base, exitCode }).exitCode).toBe(1);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) expect(decideOutcome({ ...base, exitCode: null, signal }).exitCode).toBe(1);
  });

  it("has a status of the exit table for every reason", () => {
    expect(REASON_STATUSES).toEqual(STATUS_OF_REASON);
    for (const status of Object.values(REASON_STATUSES)) expect(EXIT_TABLE).toHaveProperty([status]);
  });

  it("says what decided", () => {
    const facts: RunFacts = {
      stopped: null, spawnFailure: null, failure: null, hintedReason: null, terminalSuccess: false, namesTerminalSuccess: false,
      hasAnswer: false, truncated: false, pipeBroke: false, exitCode: 0, signal: null,
    };
    const causeOf = (change: Partial<RunFacts>) => decideOutcome({ ...facts, ...change }).cause;
    expect(causeOf({ spawnFailure: { missing: true } })).toBe("not-started");
    expect(causeOf({ stopped: { kind: "interrupted", signal: null } })).toBe("stopped");
    expect(causeOf({ failure: "other" })).toBe("failure-record");
    expect(causeOf({ terminalSuccess: true, hasAnswer: true })).toBe("answered");
    expect(causeOf({ terminalSuccess: true })).toBe("no-answer");
    expect(causeOf({ exitCode: null, signal: "SIGTERM", pipeBroke: true })).toBe("child-signal");
    expect(causeOf({ exitCode: null, pipeBroke: true })).toBe("pipe-broke");
    expect(causeOf({ exitCode: 3 })).toBe("child-exit-code");
    expect(causeOf({ truncated: true, hasAnswer: true })).toBe("truncated");
    expect(causeOf({ pipeBroke: true })).toBe("pipe-broke");
    expect(causeOf({})).toBe("no-evidence");
    expect(causeOf({ namesTerminalSuccess: true, hasAnswer: true })).toBe("no-evidence");
  });
});
