import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AGENT, setUpAcpx, type Acpx, type AcpxRun } from "./acpx.js";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS } from "./backends.js";
import { writeJson, writeText } from "./isolated-env.js";
import { listAt, textAt, valueAt } from "./json-value.js";
import { findLeftOverProcesses, waitForNoLeftOvers, waitForProcess, type LeftOverProcess } from "./left-over-processes.js";
import { callMcpTool } from "./mcp-tool-call.js";
import { say } from "./model-answer.js";

const EVERYTHING = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url));

// claude refuses full access to root without it.
const SANDBOXED = { env: { IS_SANDBOX: "1" } };

describe.concurrent.each(BACKEND_IDS)("acpx, a client that is not ours, with jlgcli acp on %s", (backend) => {
  const withAcpx = (play: (acpx: Acpx, stage: BackendStage) => Promise<void>, agentArgs: readonly string[] = []): Promise<void> =>
    onStage(backend, SANDBOXED, async (stage) => play(await setUpAcpx(stage.place, ["--backend", backend, ...agentArgs]), stage));

  it("is shown a tool's call and the answer", () =>
    withAcpx(async (acpx, { server }) => {
      const ended = await acpx.run([AGENT, "exec", "[[bash:echo out-$((40 + 2))]] run it"]);
      expect(ended).toMatchObject({ exitCode: 0, stopReason: "end_turn" });
      expect(ended.text).toContain("The tool answered:");
      expect(ended.text).toContain("out-42");
      const call = findUpdate(ended, "tool_call");
      expect(call).toMatchObject({ kind: "execute", status: "in_progress" });
      expect(findUpdate(ended, "tool_call_update")).toMatchObject({ toolCallId: call?.["toolCallId"], status: "completed" });
      expect(server.calls).toHaveLength(2);
    }, ["--access", "full"]));

  it("runs a slash command of the project, which it was told of", () =>
    withAcpx(async (acpx, { server, place }) => {
      await writeText(join(place.cwd, ".claude", "commands", "greet.md"), "---\ndescription: Greets\nargument-hint: NAME\n---\nSay hello to $ARGUMENTS.\n");
      const ended = await acpx.run([AGENT, "exec", "/greet Ann"]);
      expect(ended).toMatchObject({ exitCode: 0, stopReason: "end_turn" });
      expect(server.calls[0]?.prompt).toContain("Say hello to Ann.");
      const commands = listAt(findUpdate(ended, "available_commands_update"), "availableCommands");
      expect(commands).toContainEqual(expect.objectContaining({ name: "greet", description: "Greets", input: { hint: "NAME" } }));
    }));

  it("hands an MCP server on, whose tool runs", () =>
    withAcpx(async (acpx, { server, place }) => {
      const config = join(place.outside, "mcp.json");
      await writeJson(config, { mcpServers: [{ name: "everything", type: "stdio", command: process.execPath, args: [EVERYTHING], env: [{ name: "GIVEN", value: "by the client" }] }] });
      server.respondWith((request) => (request.toolResults.length === 0 ? callMcpTool(request, "get-env") : say("seen")));
      const ended = await acpx.run(["--mcp-config", config, AGENT, "exec", "what is in it?"]);
      expect(ended).toMatchObject({ exitCode: 0, stopReason: "end_turn", text: "seen" });
      expect(server.calls[1]?.toolResults.join()).toMatch(/"GIVEN": ?"by the client"/);
      expect(textAt(findUpdate(ended, "tool_call"), "title")).toMatch(/get[-_]env$/);
    }, ["--access", "full"]));

  it("goes on with a session in the next turn, and after all programs have ended", () =>
    withAcpx(async (acpx, { server, place }) => {
      const inSession = (...args: readonly string[]): Promise<AcpxRun> => acpx.run([AGENT, ...args]);
      expect(await inSession("sessions", "new", "--name", "work")).toMatchObject({ exitCode: 0 });
      expect(await inSession("-s", "work", "the first question")).toMatchObject({ exitCode: 0, stopReason: "end_turn" });
      expect(await inSession("-s", "work", "the second question")).toMatchObject({ exitCode: 0, stopReason: "end_turn" });
      expect(server.calls).toHaveLength(2);
      expect(JSON.stringify(server.calls[1]?.body)).toContain("the first question");

      // What acpx leaves behind for the session holds the agent's other end.
      const [owner] = findLeftOverProcesses({ home: place.home }).filter(({ command }) => command.includes("__queue-owner"));
      process.kill(owner?.pid ?? Number.NaN, "SIGTERM");
      expect(await waitForNoLeftOvers({ home: place.home }, 10_000)).toEqual([]);
      const listed = await inSession("sessions", "list");
      expect(listAt(listed.lines[0], "sessions")).toMatchObject([{ cwd: place.cwd, title: "the first question" }]);
      expect(await inSession("-s", "work", "the third question")).toMatchObject({ exitCode: 0, stopReason: "end_turn" });
      const body = JSON.stringify(server.calls[2]?.body);
      expect(body).toContain("the first question");
      expect(body).toContain("the second question");
      expect(server.calls[2]?.prompt).toContain("the third question");
      expect(await inSession("sessions", "close", "work")).toMatchObject({ exitCode: 0 });
    }));

  it("cancels a turn whose tool hangs: nothing of the backend is left, and the next turn runs", () =>
    withAcpx(async (acpx, { place }) => {
      const inSession = (...args: readonly string[]): Promise<AcpxRun> => acpx.run([AGENT, ...args]);
      await inSession("sessions", "new", "--name", "work");
      const hanging = inSession("-s", "work", "[[bash:sleep 300]] wait");
      await waitForProcess({ home: place.home }, "sleep 300");
      expect(await inSession("cancel", "-s", "work")).toMatchObject({ exitCode: 0 });
      expect(await hanging).toMatchObject({ stopReason: "cancelled" });
      expect(findLeftOverProcesses({ home: place.home }).filter((left) => !isOfClient(left))).toEqual([]);
      expect(await inSession("-s", "work", "[[say:still here]] and now?")).toMatchObject({ exitCode: 0, stopReason: "end_turn", text: "still here" });
      await inSession("sessions", "close", "work");
    }, ["--access", "full"]));

  it("is killed in the middle of a turn, and takes everything with it", () =>
    withAcpx(async (acpx, { server, place }) => {
      let kill: (signal: NodeJS.Signals) => void = () => undefined;
      const killed = acpx.run([AGENT, "exec", "[[stall]] hello"], { onStart: (send) => (kill = send) });
      await server.waitForCall();
      kill("SIGKILL");
      expect(await killed).toMatchObject({ signal: "SIGKILL" });
      expect(await waitForNoLeftOvers({ home: place.home }, 10_000)).toEqual([]);
    }));
});

function findUpdate({ updates }: AcpxRun, kind: string): Readonly<Record<string, unknown>> | undefined {
  return updates.find((update) => valueAt(update, "sessionUpdate") === kind);
}

/** acpx, what it leaves behind for its session, and the agent itself. */
function isOfClient({ command }: LeftOverProcess): boolean {
  return command.includes("/acpx/") || command.includes("cli.cjs acp ");
}
