import fs from "node:fs";
import type { ParseError } from "jsonc-parser";
import { findHome } from "../../environment.js";
import type { SlashCommandConfig, SlashCommandSettings } from "../config.js";
import { isRecord } from "../front-matter.js";
import type { CommandProblem } from "../types.js";
import { findWorkspaceRoot } from "../workspace.js";
import { parseServer, type ServerSurroundings } from "./parse-server.js";
import type { McpServer } from "./server.js";
import { listServerFiles, type ServerFile } from "./server-files.js";

export interface McpServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly CommandProblem[];
}

/** Far above any real settings file. */
const FILE_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * The MCP servers that are set up: those of our own configuration, then the project's, then the user's; the first of a
 * name counts. Servers of a project that is not trusted are named as problems and never started. In such a folder the
 * user's own servers are started in the home folder: a program such as npx would otherwise run what the project brings.
 */
export async function listMcpServers(config: SlashCommandConfig, settings: SlashCommandSettings): Promise<McpServers> {
  const listing = new Listing(config, (await config.isTrusted?.(config.cwd)) ?? false);
  listing.add(settings.mcpServers ?? {}, { origin: "the configuration", syntax: "claude" });
  const files = settings.foreignMcpServers === false ? [] : listServerFiles(config.cwd, config.env);
  for (const file of files) await listing.addFile(file);
  return listing;
}

class Listing implements McpServers {
  readonly servers: McpServer[] = [];
  readonly problems: CommandProblem[] = [];

  constructor(
    private readonly config: SlashCommandConfig,
    private readonly isCwdTrusted: boolean,
  ) {}

  async addFile({ file, syntax, format, path, projectFolder }: ServerFile): Promise<void> {
    const entries = await this.readEntries(file, format, path);
    if (entries === null) return;
    const isTrusted = projectFolder === null || ((await this.config.isTrusted?.(projectFolder)) ?? false);
    if (isTrusted) return this.add(entries, { origin: file, syntax });
    for (const name of Object.keys(entries)) this.report(file, `the MCP server ${name} is not started: its folder is not trusted (see \`jlgcli trust\`)`, "warning");
  }

  add(entries: Readonly<Record<string, unknown>>, { origin, syntax }: Pick<ServerSurroundings, "origin" | "syntax">): void {
    const { cwd, env } = this.config;
    const surroundings: ServerSurroundings = { env, cwd: this.isCwdTrusted ? cwd : findHome(env), workspaceFolder: findWorkspaceRoot(cwd), origin, syntax };
    for (const [name, entry] of Object.entries(entries)) {
      if (this.servers.some((server) => server.name === name)) continue;
      const parsed = parseServer(name, entry, surroundings);
      if (parsed.type === "server") this.servers.push(parsed.server);
      if (parsed.type === "unusable") this.report(origin, `MCP server ${parsed.reason}`, "error");
    }
  }

  private async readEntries(file: string, format: ServerFile["format"], path: readonly string[]): Promise<Readonly<Record<string, unknown>> | null> {
    const text = this.readText(file);
    if (text === null) return null;
    const read = await PARSERS[format](text);
    if (read.error !== null) return this.report(file, `MCP servers: ${read.error}`, "error");
    const entries = path.reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), read.value);
    if (entries === undefined || isRecord(entries)) return entries ?? null;
    return this.report(file, `${path.join(".")}: expected a table of servers`, "error");
  }

  private readText(file: string): string | null {
    try {
      const stats = fs.statSync(file, { throwIfNoEntry: false });
      if (stats === undefined || !stats.isFile()) return null;
      if (stats.size > FILE_LIMIT_BYTES) return this.report(file, `MCP servers: has ${String(stats.size)} bytes, the limit is ${String(FILE_LIMIT_BYTES)}`, "error");
      return fs.readFileSync(file, "utf8").replace(/^\uFEFF/u, "");
    } catch (error) {
      return this.report(file, `MCP servers: cannot be read: ${error instanceof Error ? error.message : String(error)}`, "error");
    }
  }

  private report(path: string, reason: string, severity: CommandProblem["severity"]): null {
    this.problems.push({ severity, path, line: null, reason, commandName: null });
    return null;
  }
}

interface ReadValue {
  readonly value: unknown;
  readonly error: string | null;
}

const PARSERS: Readonly<Record<ServerFile["format"], (text: string) => Promise<ReadValue>>> = { jsonc: parseJsonc, toml: parseToml };

/** Settings of editors hold comments and commas at the end of lists. */
async function parseJsonc(text: string): Promise<ReadValue> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true });
  } catch {
    return { value: null, error: "is nested too deep" };
  }
  const [first] = errors;
  if (first === undefined) return { value, error: null };
  const line = text.slice(0, first.offset).split("\n").length;
  return { value: null, error: `line ${String(line)}: ${printParseErrorCode(first.error)}` };
}

async function parseToml(text: string): Promise<ReadValue> {
  const { parse } = await import("smol-toml");
  try {
    return { value: parse(text), error: null };
  } catch (error) {
    return { value: null, error: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "cannot be parsed" };
  }
}
