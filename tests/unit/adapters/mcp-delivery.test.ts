import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findCapabilities } from "../../../src/adapters/capabilities.js";
import { adapterFromRecord } from "../../../src/adapters/from-record.js";
import { toMcpDelivery } from "../../../src/adapters/mcp-delivery.js";
import type { BackendRecord, McpServerArgs } from "../../../src/adapters/record.js";
import { claude } from "../../../src/adapters/records/claude.js";
import { codex } from "../../../src/adapters/records/codex.js";
import { copilot } from "../../../src/adapters/records/copilot.js";
import { opencode } from "../../../src/adapters/records/opencode.js";
import type { AdapterRunOnceArgs, McpServerConfig } from "../../../src/adapters/types.js";
import type { RunEvent } from "../../../src/events/schema.js";
import { createFakeSpawner } from "./fake-spawner.js";

const FILES: McpServerConfig = { type: "stdio", name: "my files", command: "npx", args: ["-y", "it's \"quoted\"", "$HOME"], env: { TOKEN: "s3cret ${HOME}\n\x7f", "ODD.NAME": "" } };
const ISSUES: McpServerConfig = { type: "http", name: "issues", url: "https://example.com/mcp", headers: { Authorization: "Bearer t0ken" } };
const OLD: McpServerConfig = { type: "sse", name: "old", url: "https://example.com/sse", headers: {} };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One run of a record, and what its backend could see of it. */
async function runWith(record: BackendRecord, args: Partial<AdapterRunOnceArgs>) {
  const spawner = createFakeSpawner();
  const events: RunEvent[] = [];
  const seen = { file: "", content: "", mode: 0 };
  const watching = {
    ...spawner,
    spawn: (...call: Parameters<typeof spawner.spawn>) => {
      seen.file = /(\/[^=@]*mcp-servers\.json)$/.exec(call[1].find((arg) => arg.endsWith("mcp-servers.json")) ?? "")?.[1] ?? "";
      if (seen.file !== "") Object.assign(seen, { content: readFileSync(seen.file, "utf8"), mode: statSync(seen.file).mode & 0o777 });
      return spawner.spawn(...call);
    },
  };
  const onEvent = (event: RunEvent): void => void events.push(event);
  const result = await adapterFromRecord(record, { spawner: watching }).runOnce({ prompt: "hello", cwd: folder, env: { HOME: folder }, onEvent, ...args });
  const [call] = spawner.calls;
  return { result, events, seen, args: call?.args ?? [], env: call?.options.env ?? {} };
}

