import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { McpServerConfig } from "../../src/adapters/types.js";
import type { RunOptions } from "../../src/runner/types.js";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { isJsonObject, listAt, parseJson, valueAt } from "./json-value.js";
import { callMcpTool } from "./mcp-tool-call.js";
import { say } from "./model-answer.js";

const LIBRARY = new URL("../../dist/lib/index.js", import.meta.url).href;
const EVERYTHING = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url));

/** The reference server of the protocol's own project; its tool `get-env` answers with its environment. */
const SERVER: McpServerConfig = { type: "stdio", name: "every.thing", command: process.execPath, args: [EVERYTHING], env: { GIVEN: 'to "it" alone: $HOME ${HOME}' } };

/** claude refuses full access to root without it. */
const SANDBOXED = { env: { IS_SANDBOX: "1" } };

describe.concurrent.each(BACKEND_IDS)("an MCP server of the caller's, on %s", (backend) => {
  it("is offered to the model at full access, runs its tool, and ends with the run", () =>
    onStage(backend, SANDBOXED, async (stage) => {
      stage.server.respondWith((request) => (request.toolResults.length === 0 ? callMcpTool(request, "get-env") : say("done")));
      const { result, events } = await runLibrary(stage, { prompt: "what is in it?", access: "full", mcpServers: [SERVER] });
      expect(result).toMatchObject({ status: "success", text: "done", warnings: [] });
      expect(stage.server.calls).toHaveLength(2);
      expect(stage.server.calls[1]?.toolResults.join()).toMatch(/"GIVEN": ?"to \\"it\\" alone: \$HOME \$\{HOME\}"/);
      const called = events.find(({ type }) => type === "tool_call");
      expect(called).toMatchObject({ title: expect.stringMatching(/get[-_]env$/) as unknown, kind: "other" });
      expect(events).toContainEqual(expect.objectContaining({ type: "tool_call_update", toolCallId: called?.["toolCallId"], status: "completed" }));
    }));

  it("is left out below, with a warning, and never started", () =>
    onStage(backend, SANDBOXED, async (stage) => {
      const { result, events } = await runLibrary(stage, { prompt: "hello", access: "read-only", mcpServers: [SERVER] });
      expect(result).toMatchObject({ status: "success", warnings: [expect.stringContaining("was not given the MCP server every.thing")] });
      expect(events).toContainEqual(expect.objectContaining({ type: "warning", code: "mcp-servers-withheld" }));
      expect(JSON.stringify(valueAt(stage.server.calls[0]?.body, "tools"))).not.toMatch(/get[-_]env/);
    }));
});

interface LibraryRun {
  readonly result: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** A program that uses the package, in the stage's environment. */
async function runLibrary({ backend, place }: BackendStage<BackendId>, options: RunOptions): Promise<LibraryRun> {
  const args = ["--input-type=module", "-e", PROGRAM, LIBRARY, JSON.stringify({ backend, cwd: place.cwd, ...options })];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: place.cwd, env: place.env, timeout: 60_000 });
  const told = parseJson(stdout);
  const result = valueAt(told, "result");
  return { result: isJsonObject(result) ? result : {}, events: listAt(told, "events").filter(isJsonObject) };
}

const PROGRAM = `
const { runOnce } = await import(process.argv[1]);
const events = [];
const result = await runOnce({ ...JSON.parse(process.argv[2]), onEvent: (event) => void events.push(event) });
console.log(JSON.stringify({ result, events }));
`;
