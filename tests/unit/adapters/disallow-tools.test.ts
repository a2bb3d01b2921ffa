import { describe, expect, it } from "vitest";
import { findCapabilities } from "../../../src/adapters/capabilities.js";
import { adapterFromRecord } from "../../../src/adapters/from-record.js";
import { toOptionInvocation } from "../../../src/adapters/invocation.js";
import type { BackendRecord, DisallowToolsArgs } from "../../../src/adapters/record.js";
import { claude } from "../../../src/adapters/records/claude.js";
import { codex } from "../../../src/adapters/records/codex.js";
import { copilot } from "../../../src/adapters/records/copilot.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { createFakeSpawner } from "./fake-spawner.js";

const argsOf = (record: BackendRecord, disallowedTools: readonly string[]): readonly string[] => toOptionInvocation(record, { access: "full", disallowedTools }).extraArgs;
const messagesOf = (record: BackendRecord, disallowedTools: readonly string[]): readonly string[] => toOptionInvocation(record, { disallowedTools }).warnings.map(({ message }) => message);

describe("tools that a run forbids", () => {
  it("are one argument each for claude and copilot, beside those of the level", () => {
    expect(argsOf(claude, ["Bash(git push:*)", "Write"])).toEqual(["--permission-mode", "bypassPermissions", "--disallowedTools=Bash(git push:*)", "--disallowedTools=Write"]);
    expect(argsOf(copilot, ["shell(git push:*)", "write"])).toEqual(["--allow-all", "--deny-tool=shell(git push:*)", "--deny-tool=write"]);
  });

  it("are put in as they are", () => {
    expect(argsOf(agent({ args: ["--no", "{value}={value}"] }), ["$& {value}", "b"]).slice(-4)).toEqual(["--no", "$& {value}=$& {value}", "--no", "b=b"]);
  });

  it("change nothing where there are none", () => {
    for (const record of [claude, codex]) expect(toOptionInvocation(record, { disallowedTools: [] })).toEqual(toOptionInvocation(record, {}));
  });

  it("are refused where the backend has no way to forbid any", () => {
    expect(() => argsOf(codex, ["Bash", "Write"])).toThrow(expect.objectContaining({ code: "BACKEND_OPTION_UNSUPPORTED", message: "Codex cannot honour the forbidden tools Bash, Write" }) as Error);
  });

  it.each(["-p", "--dangerously-skip-permissions", " --yolo", "", "  ", "Ba\0sh"])("are refused where one could be something else: %j", (tool) => {
    for (const record of [claude, copilot]) {
      expect(() => argsOf(record, ["Read", tool])).toThrow(expect.objectContaining({ code: "BACKEND_OPTION_UNSUPPORTED", message: `${record.displayName} cannot honour the forbidden tool ${JSON.stringify(tool)}` }) as Error);
    }
  });

  it.each([
    [claude, ["Bash", "Bash(git push:*)", "Bash(a (b), c)", "mcp__files__read", "mcp__files", "*", "WebFetch(domain:example.com)", "Task"]],
    [copilot, ["shell", "shell(git:*)", "write(.env)", "read", "url(https://*.example.com)"]],
    [agent({ args: ["{value}"] }), ["anything"]],
  ])("are known without a doubt where they have an effect: %#", (record, tools) => {
    expect(messagesOf(record, tools)).toEqual([]);
  });

  it.each([
    [claude, ["bash", "Bash(git push", "Shell", "Bash()", "Bash,Write"]],
    [copilot, ["bash", "create", "Bash(git push:*)", "shell(git", "files(read)"]],
  ])("are handed on and named in a warning where that is not known: %#", (record, tools) => {
    expect(messagesOf(record, ["Read", "read", ...tools]).join()).toContain(` to forbid ${record === claude ? "read" : "Read"}, ${tools.join(", ")}, but those are no names of its tools`);
    expect(argsOf(record, tools).slice(-tools.length).map((arg) => arg.replace(/^[^=]+=/u, ""))).toEqual(tools);
  });

  it("that are not known are told as an event and with the result", async () => {
    const events: RunEvent[] = [];
    const adapter = adapterFromRecord(copilot, { spawner: createFakeSpawner() });
    const result = await adapter.runOnce({ prompt: "hello", cwd: "/", env: { HOME: "/nowhere" }, disallowedTools: ["bash"], onEvent: (event) => void events.push(event) });
    const message = "GitHub Copilot CLI was told to forbid bash, but that is no name of its tools that is known to have an effect: perhaps nothing is forbidden by it";
    expect(result.warnings?.[0]).toBe(message);
    expect(events[0]).toEqual({ type: "warning", code: "forbidden-tools-unknown", message });
  });

  it("have a flag that --backend-arg cannot repeat", () => {
    expect(() => toOptionInvocation(agent({ args: ["--no={value}"] }), { backendArgs: ["--no=x"] })).toThrow("cannot honour --backend-arg --no=x");
  });
});

it("can be forbidden on the backends that say so", async () => {
  const told = await Promise.all(["claude", "copilot", "codex", "qwen", "replay"].map(async (id) => (await findCapabilities(id))?.deniesTools));
  expect(told).toEqual([true, true, false, false, false]);
});

function agent(disallowTools: DisallowToolsArgs): BackendRecord {
  return {
    id: "agent",
    displayName: "Agent",
    traits: { executorId: "agent", command: "agent", args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: [] } },
    options: { disallowTools, access: { "read-only": { args: [] }, full: { args: [] } } },
  };
}
