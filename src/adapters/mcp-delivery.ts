import type { AccessLevel } from "../events/schema.js";
import type { FileContent } from "../temp-files.js";
import type { BackendRecord, McpServerArgs } from "./record.js";
import type { McpServerConfig } from "./types.js";

/** How the MCP servers of a run reach a backend, and which do not. */
export interface McpDelivery {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Named by `{file}` among the record's arguments. */
  readonly file: FileContent | undefined;
  /** A sentence for each reason why servers are left out, with what to do. */
  readonly withheld: readonly string[];
}

/**
 * Maps the MCP servers of a run through a backend's record. Pure. A server's tools are programs that run outside of
 * whatever confines the backend, so below full access none is handed on; a backend without levels confines nothing.
 */
export function toMcpDelivery(record: BackendRecord, access: AccessLevel | null, servers: readonly McpServerConfig[], filePath: string): McpDelivery {
  const traits = record.options?.mcpServers;
  if (servers.length === 0) return NOTHING;
  if (traits === undefined) return { ...NOTHING, withheld: [describeWithheld(record, servers, "jlgcli has no way to hand servers to it", "put them into its own settings")] };
  if (access !== null && access !== "full") return { ...NOTHING, withheld: [describeWithheld(record, servers, `their tools would not keep to the access level ${access}`, "ask for the level full")] };
  const spoken = servers.filter(({ type }) => traits.each[type] !== undefined);
  return { ...deliver(traits, spoken, filePath), withheld: describeUnspoken(record, traits, servers) };
}

const NOTHING: McpDelivery = { args: [], env: {}, file: undefined, withheld: [] };

function describeWithheld({ displayName }: BackendRecord, servers: readonly McpServerConfig[], because: string, remedy: string): string {
  const names = servers.map(({ name }) => name).join(", ");
  return `${displayName} was not given the MCP server${servers.length === 1 ? "" : "s"} ${names}, since ${because}: ${remedy}`;
}

function describeUnspoken(record: BackendRecord, traits: McpServerArgs, servers: readonly McpServerConfig[]): readonly string[] {
  const unspoken = servers.filter(({ type }) => traits.each[type] === undefined);
  const types = [...new Set(unspoken.map(({ type }) => type))].join(" and ");
  return unspoken.length === 0 ? [] : [describeWithheld(record, unspoken, `it cannot reach a server by ${types}`, `it takes ${Object.keys(traits.each).join(", ")}`)];
}

function deliver(traits: McpServerArgs, servers: readonly McpServerConfig[], filePath: string): Omit<McpDelivery, "withheld"> {
  if (servers.length === 0) return NOTHING;
  const named = withUniqueNames(traits, servers);
  const json = JSON.stringify({ mcpServers: Object.fromEntries(named.map((server) => [server.name, toEntry(server, traits.dollar)])) });
  const once = traits.args ?? [];
  return {
    args: [
      ...once.map((arg) => arg.replace(/\{(?:json|file)\}/g, (place) => (place === "{file}" ? filePath : json))),
      ...named.flatMap((server) => (traits.each[server.type] ?? []).map((arg) => fillServer(arg, server))),
    ],
    env: traits.env ?? {},
    file: once.some((arg) => arg.includes("{file}")) ? { name: "mcp-servers.json", content: json } : undefined,
  };
}

/** Two servers of one name would be one. */
function withUniqueNames({ otherInNames }: McpServerArgs, servers: readonly McpServerConfig[]): readonly McpServerConfig[] {
  const taken = new Set<string>();
  return servers.map((server) => {
    const plain = (otherInNames === undefined ? server.name : server.name.replace(new RegExp(otherInNames, "gu"), "_")) || "_";
    let name = plain;
    for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
    taken.add(name);
    return { ...server, name };
  });
}

/** In the words that most tools know from `.mcp.json` (code.claude.com/docs/en/mcp). */
function toEntry(server: McpServerConfig, dollar: string | undefined): unknown {
  const keep = (value: string): string => (dollar === undefined ? value : value.replaceAll("$", () => dollar));
  const keepAll = (values: Readonly<Record<string, string>>): Record<string, string> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, keep(value)]));
  if (server.type === "stdio") return { type: server.type, command: keep(server.command), args: server.args.map(keep), env: keepAll(server.env) };
  return { type: server.type, url: keep(server.url), headers: keepAll(server.headers) };
}

function fillServer(arg: string, server: McpServerConfig): string {
  const words: Readonly<Record<string, string>> =
    server.type === "stdio"
      ? { name: server.name, command: toToml(server.command), args: toToml(server.args), env: toToml(server.env) }
      : { name: server.name, url: toToml(server.url), headers: toToml(server.headers) };
  return arg.replace(/\{(\w+)\}/g, (place, word: string) => words[word] ?? place);
}

/** A TOML value (toml.io/en/v1.0.0), on one line. */
function toToml(value: string | readonly string[] | Readonly<Record<string, string>>): string {
  // A JSON string is one of TOML's too, but for the one control character that JSON leaves as it is.
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
  if (isList(value)) return `[${value.map(toToml).join(",")}]`;
  return `{${Object.entries(value).map(([key, item]) => `${toToml(key)}=${toToml(item)}`).join(",")}}`;
}

function isList(value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] {
  return Array.isArray(value);
}