describe("MCP servers at full access", () => {
  it.each([
    ["claude", claude, "--mcp-config="],
    ["copilot", copilot, "--additional-mcp-config=@"],
  ])("reach %s in a private file that is gone after the run", async (_id, record, flag) => {
    const { seen, args, env, events, result } = await runWith(record, { access: "full", mcpServers: [FILES, ISSUES, OLD] });
    expect(args).toContain(`${flag}${seen.file}`);
    expect(seen.mode).toBe(0o600);
    const dollar = "${JLGCLI_DOLLAR}";
    expect(JSON.parse(seen.content)).toEqual({
      mcpServers: {
        "my files": { type: "stdio", command: "npx", args: ["-y", "it's \"quoted\"", `${dollar}HOME`], env: { TOKEN: `s3cret ${dollar}{HOME}\n\x7f`, "ODD.NAME": "" } },
        issues: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer t0ken" } },
        old: { type: "sse", url: "https://example.com/sse", headers: {} },
      },
    });
    expect(env).toMatchObject({ JLGCLI_DOLLAR: "$" });
    expect(args.join(" ")).not.toMatch(/s3cret|t0ken/);
    expect(existsSync(dirname(seen.file))).toBe(false);
    expect(events).toEqual([]);
    expect(result.warnings ?? []).not.toContainEqual(expect.stringContaining("MCP"));
  });

  it("reach codex as settings in TOML, but for a transport that it does not speak", async () => {
    const { args, events, result } = await runWith(codex, { access: "full", resume: "t-1", mcpServers: [FILES, ISSUES, OLD] });
    const settings = args.filter((arg) => arg.startsWith("mcp_servers."));
    expect(parse(settings.join("\n"))).toEqual({
      mcp_servers: {
        my_files: { command: "npx", args: ["-y", "it's \"quoted\"", "$HOME"], env: { TOKEN: "s3cret ${HOME}\n\x7f", "ODD.NAME": "" } },
        issues: { url: "https://example.com/mcp", http_headers: { Authorization: "Bearer t0ken" } },
      },
    });
    for (const setting of settings) expect(args[args.indexOf(setting) - 1]).toBe("-c");
    expect(args.indexOf("resume")).toBeGreaterThan(args.indexOf(settings.at(-1) ?? ""));
    const message = "Codex was not given the MCP server old, since it cannot reach a server by sse: it takes stdio, http";
    expect(events).toEqual([{ type: "warning", code: "mcp-servers-withheld", message }]);
    expect(result.warnings).toContain(message);
  });

  it("keep names apart that would become one", () => {
    const servers = ["a b", "a.b", "", "é"].map((name): McpServerConfig => ({ type: "stdio", name, command: "x", args: [], env: {} }));
    const { args } = toMcpDelivery(codex, "full", servers, "FILE");
    expect(args.filter((arg) => arg.includes(".command="))).toEqual(["a_b", "a_b_2", "_", "__2"].map((name) => `mcp_servers.${name}.command="x"`));
  });

  it("are given once where a record takes them inline, and no word of theirs is taken for a place", () => {
    const record = withMcp({ args: ["--mcp", "{json}"], each: { stdio: [] } });
    const odd: McpServerConfig = { type: "stdio", name: "{file}", command: "$& {json}", args: ["{name}"], env: {} };
    const { args, file } = toMcpDelivery(record, "full", [odd], "FILE");
    expect(file).toBeUndefined();
    expect(args).toEqual(["--mcp", JSON.stringify({ mcpServers: { "{file}": { type: "stdio", command: "$& {json}", args: ["{name}"], env: {} } } })]);
  });

  it("add nothing where there are none", () => {
    expect(toMcpDelivery(claude, "full", [], "FILE")).toEqual({ args: [], env: {}, file: undefined, withheld: [] });
  });
});

describe("MCP servers are left out with a warning", () => {
  it.each(["read-only", "workspace-write", undefined] as const)("at the access level %s", async (access) => {
    for (const record of [claude, codex, copilot]) {
      const { args, seen, events, result } = await runWith(record, { ...(access !== undefined && { access }), mcpServers: [FILES, ISSUES] });
      expect(args.join(" ")).not.toMatch(/mcp_servers\.|mcp-servers\.json|my.files/);
      expect(seen.file).toBe("");
      const message = `${record.displayName} was not given the MCP servers my files, issues, since their tools would not keep to the access level ${access ?? "read-only"}: ask for the level full`;
      expect(events).toEqual([{ type: "warning", code: "mcp-servers-withheld", message }]);
      expect(result.warnings).toContain(message);
    }
  });

  it("where the record has no way to hand them on", async () => {
    const { events } = await runWith(opencode, { access: "full", mcpServers: [ISSUES] });
    expect(events).toEqual([expect.objectContaining({ message: "opencode was not given the MCP server issues, since jlgcli has no way to hand servers to it: put them into its own settings" })]);
  });

  it("and the run goes on when the caller's callback throws", async () => {
    const { result, args } = await runWith(codex, { mcpServers: [ISSUES], onEvent: () => { throw new Error("no"); } });
    expect(args).toContain("exec");
    expect(result.warnings).toContainEqual(expect.stringContaining("was not given the MCP server issues"));
  });
});

it("a backend without access levels is given them, for it confines nothing", () => {
  const record = withMcp({ each: { stdio: ["--server", "{name}={command}"] } });
  expect(toMcpDelivery(record, null, [{ type: "stdio", name: "a", command: "b", args: [], env: {} }], "FILE").args).toEqual(["--server", 'a="b"']);
});

it("the capabilities of a backend say whether it takes any", async () => {
  const told = await Promise.all(["claude", "codex", "copilot", "opencode", "replay"].map(async (id) => (await findCapabilities(id))?.takesMcpServers));
  expect(told).toEqual([true, true, true, false, false]);
});

function withMcp(mcpServers: McpServerArgs): BackendRecord {
  return { id: "agent", displayName: "Agent", traits: { executorId: "agent", command: "agent", args: [], promptDelivery: "stdin", output: { payload: "text", resultPath: [] } }, options: { mcpServers } };
}
