import { afterEach, describe, expect, it } from "vitest";
import { createPlaceWithClaude, createPlaceWithCodex, parseObject, runCli, runForResult, type Place } from "./support/cli.js";

let place: Place | undefined;
const withClaude = (env: Record<string, string> = {}): Place => (place = createPlaceWithClaude(env));

afterEach(() => {
  place?.cleanUp();
  place = undefined;
});

const MESSAGE = "the model 'claude-haiku-4-5' answered, not 'claude-opus-4-8'";

describe("another model than the one that was asked for", () => {
  const substituted = { FAKE_MODEL: "claude-haiku-4-5" };
  const args = ["--backend", "claude", "--model", "claude-opus-4-8"];

  it("is a warning, once in the events and once in the result", async () => {
    const { stdout, exitCode } = await runCli(withClaude(substituted), ["run", "--output", "stream-json", ...args, "hi"]);
    const events = stdout.trimEnd().split("\n").map(parseObject);
    expect(events.filter((event) => event["type"] === "warning")).toEqual([{ type: "warning", code: "model-substituted", message: MESSAGE }]);
    expect(events.at(-1)).toMatchObject({ type: "result", status: "success", model: "claude-haiku-4-5", warnings: [MESSAGE] });
    expect(exitCode).toBe(0);
  });

  it("is told once to a person", async () => {
    const ended = await runCli(withClaude(substituted), ["run", "-v", ...args, "hi"]);
    expect(ended.stderr.split(MESSAGE)).toHaveLength(2);
    expect(ended.stdout).toBe("heard: hi\n");
  });

  it("fails with --strict-model, and its answer does not go to stdout", async () => {
    const { result, exitCode } = await runForResult(withClaude(substituted), [...args, "--strict-model", "hi"]);
    expect(result).toMatchObject({ status: "error", reason: "model-substituted", text: MESSAGE, partialText: "heard: hi" });
    expect(exitCode).toBe(1);
    const ended = await runCli(place as Place, ["run", ...args, "--strict-model", "hi"]);
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toContain("heard: hi");
  });
});

describe("the model that was asked for", () => {
  it.each([
    ["claude-opus-4-8", "claude-opus-4-8"],
    ["claude-opus-4-8", "claude-opus-4-8[1m]"],
    ["opus", "claude-opus-4-8-20260101"],
  ])("'%s' is '%s' also where a helper has another one", async (requested, answered) => {
    const { result } = await runForResult(withClaude({ FAKE_MODEL: answered }), ["--backend", "claude", "--model", requested, "--strict-model", "hi"]);
    expect(result).toMatchObject({ status: "success", exitCode: 0, model: answered, warnings: [] });
  });
});

describe("--strict-model", () => {
  it("is refused for a backend that does not tell its model", async () => {
    place = createPlaceWithCodex("success");
    const { result } = await runForResult(place, ["--backend", "codex", "--model", "gpt-5", "--strict-model", "hi"]);
    expect(result).toMatchObject({ exitCode: 64, status: "backend-unsupported" });
    expect(result["text"]).toContain("--strict-model");
  });

  it("is refused where no model is asked for", async () => {
    const { result } = await runForResult(withClaude(), ["--backend", "claude", "--strict-model", "hi"]);
    expect(result).toMatchObject({ exitCode: 64, status: "usage" });
  });
});

describe("the vendor's quota", () => {
  it("stands in the result with times that people can read", async () => {
    const { result } = await runForResult(withClaude(), ["--backend", "claude", "hi"]);
    expect(result["quota"]).toEqual([
      { name: "five_hour", utilization: 0.13, resetsAt: "2026-09-04T03:10:00.000Z" },
      { name: "seven_day", utilization: 0.5, resetsAt: "2026-09-09T22:03:20.000Z" },
    ]);
  });

  it("is null for a backend that does not tell", async () => {
    place = createPlaceWithCodex("success");
    const { result } = await runForResult(place, ["--backend", "codex", "hi"]);
    expect(result["quota"]).toBeNull();
  });
});
