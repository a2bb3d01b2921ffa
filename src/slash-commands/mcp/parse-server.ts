import path from "node:path";
import { isRecord } from "../front-matter.js";
import type { HttpTransport, McpServer, StdioTransport } from "./server.js";
import type { ServerSyntax } from "./server-files.js";

export interface ServerSurroundings {
  readonly env: Readonly<Record<string, string>>;
  /** Where a server is started that names no folder, and from where relative ones count. */
  readonly cwd: string;
  readonly workspaceFolder: string;
  readonly origin: string;
  readonly syntax: ServerSyntax;
}

export type ParsedServer =
  | { readonly type: "server"; readonly server: McpServer }
  | { readonly type: "off" }
  | { readonly type: "unusable"; readonly reason: string };

/**
 * One entry of a list of MCP servers, in the words of the tool whose file it stands in: the keys of `.mcp.json`
 * (code.claude.com/docs/en/mcp), of Gemini CLI's settings (`httpUrl`), of `.vscode/mcp.json`, and of Codex' config.toml.
 */
export function parseServer(name: string, entry: unknown, surroundings: ServerSurroundings): ParsedServer {
  if (!isRecord(entry)) return { type: "unusable", reason: `${name}: expected an object` };
  if (entry["disabled"] === true || entry["enabled"] === false) return { type: "off" };
  const values = new ValueReader(entry, surroundings);
  const transport = readTransport(values, surroundings);
  const problem = values.problem ?? (typeof transport === "string" ? transport : null);
  if (problem !== null || typeof transport === "string") return { type: "unusable", reason: `${name}: ${problem ?? "unusable"}` };
  return { type: "server", server: { name, origin: surroundings.origin, transport, timeoutMs: readTimeout(entry) } };
}

function readTransport(values: ValueReader, { cwd, syntax }: ServerSurroundings): StdioTransport | HttpTransport | string {
  const command = values.text("command");
  if (command !== null) {
    const folder = values.text("cwd");
    return { type: "stdio", command, args: values.texts("args"), env: values.table("env"), cwd: folder === null ? cwd : path.resolve(cwd, folder) };
  }
  const url = values.text("httpUrl") ?? values.text("url");
  if (url === null) return "has neither a command nor a url";
  const type = values.text("type") ?? values.text("transport");
  // gemini means server-sent events by a bare url
  const isSse = type === "sse" || (syntax === "gemini" && type === null && values.text("httpUrl") === null);
  if (isSse) return "uses the retired transport SSE; only stdio and streamable HTTP are spoken";
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) return `${JSON.stringify(url)} is no http address`;
  return { type: "http", url, headers: { ...values.table("headers"), ...values.table("http_headers"), ...values.variables() } };
}

function readTimeout(entry: Readonly<Record<string, unknown>>): number | null {
  const { timeout, startup_timeout_sec: seconds, startup_timeout_ms: milliseconds } = entry;
  if (typeof seconds === "number") return seconds * 1000;
  if (typeof milliseconds === "number") return milliseconds;
  return typeof timeout === "number" ? timeout : null;
}

/** Reads values of the expected types and puts variables in. Remembers the first thing that is wrong. */
class ValueReader {
  problem: string | null = null;

  constructor(
    private readonly entry: Readonly<Record<string, unknown>>,
    private readonly surroundings: ServerSurroundings,
  ) {}

  text(key: string): string | null {
    const value = this.entry[key];
    if (value === undefined || value === null) return null;
    if (typeof value === "string") return this.fill(value);
    return this.note(`${key}: expected a string`, null);
  }

  texts(key: string): string[] {
    const value = this.entry[key];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.map((item) => this.fill(item));
    return this.note(`${key}: expected a list of strings`, []);
  }

  table(key: string): Record<string, string> {
    const value = this.entry[key];
    if (value === undefined || value === null) return {};
    if (!isRecord(value)) return this.note(`${key}: expected a table`, {});
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.fill(typeof item === "string" ? item : JSON.stringify(item))]));
  }

  /** Codex names the variables that hold what must not stand in a file. */
  variables(): Record<string, string> {
    const token = this.entry["bearer_token_env_var"];
    const named = this.entry["env_http_headers"];
    const headers = isRecord(named) ? Object.entries(named).map(([header, variable]): [string, string] => [header, this.variable(String(variable))]) : [];
    return { ...Object.fromEntries(headers), ...(typeof token === "string" ? { Authorization: `Bearer ${this.variable(token)}` } : {}) };
  }

  /** `${VAR}`, `${VAR:-default}`, `$VAR` (Gemini), `${env:VAR}` and `${workspaceFolder}` (VS Code). */
  private fill(text: string): string {
    const { syntax, workspaceFolder } = this.surroundings;
    if (syntax === "codex") return text;
    const pattern = syntax === "gemini" ? /\$\{([^}]+)\}|\$([A-Za-z_]\w*)/gu : /\$\{([^}]+)\}/gu;
    return text.replace(pattern, (_all, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? "";
      if (name === "workspaceFolder") return workspaceFolder;
      if (name.startsWith("input:")) return this.note(`asks for the input ${JSON.stringify(name.slice(6))}, which only an editor can ask`, "");
      const [, variable = "", fallback] = /^(?:env:)?([^:]*)(?::-([^]*))?$/u.exec(name) ?? [];
      return this.surroundings.env[variable] ?? fallback ?? this.variable(variable);
    });
  }

  private variable(name: string): string {
    return this.surroundings.env[name] ?? this.note(`the variable ${name} is not set`, "");
  }

  private note<T>(problem: string, value: T): T {
    this.problem ??= problem;
    return value;
  }
}
